/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user says of a ClickHouse server, for programs that may lack libcurl, too. */
#ifndef CONVERT_SERVER_OPTIONS_H
#define CONVERT_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What is not known is NULL or 0. */
struct server_options {
    const char *program;
    /* http://host:8123, with a path if need be: see server_url_problem. */
    const char *url;
    /* A file with users and passwords of machines, as of curl, ftp and others. */
    const char *netrc;
    /* Files in PEM: who is trusted instead of the system's list; what the server is
     * shown, and its key. */
    const char *ca_file;
    const char *certificate;
    const char *key;
    /* The server may be anybody. */
    bool is_insecure;
    /* How long one request may take, and how long requests that fail are tried again. */
    uint64_t timeout_ns;
    uint64_t retry_ns;
    /* It is only asked, and must not change anything. */
    bool is_read_only;
    /* Nothing is printed about what is tried again. */
    bool is_quiet;
};

#endif
