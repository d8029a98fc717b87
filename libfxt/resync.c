/* SPDX-License-Identifier: BSD-2-Clause */
/* See resync.h. */
#include "resync.h"

#include "plausible.h"

void resync_start(struct fxt_reader *r, const struct fxt_error *error)
{
    r->pending = *error;
    r->state = READER_SEARCHING;
}

/* Whether a record may start, or the data may end, `size` bytes behind the chunk's place.
 */
static enum resync_verdict leads_on(const struct fxt_reader *r,
                                    const struct fxt_chunk *chunk, uint64_t size,
                                    bool last)
{
    uint64_t behind = reader_left(chunk) - size;
    uint64_t header;

    if (behind < FXT_WORD_BYTES) {
        if (!last)
            return RESYNC_UNDECIDED;
        return behind == 0 ? RESYNC_YES : RESYNC_NO;
    }
    header = reader_load(r, reader_at(chunk) + size);
    return header == 0 || plausible_header(header, r->max_words) ? RESYNC_YES : RESYNC_NO;
}

enum resync_verdict resync_judge(const struct fxt_reader *r,
                                 const struct fxt_chunk *chunk, bool last)
{
    const struct decode_result *decoded = &r->decoder.result;
    const struct fxt_record *record = &r->decoder.record;

    if (decoded->fault == FXT_OK && !record->unknown && decoded->n_surplus == 0)
        return RESYNC_YES;
    return leads_on(r, chunk, record->size, last);
}

/* A section, and an event of a provider, are single words that other data may well look
 * like: they count only for providers that were introduced. */
static bool is_likely(const struct fxt_reader *r, const struct fxt_record *record)
{
    if (record->type != FXT_RECORD_METADATA ||
        (record->kind != FXT_METADATA_PROVIDER_SECTION &&
         record->kind != FXT_METADATA_PROVIDER_EVENT))
        return true;
    return providers_knows(&r->providers, record->metadata.provider_id);
}

/* Whether the record just decoded has nothing at all that is out of the way. */
static bool is_flawless(const struct fxt_reader *r)
{
    const struct decode_result *decoded = &r->decoder.result;

    return decoded->fault == FXT_OK && decoded->n_surplus == 0 &&
           decoded->unknown == FXT_OK && decoded->n_unknown_args == 0 &&
           is_likely(r, &r->decoder.record);
}

/* Whether there is a record at the chunk's place that can be believed. */
static enum resync_verdict is_record(struct fxt_reader *r, const struct fxt_chunk *chunk,
                                     bool last)
{
    uint64_t header = reader_load(r, reader_at(chunk));
    uint64_t n_words = decode_n_words(header);

    if (!plausible_header(header, r->max_words))
        return RESYNC_NO;
    r->needed = n_words * FXT_WORD_BYTES + FXT_WORD_BYTES;
    if (n_words > reader_left(chunk) / FXT_WORD_BYTES)
        return last ? RESYNC_NO : RESYNC_UNDECIDED;
    if (!decode_record(&r->decoder, reader_at(chunk), header, n_words, r->swapped) &&
        !is_flawless(r))
        return RESYNC_NO;
    return leads_on(r, chunk, n_words * FXT_WORD_BYTES, last);
}

enum fxt_code resync_search(struct fxt_reader *r, struct fxt_chunk *chunk, bool last)
{
    while (reader_left(chunk) >= FXT_WORD_BYTES) {
        enum resync_verdict verdict = is_record(r, chunk, last);

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
