/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that a reader has opened. */
#ifndef LIBFXT_READER_READ_FILE_H
#define LIBFXT_READER_READ_FILE_H

#include <fxt/reader.h>

struct read_file;

/* The next record of the reader's file, as fxt_reader_next. */
enum fxt_code read_file_next(struct fxt_reader *reader, const struct fxt_record **record);

/* NULL is allowed. */
void read_file_close(struct read_file *file);

#endif
