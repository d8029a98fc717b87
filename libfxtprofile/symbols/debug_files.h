/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the files of programs and their symbols are: by build id in directories that are
 * laid out as /usr/lib/debug is, by path, and by the link that a stripped file has in it.
 *
 * A file counts only if its build id is the one that is asked for, where both are known.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_FILES_H
#define FXTPROFILE_SYMBOLS_DEBUG_FILES_H

#include "binary.h"
#include "debug_file_report.h"
#include "base/string_table.h"

struct debug_files {
    /* Directories with files as DIR/.build-id/ab/cdef.debug or DIR/ab/cdef.debug, or the
     * same without a suffix; or as DIR/PATH or DIR/NAME. Not owned. */
    const char *const *dirs;
    size_t n_dirs;
    /* Servers are asked for what is not there. */
    bool asks_servers;
    /* Files that were there and not used. */
    struct debug_file_report report;
};

/* The file of a module, with its symbols if there are any; or NULL. `name` is a path, a
 * name or empty; `build_id` is in hex, or empty; both may be anything. */
struct binary *debug_files_find(struct debug_files *files, struct string name,
                                struct string build_id);

/* Looks for the symbols of a binary that lacks some. */
void debug_files_attach(struct debug_files *files, struct binary *binary);

void debug_files_free(struct debug_files *files);

/* Notes that a binary is not what `build_id` says. */
void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id);

#endif
