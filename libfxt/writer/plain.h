/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the records that come by the million in few steps. */
#ifndef LIBFXT_WRITER_PLAIN_H
#define LIBFXT_WRITER_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "assign_refs.h"

/* The room for a record before its size is known: more than its strings, and twice as
 * many words as it has arguments. */
enum { PLAIN_WORDS = ASSIGN_REFS_WORDS + 64 };

/*
 * Writes an event or a context switch whose strings and thread are registered or to be
 * inline. Its arguments were checked; `words` has room for PLAIN_WORDS. Returns how many
 * words in this machine's byte order it is: the same ones as those of assign_refs() and
 * encode_record(), or 0 if these are needed, to register something, to write what is
 * rare, or to refuse the record.
 */
uint64_t plain_write(struct ref_assigner *r, const struct fxt_record *record,
                     uint64_t *words);

#endif
