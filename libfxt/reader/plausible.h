/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a word looks like the header of a record that a careful writer wrote: a known
 * type and kind, a size that can hold what the header promises, and no bit set that the
 * format leaves unused. Only for resynchronizing after damage; without damage the reader
 * accepts far more.
 */
#ifndef LIBFXT_READER_PLAUSIBLE_H
#define LIBFXT_READER_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

bool plausible_header(uint64_t header, uint64_t max_words);

/* Whether a word looks like the header of an argument of one of the types that records
 * can be mistaken for, with no bit set that arguments leave unused. */
bool plausible_arg_header(uint64_t header);

#endif
