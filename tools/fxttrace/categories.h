/* SPDX-License-Identifier: BSD-2-Clause */
/* The categories of a program that runs. */
#ifndef FXTTRACE_CATEGORIES_H
#define FXTTRACE_CATEGORIES_H

#include "traced.h"

/* Switches all categories by patterns, which also decide about those that come later.
 * Returns false if the program's memory cannot be read or written. */
bool categories_switch(const struct target *target, const struct traced *traced,
                       const char *patterns);

/* Adds the categories that the program has come to, quoted, those that are off with "
 * (off)".
 */
bool categories_list(const struct target *target, const struct traced *traced,
                     struct text *to);

#endif
