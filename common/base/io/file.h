/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A regular file that is read at random offsets. It is not mapped, except for a child
 * process: a mapped file that shrinks kills the program.
 */
#ifndef BASE_IO_FILE_H
#define BASE_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/text.h"

struct file;

/* Opens a regular file; files of other types are not opened, not even temporarily. On
 * failure returns NULL and adds the reason to `why`. */
struct file *file_open(const char *name, struct text *why);

/* The same for a file that another program is to have left there, in a directory that
 * anyone may write to: it must belong to `owner`, and the name not be a symbolic link. */
struct file *file_open_owned(const char *name, uid_t owner, struct text *why);

/* Takes memory, which stays the caller's, for a file's content; for tests and fuzzing. */
struct file *file_from_memory(const void *data, size_t size);

void file_close(struct file *file);

/* For a library that reads for itself: belongs to the file. -1 for memory. */
int file_descriptor(const struct file *file);

/* Maps the file, for a child process that may be killed, since that is what SIGBUS does
 * where the file has shrunk; this process must not touch the memory. It may be written,
 * which does not change the file, and belongs to the file. NULL if it cannot be mapped,
 * or where file_from_memory made the file. */
void *file_map(struct file *file);

/* Removes the pages of a mapped file from this process's memory, until they are used
 * again; what was written to them is lost. */
void file_unload(struct file *file);

/* In bytes, as it was when the file was opened, or at the last file_refresh. */
uint64_t file_size(const struct file *file);

/* Updates the size of a file that is still being written. */
void file_refresh(struct file *file);

/* Reads all of `size` bytes at `offset`. Returns false, for any numbers, if the file does
 * not have them or they cannot be read. */
bool file_read(struct file *file, uint64_t offset, void *to, size_t size);

#endif
