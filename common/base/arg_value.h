/* SPDX-License-Identifier: BSD-2-Clause */
/* The value of an argument of an event as text. */
#ifndef COMMON_ARG_VALUE_H
#define COMMON_ARG_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Adds a value of a type of enum fxt_arg_type: a number, "true", "null", the bytes of a
 * string as they are, and those of a blob in hex. `number` is sign-extended, or the bits
 * of a double. */
void arg_value_add(struct text *text, unsigned type, uint64_t number, const char *bytes,
                   size_t size);

#endif
