/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a struct fxt_record as one record's words: a pure function of the record and of
 * the references assigned to it. It allocates nothing, makes no callbacks, and is
 * independent of decoding.
 */
#ifndef LIBFXT_WRITER_ENCODE_HEADER_H
#define LIBFXT_WRITER_ENCODE_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "encode_refs.h"
#include "word_writer.h"

enum fxt_code encode_check_some_args(const struct fxt_record *record);

/* FXT_OK, or the code for too many arguments. To be called before any argument is
 * read. */
static inline enum fxt_code encode_check_args(const struct fxt_record *record)
{
    return record->n_args == 0 ? FXT_OK : encode_check_some_args(record);
}

/* The words that a large blob may take in addition to its arguments and its payload. */
enum { ENCODE_BLOB_HEAD_WORDS = 8 + 2 * (FXT_STRING_SIZE_CAP / FXT_WORD_BYTES) };

/* How many words encode_record may need for a record whose arguments were checked. */
static inline uint64_t encode_room(const struct fxt_record *record)
{
    if (record->type != FXT_RECORD_LARGE)
        return FXT_RECORD_WORDS_MAX;
    return ENCODE_BLOB_HEAD_WORDS + record->n_args * FXT_MAX(ARG_WORDS);
}

/* What follows the words of a large record that encode_record writes: bytes to be padded,
 * or words in this machine's byte order, or the other if `swapped`, and the bytes that
 * are left over. */
struct encode_rest {
    const void *data;
    uint64_t size;
    bool is_words;
    bool swapped;
};

struct encode_rest encode_large_rest(const struct fxt_record *record);

/* Of size 0 for all records but large ones. */
static inline struct encode_rest encode_rest(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_LARGE)
        return encode_large_rest(record);
    return (struct encode_rest){NULL, 0, false, false};
}

/*
 * Writes a record, of a large one only up to encode_rest(). The word writer must have
 * room for encode_room() words. Returns FXT_OK, or a code if what was written is invalid.
 */
enum fxt_code encode_record(struct word_writer *p, const struct fxt_record *record,
                            const struct encode_refs *refs);

/* Registrations, which must be right and fit. */
void encode_string(struct word_writer *p, uint32_t index, const char *data,
                   uint32_t size);
void encode_thread(struct word_writer *p, uint32_t index, uint64_t process,
                   uint64_t thread);

/* Writes what follows the header of a record of known type and kind, of a large blob up
 * to its payload. Returns the header without the record's type and size. */
uint64_t encode_fields(struct word_writer *p, const struct fxt_record *r,
                       const struct encode_refs *refs);

#endif
