/* SPDX-License-Identifier: BSD-2-Clause */
/* See resync.h. */
#include "resync.h"

#include "plausible.h"

void resync_start(struct fxt_reader *r, const struct fxt_error *error)
{
    r->pending = *error;
    r->state = READER_SEARCHING;
}

/* Whether a record may start, or the data may end, `n_bytes` after the chunk's position.
 * A zero word alone is weak evidence, since records are full of them: the word after it
 * is then checked in the same way. If the result is no, the first word is stored. */
static enum resync_verdict leads_on(const struct fxt_reader *r,
                                    const struct fxt_chunk *chunk, uint64_t n_bytes,
                                    uint64_t *word, bool last)
{
    for (int n_zeros = 0; n_zeros < 2; n_zeros++) {
        uint64_t next;

        /* Less than a word can only be the end. */
        if (reader_left(chunk) - n_bytes < FXT_WORD_BYTES)
            return last ? RESYNC_YES : RESYNC_UNDECIDED;
        next = reader_load(r, reader_at(chunk) + n_bytes);
        if (n_zeros == 0)
            *word = next;
        if (next != 0)
            return plausible_header(next, r->max_words) ? RESYNC_YES : RESYNC_NO;
        n_bytes += FXT_WORD_BYTES;
    }
    return RESYNC_YES;
}

/* A section, and an event of a provider, are single words that other data may well look
 * like: they count only for providers that were introduced. */
static bool is_likely(const struct fxt_reader *r, const struct fxt_record *record)
{
    uint32_t id = record->metadata.provider_id;

    if (record->type != FXT_RECORD_METADATA ||
        (record->kind != FXT_METADATA_PROVIDER_SECTION &&
         record->kind != FXT_METADATA_PROVIDER_EVENT))
        return true;
    return id != 0 && providers_knows(&r->providers, id);
}

/* Whether the record just decoded has nothing unusual at all. */
static bool is_flawless(const struct fxt_reader *r)
{
    const struct decode_result *decoded = &r->decoder.result;

    return decoded->fault == FXT_OK && decoded->n_surplus == 0 &&
           decoded->unknown == FXT_OK && decoded->n_unknown_args == 0 &&
           is_likely(r, &r->decoder.record);
}

/* Decoding may leave what it found of the record before if this one is plain. */
static void forget_result(struct fxt_reader *r)
{
    r->decoder.result = (struct decode_result){0};
}

/* Whether there is a plausible header `at` bytes after the chunk's position; its size in
 * words is stored. There must be a word. */
static bool is_header(const struct fxt_reader *r, const struct fxt_chunk *chunk,
                      uint64_t at, uint64_t *header, uint64_t *n_words)
{
    *header = reader_load(r, reader_at(chunk) + at);
    *n_words = decode_n_words(*header);
    return plausible_header(*header, r->max_words);
}

/* Whether what has this header, `at` bytes after the chunk's position and wholly in the
 * chunk, is credible as a record. */
static enum resync_verdict is_record(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                     uint64_t at, uint64_t header, uint64_t n_words,
                                     bool last)
{
    if (!decode_record(&r->decoder, reader_at(chunk) + at, header, n_words, r->swapped) &&
        !is_flawless(r))
        return RESYNC_NO;
    return leads_on(r, chunk, at + n_words * FXT_WORD_BYTES, &header, last);
}

/* The same for a record that disproves the size of another one. Its header must hold more
 * than a size and a type, as many small numbers look like those. Only a large blob has
 * its fields in the words after the header. */
static enum resync_verdict is_distinct(struct fxt_reader *r,
                                       const struct fxt_chunk *chunk, uint64_t at,
                                       uint64_t header, uint64_t n_words, bool last)
{
    if (FXT_GET(header, RECORD_TYPE) != FXT_RECORD_LARGE && header >> 16 == 0)
        return RESYNC_NO;
    return is_record(r, chunk, at, header, n_words, last);
}

/* Whether two records in a row start `at` bytes after the chunk's place and end before
 * `end` or there. What may be an argument does not count: newer records have them, too.
 */
static bool are_records(struct fxt_reader *r, const struct fxt_chunk *chunk, uint64_t at,
                        uint64_t end, bool last)
{
    for (int i = 0; i < 2; i++) {
        uint64_t header;
        uint64_t n_words;

        if (at == end || !is_header(r, chunk, at, &header, &n_words) ||
            n_words > (end - at) / FXT_WORD_BYTES || plausible_arg_header(header) ||
            is_distinct(r, chunk, at, header, n_words, last) != RESYNC_YES)
            return false;
        at += n_words * FXT_WORD_BYTES;
    }
    return true;
}

/* Whether there are records inside the one of `size` bytes at the chunk's position. The
 * position of the first ones is kept: if the size is not trusted, the next record may
 * reach as far, and what is before that position need not be searched again. So each word
 * is searched once, however the records overlap. */
