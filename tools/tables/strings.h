/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings of the input, which may be any bytes, as tables have them. */
#ifndef TOOLS_TABLES_STRINGS_H
#define TOOLS_TABLES_STRINGS_H

#include <fxt/types.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

/* The string as valid UTF-8 without a NUL: as it is, or in `room` with U+FFFD for what
 * is not. */
struct string strings_valid(struct fxt_string from, struct text *room);

#endif
