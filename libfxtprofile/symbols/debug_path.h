/* SPDX-License-Identifier: BSD-2-Clause */
/* Where debug_files.h looks for files, and opening those that are there. */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_PATH_H
#define FXTPROFILE_SYMBOLS_DEBUG_PATH_H

#include "binary.h"
#include "debug_file_report.h"
#include "libfxtprofile/symbols/servers/debug_servers.h"
#include "common/base/string_table.h"

enum { DEBUG_PATH_SIZE_MAX = 4096 };

struct debug_files {
    /* Directories with files as DIR/.build-id/ab/cdef.debug or DIR/ab/cdef.debug, or the
     * same without a suffix; or as DIR/PATH or DIR/NAME. Not owned. */
    const char *const *dirs;
    size_t n_dirs;
    /* Where files are requested that are not found. */
    struct debug_servers servers;
    /* What is at the path of a module without a build id is not taken for it. */
    bool only_by_build_id;
    /* Files that were found and not used. */
    struct debug_file_report report;
};

/* Whether a path of a recording can be one here: not empty, too long or with a NUL. */
bool debug_path_is_usable(struct string path);

/* Whether a path, appended to a directory, could lead out of it. */
bool debug_path_leads_up(struct string path);

/* The file at a path, or NULL: most paths that are tried do not exist. */
struct binary *debug_path_open(struct debug_files *files, struct text *path);

/* The same, if its build id is not another than that of the module. */
struct binary *debug_path_try(struct debug_files *files, struct text *path,
                              struct string build_id);

/* The same at a path below a directory. */
struct binary *debug_path_try_in(struct debug_files *files, const char *dir,
                                 struct string name, struct string build_id);

/* The debug file that a stripped file names, in .gnu_debuglink. NULL if there is no link,
 * or no such file. */
struct binary *debug_link_find(struct debug_files *files, const struct binary *of);

/* A file as a running process has it: below its root directory, or mapped. NULL if there
 * is none with this build id, or if the build id is not known. */
struct binary *debug_process_find(struct debug_files *files, uint64_t process,
                                  struct string name, struct string build_id);

#endif
