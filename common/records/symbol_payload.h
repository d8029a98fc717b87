/* SPDX-License-Identifier: BSD-2-Clause */
/* The payloads of records of symbols (docs/symbol-records.md): entries, and then strings.
 * They may be anything. */
#ifndef RECORDS_SYMBOL_PAYLOAD_H
#define RECORDS_SYMBOL_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <fxt/format.h>
#include <fxt/record.h>

#include "common/base/string_table.h"
#include "record_args.h"

/* The version of the records that is known. */
enum { SYMBOL_RECORD_VERSION = 1 };

/* The words of an entry that names a function, of which earlier writers leave out the
 * last one; a later writer may add more. */
enum symbol_function_word {
    SYMBOL_FUNCTION_ADDRESS,
    SYMBOL_FUNCTION_SIZE,
    SYMBOL_FUNCTION_TIME,
    SYMBOL_FUNCTION_NAME,
    SYMBOL_FUNCTION_WORDS,
    SYMBOL_FUNCTION_HOME = SYMBOL_FUNCTION_WORDS
};

struct symbol_payload {
    const unsigned char *entries;
    uint64_t n;
    uint64_t entry_words;
    const unsigned char *strings;
    uint64_t n_string_bytes;
};

/* Whether a record has symbols of a kind: "functions" or "lines". */
static inline bool symbol_payload_is_of(const struct fxt_record *record, const char *kind)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           blob->format == FXT_LARGE_BLOB_METADATA &&
           fxt_string_is(blob->category, "symbols") && fxt_string_is(blob->name, kind);
}

/* Finds the entries, of which each has so many words at least. Returns false if the
 * payload is too small for those that the arguments state. */
static inline bool symbol_payload_find(struct symbol_payload *payload,
                                       const struct fxt_record *record,
                                       uint64_t min_words)
{
    const struct fxt_bytes *bytes = &record->large_blob.payload;
    uint64_t n_words = bytes->size / FXT_WORD_BYTES;
    uint64_t n_entry_bytes;

    payload->entry_words = record_find_number(record, "entry_words");
    payload->n = record_find_number(record, "entries");
    if (payload->entry_words < min_words || payload->n > n_words / payload->entry_words)
        return false;
    n_entry_bytes = payload->n * payload->entry_words * FXT_WORD_BYTES;
    payload->entries = (const unsigned char *)bytes->data;
    payload->strings = payload->entries + n_entry_bytes;
    payload->n_string_bytes = bytes->size - n_entry_bytes;
    return true;
}

/* A word of an entry. */
static inline uint64_t symbol_payload_word(const struct symbol_payload *payload,
                                           uint64_t entry, uint64_t word)
{
    return record_word_at(payload->entries, entry * payload->entry_words + word);
}

/* The string that a word of an entry means, which ends at a zero byte, too. Returns false
 * if it is not in the payload. */
static inline bool symbol_payload_string(const struct symbol_payload *payload,
                                         uint64_t word, struct string *string)
{
    uint64_t offset = word & UINT32_MAX;
    uint64_t size = word >> 32;

    if (offset > payload->n_string_bytes || size > payload->n_string_bytes - offset)
        return false;
    string->data = (const char *)payload->strings + offset;
    string->size = size > 0 ? strnlen(string->data, (size_t)size) : 0;
    return true;
}

#endif
