/* SPDX-License-Identifier: BSD-2-Clause */
/* See resync.h. */
#include "resync.h"

#include "plausible.h"

void resync_start(struct fxt_reader *r, const struct fxt_error *error)
{
    r->pending = *error;
    r->state = READER_SEARCHING;
}

/* Whether a record may start, or the data may end, `n_bytes` behind the chunk's place. A
 * zero word alone says little, since records are full of them: what comes behind it is
 * then asked the same. Where the answer is no, the first word is stored. */
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

/* The same where records may be newer than this library, behind others that are or that
 * have more fields than it knows: many a word looks like the header of such a record, so
 * that several must lead to each other. */
static enum resync_verdict leads_on_newer(struct fxt_reader *r,
                                          const struct fxt_chunk *chunk, uint64_t n_bytes,
                                          bool last)
{
    for (int n_newer = 0; n_newer < RESYNC_NEWER_MAX; n_newer++) {
        uint64_t word = 0;
        uint64_t size;
        enum resync_verdict verdict = leads_on(r, chunk, n_bytes, &word, last);

        r->needed = n_bytes + RESYNC_PEEK_BYTES;
        if (verdict != RESYNC_NO)
            return verdict;
        if (!plausible_newer_header(word, r->max_words))
            return RESYNC_NO;
        /* How far these reach would be too far to look. */
        if (FXT_GET(word, RECORD_TYPE) == FXT_RECORD_LARGE)
            return RESYNC_YES;
        size = decode_n_words(word) * FXT_WORD_BYTES;
        if (size > reader_left(chunk) - n_bytes) {
            r->needed = n_bytes + size;
            return last ? RESYNC_NO : RESYNC_UNDECIDED;
        }
        n_bytes += size;
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

/* Whether the record just decoded has nothing at all that is out of the way. */
static bool is_flawless(const struct fxt_reader *r)
{
    const struct decode_result *decoded = &r->decoder.result;

    return decoded->fault == FXT_OK && decoded->n_surplus == 0 &&
           decoded->unknown == FXT_OK && decoded->n_unknown_args == 0 &&
           is_likely(r, &r->decoder.record);
}

/* Whether a plausible header stands `at` bytes behind the chunk's place; its size in
 * words is stored. There must be a word. */
static bool is_header(const struct fxt_reader *r, const struct fxt_chunk *chunk,
                      uint64_t at, uint64_t *header, uint64_t *n_words)
{
    *header = reader_load(r, reader_at(chunk) + at);
    *n_words = decode_n_words(*header);
    return plausible_header(*header, r->max_words);
}

/* Whether what has this header, `at` bytes behind the chunk's place and all in the chunk,
 * can be believed to be a record. */
static enum resync_verdict is_record(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                     uint64_t at, uint64_t header, uint64_t n_words,
                                     bool last)
{
    if (!decode_record(&r->decoder, reader_at(chunk) + at, header, n_words, r->swapped) &&
        !is_flawless(r))
        return RESYNC_NO;
    return leads_on(r, chunk, at + n_words * FXT_WORD_BYTES, &header, last);
}

/* Whether so many records follow each other from `at` to `end` bytes behind the chunk's
 * place. */
static bool is_run(struct fxt_reader *r, const struct fxt_chunk *chunk, uint64_t at,
                   uint64_t end, int n_records, bool last)
{
    for (int i = 0; i < n_records; i++) {
        uint64_t header;
        uint64_t n_words;

        if (at == end || !is_header(r, chunk, at, &header, &n_words) ||
            n_words > (end - at) / FXT_WORD_BYTES ||
            is_record(r, chunk, at, header, n_words, last) != RESYNC_YES)
            return false;
        at += n_words * FXT_WORD_BYTES;
    }
    return true;
}

/* Whether there are whole records inside the one at the chunk's place, from `at` to its
 * end: so many in a row. The one that was decoded there is decoded again. */
static bool holds_records(struct fxt_reader *r, const struct fxt_chunk *chunk,
                          uint64_t at, int n_records, bool last)
{
    const uint64_t size = r->decoder.record.size;
    const uint64_t header = r->decoder.record.header;
    bool found = false;

    for (; at < size && !found; at += FXT_WORD_BYTES)
        found = is_run(r, chunk, at, size, n_records, last);
    decode_record(&r->decoder, reader_at(chunk), header, size / FXT_WORD_BYTES,
                  r->swapped);
    return found;
}

/* Where in the record just decoded the words begin that nothing speaks for: behind its
 * last known field, or behind its header. */
static uint64_t doubtful_part(const struct fxt_reader *r)
{
    const struct fxt_record *record = &r->decoder.record;

    if (r->decoder.result.fault != FXT_OK)
        return FXT_WORD_BYTES;
    if (record->unknown)
        return record->size - record->body.count * FXT_WORD_BYTES;
    return record->size - r->decoder.result.n_surplus * FXT_WORD_BYTES;
}

enum resync_verdict resync_judge(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                 bool last)
{
    const struct decode_result *decoded = &r->decoder.result;
    const struct fxt_record *record = &r->decoder.record;
    enum resync_verdict verdict;
    uint64_t doubtful = doubtful_part(r);
    uint64_t header;
    uint64_t n_words;
    int n_records = 1;

    r->needed = record->size + RESYNC_PEEK_BYTES;
    if (decoded->fault == FXT_OK && !record->unknown) {
        if (decoded->n_surplus == 0)
            return RESYNC_YES;
        /* Surplus words that begin like a record, though it may reach beyond them. */
        if (is_header(r, chunk, doubtful, &header, &n_words))
            return RESYNC_NO;
    }
    if (decoded->fault == FXT_OK)
        verdict = leads_on_newer(r, chunk, record->size, last);
    else
        verdict = leads_on(r, chunk, record->size, &header, last);
    if (verdict != RESYNC_YES)
        return verdict;
    /* A sound header with a fault behind it speaks for its size, and arguments can look
     * like records: more must speak against it. */
    if (decoded->fault != FXT_OK && plausible_header(record->header, r->max_words))
        n_records = 2;
    return holds_records(r, chunk, doubtful, n_records, last) ? RESYNC_NO : RESYNC_YES;
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

/* Whether there is a record at the chunk's place that can be believed. */
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
