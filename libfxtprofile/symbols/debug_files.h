/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the files of programs and their debug files: by build id in directories that are
 * laid out as /usr/lib/debug is, by path, and by the debug link of a stripped file.
 *
 * A file is used only if its build id is the requested one, where both are known.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_FILES_H
#define FXTPROFILE_SYMBOLS_DEBUG_FILES_H

#include "debug_path.h"

/* The file of a module, with its symbols if there are any; or NULL. `name` is a path, a
 * name or empty; `build_id` is in hex, or empty; both may be anything. `process` has it
 * mapped, perhaps with another root directory, such as a container's, and perhaps on
 * another machine or long ago: its file is used only if the build id is known. */
struct binary *debug_files_find(struct debug_files *files, uint64_t process,
                                struct string name, struct string build_id);

/* The same, only where the process has it: in its root directory; or, where it was
 * deleted or replaced there, what is mapped still, if this user may read that. */
struct binary *debug_files_find_of_process(struct debug_files *files, uint64_t process,
                                           struct string name, struct string build_id);

/* The build id, in hex, of what is at an absolute path by now, which is none if it is no
 * ELF file. Returns false if there is nothing. */
bool debug_files_read_build_id(struct string path, struct text *build_id);

/* Looks for the symbols of a binary that lacks some. */
void debug_files_attach(struct debug_files *files, struct binary *binary);

/* Requests from servers what was not found otherwise: the symbols of `*binary`, or, where
 * that is NULL, the file of a module, which is stored there. Returns whether there is
 * one. */
bool debug_files_fetch(struct debug_files *files, struct binary **binary,
                       struct string name, struct string build_id);

void debug_files_free(struct debug_files *files);

/* Reports that a binary has another build id than `build_id`. */
void debug_files_complain(struct debug_files *files, const struct binary *binary,
                          struct string build_id);

/* The path of the file with the DWARF that `binary` shares with others, for the caller to
 * free; NULL if it shares none, or the file is not found, which is reported. */
char *debug_shared_find(struct debug_files *files, const struct binary *binary);

#endif
