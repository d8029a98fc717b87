/* SPDX-License-Identifier: BSD-2-Clause */
/* What records of this project's programs have in common: numbers by their names, and the
 * words in payloads of blobs. */
#ifndef RECORDS_RECORD_ARGS_H
#define RECORDS_RECORD_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <fxt/format.h>
#include <fxt/record.h>

/* A number among the arguments; 0 if it is not there. */
static inline uint64_t record_find_number(const struct fxt_record *record,
                                          const char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, name);

    if (arg != NULL && arg->type == FXT_ARG_UINT32)
        return arg->value.uint32;
    if (arg != NULL && arg->type == FXT_ARG_UINT64)
        return arg->value.uint64;
    return 0;
}

/* Whether there is an argument that is true. */
static inline bool record_is_true(const struct fxt_record *record, const char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, name);

    return arg != NULL && arg->type == FXT_ARG_BOOL && arg->value.boolean;
}

/* A word of a payload. Payloads are little-endian in any trace, at any address. */
static inline uint64_t record_word_at(const unsigned char *payload, uint64_t index)
{
    const unsigned char *bytes = payload + index * FXT_WORD_BYTES;
    uint64_t word = 0;

    for (int i = FXT_WORD_BYTES - 1; i >= 0; i--)
        word = word << 8 | bytes[i];
    return word;
}

#endif
