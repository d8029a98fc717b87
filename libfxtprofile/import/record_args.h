/* SPDX-License-Identifier: BSD-2-Clause */
/* What records of this project's programs have in common: arguments by their names, and
 * the words in payloads of blobs. */
#ifndef FXTPROFILE_IMPORT_RECORD_ARGS_H
#define FXTPROFILE_IMPORT_RECORD_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

bool record_text_is(struct fxt_string string, const char *text);

/* The argument of that name, or NULL. */
const struct fxt_arg *record_find_arg(const struct fxt_record *record, const char *name);

/* A number among the arguments; 0 if it is not there. */
uint64_t record_find_number(const struct fxt_record *record, const char *name);

/* A word of a payload. Payloads are little-endian in any trace, at any address. */
uint64_t record_word_at(const unsigned char *payload, uint64_t index);

#endif
