/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables from files: .eh_frame, by its section or by its program header, and
 * .debug_frame, which may be compressed, or in .gnu_debugdata. Memory other than the
 * table's comes from common/base/memory.h, so that a memory_run must surround the call.
 */
#ifndef FXTUNWIND_UNWIND_FILE_H
#define FXTUNWIND_UNWIND_FILE_H

#include "common/base/io/file.h"
#include "unwind_table.h"

/* A table whose memory comes from common/base/memory.h. */
extern const struct unwind_allocator unwind_base_allocator;

/*
 * Makes the table of an ELF file. A file without .eh_frame and .debug_frame is no
 * failure: the table has no rows. On failure adds a message to `why`, which may be NULL.
 */
enum unwind_code unwind_file_read(struct unwind_table *table, struct file *file,
                                  const struct unwind_allocator *allocator,
                                  struct text *why);

/* The same of the code at these addresses only: a table cannot have addresses that are
 * more than 4 GiB apart, such as a kernel's and those of a program that is linked into
 * it. */
enum unwind_code unwind_file_read_range(struct unwind_table *table, struct file *file,
                                        const struct unwind_range *range,
                                        const struct unwind_allocator *allocator,
                                        struct text *why);

#endif
