/* SPDX-License-Identifier: BSD-2-Clause */
/* See curl_library.h. */
#include "curl_library.h"

#include <dlfcn.h>
#include <string.h>

struct curl_library libcurl;

/* Finds a function of a library. C has no cast from what dlsym returns. */
static bool find_function(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static bool find_functions(void *handle, struct curl_library *l)
{
    return find_function(handle, "curl_global_init", &l->global_init) &&
           find_function(handle, "curl_easy_init", &l->easy_init) &&
           find_function(handle, "curl_easy_setopt", &l->easy_setopt) &&
           find_function(handle, "curl_easy_perform", &l->easy_perform) &&
           find_function(handle, "curl_easy_getinfo", &l->easy_getinfo) &&
           find_function(handle, "curl_easy_strerror", &l->easy_strerror) &&
           find_function(handle, "curl_easy_cleanup", &l->easy_cleanup) &&
           find_function(handle, "curl_slist_append", &l->slist_append) &&
           find_function(handle, "curl_slist_free_all", &l->slist_free_all) &&
           find_function(handle, "curl_url", &l->url) &&
           find_function(handle, "curl_url_set", &l->url_set) &&
           find_function(handle, "curl_url_get", &l->url_get) &&
           find_function(handle, "curl_url_cleanup", &l->url_cleanup) &&
           find_function(handle, "curl_free", &l->free);
}

bool curl_library_load(void)
{
    struct curl_library found = {.url = NULL};
    void *handle;

    if (libcurl.url != NULL)
        return true;
    handle = dlopen("libcurl.so.4", RTLD_NOW);
    if (handle == NULL)
        handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW);
    if (handle == NULL || !find_functions(handle, &found))
        return false;
    libcurl = found;
    return libcurl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}
