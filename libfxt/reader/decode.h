/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes one record's words to a struct fxt_record. A pure function of the words and of
 * the tables that its references index: it changes no state of the stream, allocates
 * nothing and makes no callbacks.
 */
#ifndef LIBFXT_READER_DECODE_H
#define LIBFXT_READER_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder.h"

/* The size in words that a header gives; 0 if the header is malformed. */
static inline uint64_t decode_n_words(uint64_t header)
{
    if (FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE)
        return FXT_GET(header, LARGE_WORDS);
    return FXT_GET(header, RECORD_WORDS);
}

/*
 * Decodes the record of `n_words` words at `data`, whose word 0 was loaded by the caller,
 * is `header`, and is not loaded again. All of `record` is filled in but its offset and
 * its provider. On a fault the record's fields are undefined, but for its size, type and
 * header.
 *
 * Returns true if the record is plain: whole, exact, nothing in it unknown, and nothing
 * in it that changes the state of the stream. `result` is then not needed, and may not
 * have been written.
 */
bool decode_record(struct decoder *d, const void *data, uint64_t header, uint64_t n_words,
                   bool swapped);

#endif
