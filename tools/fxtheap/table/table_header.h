/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the header of a table, of any version, and checks where its parts are. */
#ifndef FXTHEAP_TABLE_HEADER_H
#define FXTHEAP_TABLE_HEADER_H

#include <stdbool.h>

#include "common/base/io/file.h"
#include "common/base/text.h"
#include "libfxtheap/shared/layout.h"
#include "table_copy.h"

/* So many words may precede a stack. */
enum { TABLE_WORDS_BEFORE_MAX = 64 };

/* Returns false, with the reason added to `why`, if this is no table, of a version that
 * is not known, or damaged. */
bool table_read_header(struct file *file, struct heap_header_v1 *header,
                       struct table_head *head, struct text *why);

#endif
