/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a whole stream in one call, of any size, from wherever it is:
 *
 *     struct fxt_reader_options options = {.size = sizeof(options)};
 *     options.on_record = print_record;
 *     options.on_error = fxt_error_print;
 *     return fxt_read_path(&options, "trace.fxt") != FXT_OK;
 *
 * Each call makes a reader with these options, calls back with each record and report,
 * ends the stream, and frees the reader. All of them return
 *
 *     FXT_OK           the stream was read to its end; faults in its data were reported
 *                      through on_error
 *     FXT_STOPPED      a callback asked to stop, and the rest was not read
 *     FXT_E_SIZE_ZERO  the framing is lost, and the rest was not read
 *     FXT_E_FILE       the file cannot be opened or read; errno has the reason. What was
 *                      read before it has been passed to the callbacks
 *     FXT_E_NO_MEMORY  out of memory
 *     FXT_E_INVALID    invalid options
 *
 * What ends a stream early is reported through on_error as well, with FXT_FATAL, unless a
 * callback asked for it or no reader could be made.
 *
 * Threads: any number of them may read at once, each its own stream.
 */
#ifndef FXT_READ_H
#define FXT_READ_H

#include <stddef.h>
#include <stdio.h>

#include <fxt/reader.h>

FXT_BEGIN_DECLS

/* The file at `path`, which may be anything that can be read from its start to its end,
 * such as a pipe. */
FXT_API enum fxt_code fxt_read_path(const struct fxt_reader_options *options,
                                    const char *path);

/* The rest of an open file, which stays open. */
FXT_API enum fxt_code fxt_read_fd(const struct fxt_reader_options *options, int fd);

/* The same for a stream of the C library, such as stdin. It must have been opened for
 * binary data where there is a difference. */
FXT_API enum fxt_code fxt_read_file(const struct fxt_reader_options *options, FILE *file);

/* `size` bytes at `data`. */
FXT_API enum fxt_code fxt_read_memory(const struct fxt_reader_options *options,
                                      const void *data, size_t size);

FXT_END_DECLS

#endif
