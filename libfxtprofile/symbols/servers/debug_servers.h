/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug files from the servers in the environment variable DEBUGINFOD_URLS. Each build id
 * is requested once, and servers that are slow or unreachable cost a bounded time: what
 * is missing then is reported.
 */
#ifndef FXTPROFILE_SYMBOLS_SERVERS_DEBUG_SERVERS_H
#define FXTPROFILE_SYMBOLS_SERVERS_DEBUG_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/memory.h"
#include "common/base/string_table.h"
#include "common/base/text.h"
#include "download.h"

/* Called while a file is downloaded, `total` 0 if its size is not known. */
typedef void debug_servers_progress_fn(void *context, const char *name, uint64_t n_bytes,
                                       uint64_t total);

/* All zero is none. */
struct debug_servers {
    /* There are some, and they are used: see debug_servers_start. */
    bool is_on;
    debug_servers_progress_fn *on_progress;
    void *context;
    /* The build ids that were requested, and the paths of their files; NULL for none. */
    struct string_table asked;
    char **paths;
    size_t capacity;

    struct downloader downloader;
    struct memory_cleanup cleanup;
    bool is_running;

    /* How long the servers may send nothing before they are given up; what is left of
     * that, which what they send adds to; and the limits for a file and for all. */
    uint64_t patience_ns;
    uint64_t left_ns;
    uint64_t file_limit_ns;
    uint64_t limit_ns;
    uint64_t spent_ns;

    /* Sentences about files, and why no more are requested; empty if that is not so. */
    struct string_table problems;
    struct text ending;
};

/* Uses the servers from here on, if there are any. It must stay in place until
 * debug_servers_free. */
void debug_servers_start(struct debug_servers *servers);

/* Adds the path at which the file of a build id is stored, which is requested the first
 * time; false if there is none. `name` is for reports; both may be anything. */
bool debug_servers_fetch(struct debug_servers *servers, struct string name,
                         struct string build_id, struct text *path);

void debug_servers_free(struct debug_servers *servers);

#endif
