/* SPDX-License-Identifier: BSD-2-Clause */
/* See curl_library.h. */
#include "curl_library.h"

#include "common/base/dynamic_symbol.h"

struct curl_library libcurl;

static bool find_functions(void *handle, struct curl_library *l)
{
    return dynamic_symbol_find(handle, "curl_global_init", &l->global_init) &&
           dynamic_symbol_find(handle, "curl_easy_init", &l->easy_init) &&
           dynamic_symbol_find(handle, "curl_easy_setopt", &l->easy_setopt) &&
           dynamic_symbol_find(handle, "curl_easy_perform", &l->easy_perform) &&
           dynamic_symbol_find(handle, "curl_easy_getinfo", &l->easy_getinfo) &&
           dynamic_symbol_find(handle, "curl_easy_strerror", &l->easy_strerror) &&
           dynamic_symbol_find(handle, "curl_easy_cleanup", &l->easy_cleanup) &&
           dynamic_symbol_find(handle, "curl_slist_append", &l->slist_append) &&
           dynamic_symbol_find(handle, "curl_slist_free_all", &l->slist_free_all) &&
           dynamic_symbol_find(handle, "curl_url", &l->url) &&
           dynamic_symbol_find(handle, "curl_url_set", &l->url_set) &&
           dynamic_symbol_find(handle, "curl_url_get", &l->url_get) &&
           dynamic_symbol_find(handle, "curl_url_cleanup", &l->url_cleanup) &&
           dynamic_symbol_find(handle, "curl_free", &l->free);
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
