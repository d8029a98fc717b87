/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a process's table, while the process writes it or after it has ended. The table
 * may hold anything: all numbers in it are checked, and what is wrong is an error or a
 * count.
 */
#ifndef FXTHEAP_TABLE_FILE_H
#define FXTHEAP_TABLE_FILE_H

#include <stdbool.h>

#include "common/base/io/file.h"
#include "common/base/text.h"
#include "table_copy.h"

/* Reads the header only. Returns false, with the reason added to `why`, if this is no
 * table, or of a version that is not known. */
bool table_read_head(struct file *file, struct table_head *head, struct text *why);

/* Reads all of it; `copy` is zeros. */
bool table_read(struct file *file, struct table_copy *copy, struct text *why);

/* The same without the blocks. */
bool table_read_stacks(struct file *file, struct table_copy *copy, struct text *why);

#endif
