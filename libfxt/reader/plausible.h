/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a word looks like the header of a record that a careful writer wrote: a known
 * type and kind, a size that can hold what the header promises, and no bit set that the
 * format leaves unused. Only for finding the way after damage; a reader that is not lost
 * accepts far more.
 */
#ifndef LIBFXT_READER_PLAUSIBLE_H
#define LIBFXT_READER_PLAUSIBLE_H

#include <stdbool.h>
#include <stdint.h>

bool plausible_header(uint64_t header, uint64_t max_words);

/* Whether it may be one of a newer format: its type or kind is none that this library
 * knows, and there is a size. Very many words are like that. */
bool plausible_newer_header(uint64_t header, uint64_t max_words);

#endif
