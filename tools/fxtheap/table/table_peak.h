/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what a process's heap was when it was largest, if its table has that; and what
 * its stacks have live, which such a table has as well. */
#ifndef FXTHEAP_TABLE_PEAK_H
#define FXTHEAP_TABLE_PEAK_H

#include <stdbool.h>

#include "common/base/io/file.h"
#include "common/base/text.h"
#include "table_copy.h"

/* `copy` is zeros. Returns false, with the reason added to `why`, if the table cannot be
 * read, if the process does not keep its peak, or if it has new peaks all the time. */
bool table_read_peak(struct file *file, struct table_copy *copy, struct text *why);

/* The bytes that are live. Returns false for a table that does not keep that. */
bool table_read_total(struct file *file, uint64_t *bytes);

/* Reads what each stack has live, and no single blocks, from a table for which that is
 * not so. `copy` is zeros. */
bool table_read_live(struct file *file, struct table_copy *copy, struct text *why);

#endif
