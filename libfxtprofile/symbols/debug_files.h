/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the files of programs and their debug files: by build id in directories that are
 * laid out as /usr/lib/debug is, by path, and by the debug link of a stripped file.
 *
 * A file is used only if its build id is the requested one, where both are known.
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
    /* Request files that are not found from debuginfod servers. */
    bool asks_servers;
    /* Files that were found and not used. */
    struct debug_file_report report;
};

/* The file of a module, with its symbols if there are any; or NULL. `name` is a path, a
 * name or empty; `build_id` is in hex, or empty; both may be anything. */
struct binary *debug_files_find(struct debug_files *files, struct string name,
                                struct string build_id);

/* Looks for the symbols of a binary that lacks some. */
void debug_files_attach(struct debug_files *files, struct binary *binary);

void debug_files_free(struct debug_files *files);

/* Reports that a binary has another build id than `build_id`. */
void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id);

#endif
