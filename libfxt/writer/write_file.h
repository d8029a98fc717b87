/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that a writer opened, and closes. */
#ifndef LIBFXT_WRITER_WRITE_FILE_H
#define LIBFXT_WRITER_WRITE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct write_file {
    /* -1 while none is open. */
    int fd;
    /* The errno of the first failure, or 0. */
    int error;
};

/* Returns false, with errno, if it cannot be opened. */
bool write_file_open(struct write_file *file, const char *path);

/* A fxt_write_fn; `context` is a struct write_file. */
int write_file_write(void *context, const void *data, size_t size);

/* Does nothing if none is open. Returns false if closing failed: what was written may
 * then be lost. */
bool write_file_close(struct write_file *file);

#endif