static bool holds_records(struct fxt_reader *r, const struct fxt_chunk *chunk,
                          uint64_t size, bool last)
{
    uint64_t at = FXT_WORD_BYTES;

    if (r->searched_to > r->offset + at)
        at = r->searched_to - r->offset;
    while (at < size && !are_records(r, chunk, at, size, last))
        at += FXT_WORD_BYTES;
    r->searched_to = r->offset + at;
    return at < size;
}

/* Whether a sound record of any kind follows `at` bytes after the chunk's position: in a
 * stream without damage one always does. Many words look like the header of a record
 * newer than this library, so several records of such kinds must lead to each other. */
static enum resync_verdict goes_on(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                   uint64_t at, bool last)
{
    for (int i = 0; i < RESYNC_NEWER_MAX; i++) {
        uint64_t header = 0;
        uint64_t n_words;
        enum resync_verdict verdict = leads_on(r, chunk, at, &header, last);

        r->needed = at + RESYNC_PEEK_BYTES;
        if (verdict != RESYNC_NO)
            return verdict;
        n_words = header != 0 ? decode_n_words(header) : 1;
        if (n_words == 0 || n_words > r->max_words)
            return RESYNC_NO;
        /* Too far to look. */
        if (n_words > FXT_RECORD_WORDS_MAX)
            return RESYNC_YES;
        if (n_words > (reader_left(chunk) - at) / FXT_WORD_BYTES) {
            r->needed = at + n_words * FXT_WORD_BYTES;
            return last ? RESYNC_NO : RESYNC_UNDECIDED;
        }
        if (header != 0 &&
            !decode_record(&r->decoder, reader_at(chunk) + at, header, n_words,
                           r->swapped) &&
            r->decoder.result.fault != FXT_OK)
            return RESYNC_NO;
        at += n_words * FXT_WORD_BYTES;
    }
    return RESYNC_YES;
}

enum resync_verdict resync_judge(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                 bool last)
{
    const struct decode_result *decoded = &r->decoder.result;
    const struct fxt_record *record = &r->decoder.record;
    const uint64_t header = record->header;
    const uint64_t size = record->size;
    enum resync_verdict verdict;
    uint64_t word;

    if (decoded->fault == FXT_OK && !record->unknown && decoded->n_surplus == 0)
        return RESYNC_YES;
    r->needed = size + RESYNC_PEEK_BYTES;
    if (decoded->fault == FXT_OK) {
        verdict = goes_on(r, chunk, size, last);
    } else {
        verdict = leads_on(r, chunk, size, &word, last);
        if (verdict == RESYNC_YES && holds_records(r, chunk, size, last))
            verdict = RESYNC_NO;
    }
    forget_result(r);
    decode_record(&r->decoder, reader_at(chunk), header, size / FXT_WORD_BYTES,
                  r->swapped);
    return verdict;
}

bool resync_keeps_fields(const struct fxt_reader *r)
{
    const struct fxt_record *record = &r->decoder.record;
    uint64_t n_words = record->size / FXT_WORD_BYTES - r->decoder.result.n_surplus;
    uint64_t header = record->header;

    if (record->type == FXT_RECORD_LARGE)
        header =
            (header & ~FXT_PUT(LARGE_WORDS, UINT64_MAX)) | FXT_PUT(LARGE_WORDS, n_words);
    else
        header = (header & ~FXT_PUT(RECORD_WORDS, UINT64_MAX)) |
                 FXT_PUT(RECORD_WORDS, n_words);
    return plausible_header(header, r->max_words);
}

/* Whether there is a credible record at the chunk's position. */
static enum resync_verdict try_place(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                     bool last)
{
    uint64_t header;
    uint64_t n_words;

    if (!is_header(r, chunk, 0, &header, &n_words))
        return RESYNC_NO;
    r->needed = n_words * FXT_WORD_BYTES + RESYNC_PEEK_BYTES;
    if (n_words > reader_left(chunk) / FXT_WORD_BYTES)
        return last ? RESYNC_NO : RESYNC_UNDECIDED;
    r->decoder.tables = &r->providers.current->tables;
    return is_record(r, chunk, 0, header, n_words, last);
}

enum fxt_code resync_search(struct fxt_reader *r, struct fxt_chunk *chunk, bool last)
{
    while (reader_left(chunk) >= FXT_WORD_BYTES) {
        enum resync_verdict verdict = try_place(r, chunk, last);

        if (verdict == RESYNC_UNDECIDED)
            return FXT_NEED_MORE;
        if (verdict == RESYNC_YES) {
            r->state = READER_READING;
            r->pending.skipped = r->offset - r->pending.offset;
            reader_report(r, &r->pending);
            return FXT_OK;
        }
        reader_advance(r, chunk, FXT_WORD_BYTES);
    }
    r->needed = FXT_WORD_BYTES;
    return reader_left(chunk) > 0 ? FXT_NEED_MORE : FXT_OK;
}
