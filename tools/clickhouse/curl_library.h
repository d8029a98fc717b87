/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libcurl, loaded when a server is asked for the first time. It needs many libraries of
 * its own: linked with a report, which seldom has a server, they would take three
 * quarters of the time in which it starts.
 */
#ifndef TOOLS_CLICKHOUSE_CURL_LIBRARY_H
#define TOOLS_CLICKHOUSE_CURL_LIBRARY_H

#include <curl/curl.h>
#include <stdbool.h>

/* Its functions, under their names without "curl_". */
struct curl_library {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_easy_perform) *easy_perform;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_strerror) *easy_strerror;
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
    __typeof__(curl_url) *url;
    __typeof__(curl_url_set) *url_set;
    __typeof__(curl_url_get) *url_get;
    __typeof__(curl_url_cleanup) *url_cleanup;
    __typeof__(curl_free) *free;
};

/* All NULL until it is loaded. */
extern struct curl_library libcurl;

/* Returns false if it cannot be loaded. For one thread. */
bool curl_library_load(void);

#endif
