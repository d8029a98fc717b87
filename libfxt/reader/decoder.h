/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of decoding one record, which decode.c and the files that it uses share. */
#ifndef LIBFXT_READER_DECODER_H
#define LIBFXT_READER_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "cursor.h"
#include "tables.h"

/* What decoding found, beside the record. */
struct decode_result {
    /* FXT_OK, or the code of the fault, and the byte of the record where it is. */
    enum fxt_code fault;
    uint64_t byte;
    /* How many words were left after the record's last field. The format grows that way,
     * so it is no fault. */
    uint64_t n_surplus;
    /* FXT_OK, or FXT_E_UNKNOWN_*: what about the record is newer than us, and its number.
     */
    enum fxt_code unknown;
    uint64_t unknown_value;
    /* How many arguments are of unknown types; the first one's type, and its byte. */
    uint32_t n_unknown_args;
    uint32_t unknown_arg_type;
    uint64_t unknown_arg_byte;
    /* The first index of a string, and of a thread, that is not registered, and the byte
     * where the word starts that has it; else 0. */
    uint32_t unknown_string;
    uint32_t unknown_thread;
    uint64_t unknown_string_byte;
    uint64_t unknown_thread_byte;
    /* How many bytes are left over past the last whole word of a kernel sample's payload,
     * and where they start. */
    uint64_t n_left_over;
    uint64_t left_over_byte;
};

/* Nothing found yet. */
static inline void decode_result_start(struct decode_result *result)
{
    result->fault = FXT_OK;
    result->byte = 0;
    result->n_surplus = 0;
    result->unknown = FXT_OK;
    result->n_unknown_args = 0;
    result->unknown_string = 0;
    result->unknown_thread = 0;
    result->n_left_over = 0;
}

/* What decoding fills in, and what it works with. It starts out as zeros. */
struct decoder {
    struct fxt_record record;
    struct decode_result result;

    /* What references mean; the caller's to set. */
    const struct tables *tables;
    /* The word that has the references being taken. */
    uint64_t refs_pos;
    /* The record's size, and the place in it. */
    uint64_t n_words;
    struct cursor c;
    /* Room that the record points into. */
    struct fxt_arg args[FXT_ARGS_MAX];
    /* Copies of the words that are read twice, and one flag bit for each word copied. */
    uint64_t words[FXT_RECORD_WORDS_MAX];
    uint64_t is_copied[FXT_RECORD_WORDS_MAX / 64 + 1];
};

/* For decode.c: userspace objects; and profiler records, which are modules, mappings and
 * backtraces. */
void decode_userspace_object(struct decoder *d, uint64_t header);
void decode_profiler(struct decoder *d, uint64_t header);

#endif
