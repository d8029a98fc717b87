/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions may leave blocks: the patterns of a file. */
#ifndef FXTHEAP_SUPPRESSIONS_H
#define FXTHEAP_SUPPRESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <fxt/record.h>

#include "common/base/text.h"

struct suppressions {
    char **patterns;
    size_t n;
    size_t capacity;
};

/*
 * Reads a file: on each line a pattern (common/base/glob.h) that must match a function's
 * whole name; empty lines and those that start with # do not count. leak:TEXT, as
 * LeakSanitizer has it, matches a name that contains TEXT. Returns false, with the reason
 * added to `why`, on failure.
 */
bool suppressions_read(struct suppressions *suppressions, const char *name,
                       struct text *why);

bool suppressions_match(const struct suppressions *suppressions, struct fxt_string name);

#endif
