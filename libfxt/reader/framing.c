/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See framing.h. Decoding a record is decode.c's task, what becomes of one that is not
 * plain judge.c's, its effect on the stream's state apply.c's, finding the next record
 * after damage resync.c's; this file puts them in sequence.
 */
#include "framing.h"

#include "decode.h"
#include "providers.h"
#include "resync.h"

/* How far ahead of the current record memory is prefetched, and how much at least and at
 * most for one record. */
enum {
    PREFETCH_BYTES = 2048,
    PREFETCH_LINE_BYTES = 64,
    PREFETCH_MIN_BYTES = 512,
    PREFETCH_MAX_BYTES = 2048
};

/* Reports the pending fault, which ends here, and resumes reading. */
static void report_pending(struct fxt_reader *r)
{
    r->state = READER_READING;
    r->pending.skipped = r->offset - r->pending.offset;
    reader_report(r, &r->pending);
}

static enum fxt_code need_bytes(struct fxt_reader *r, uint64_t n_bytes)
{
    r->needed = n_bytes;
    return FXT_NEED_MORE;
}

/* ---- The first word ---------------------------------------------------------------- */

static enum fxt_code start_reading(struct fxt_reader *r, const struct fxt_chunk *chunk)
{
    uint64_t word;
    bool is_magic;

    if (reader_left(chunk) < FXT_WORD_BYTES)
        return need_bytes(r, FXT_WORD_BYTES);
    word = LOAD_WORD(reader_at(chunk));
    if (FXT_HOST_IS_BIG_ENDIAN)
        word = FXT_SWAP64(word);
    if (r->byte_order == FXT_BYTE_ORDER_AUTO)
        r->byte_order = FXT_SWAP64(word) == FXT_MAGIC_RECORD ? FXT_BYTE_ORDER_BIG
                                                             : FXT_BYTE_ORDER_LITTLE;
    if (r->byte_order == FXT_BYTE_ORDER_BIG)
        word = FXT_SWAP64(word);
    r->swapped = r->byte_order != FXT_BYTE_ORDER_HOST;
    is_magic = word == FXT_MAGIC_RECORD;
    if (r->stream == FXT_STREAM_AUTO)
        r->stream = is_magic ? FXT_STREAM_ARCHIVE : FXT_STREAM_REGION;
    r->state = READER_READING;
    return FXT_OK;
}

/* ---- Zero words -------------------------------------------------------------------- */

/* Skips to the next non-zero word and returns it; 0 if there is no whole one. Regions can
 * be much larger than what is in them. */
static uint64_t step_over_zeros(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    const unsigned char *start = reader_at(chunk);
    const unsigned char *end =
        start + reader_left(chunk) / FXT_WORD_BYTES * FXT_WORD_BYTES;
    const unsigned char *at = start;
    uint64_t word = 0;

    for (; at < end; at += FXT_WORD_BYTES) {
        word = LOAD_WORD(at);
        if (word != 0)
            break;
    }
    reader_advance(r, chunk, (uint64_t)(at - start));
    return r->swapped ? FXT_SWAP64(word) : word;
}

/* Skips zero words in an archive, and reports them after the last one. */
static enum fxt_code step_on(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    if (step_over_zeros(r, chunk) != 0)
        report_pending(r);
    else if (reader_left(chunk) > 0)
        return need_bytes(r, FXT_WORD_BYTES);
    return FXT_OK;
}

/* There should be nothing after the end of a region. */
static enum fxt_code read_tail(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    struct fxt_error error = {
        .code = FXT_E_DATA_AFTER_END,
        .severity = r->options.resync ? FXT_ERROR : FXT_WARNING,
        .header = step_over_zeros(r, chunk),
    };

    if (error.header == 0)
        return FXT_END;
    error.offset = r->offset;
    if (r->options.resync) {
        resync_start(r, &error);
        return FXT_OK;
    }
    if (!r->tail_reported) {
        r->tail_reported = true;
        reader_report(r, &error);
    }
    reader_advance(r, chunk, reader_left(chunk) / FXT_WORD_BYTES * FXT_WORD_BYTES);
    return FXT_END;
}

/* ---- Records ----------------------------------------------------------------------- */

/* The start of the next record is unknown. */
static enum fxt_code lose_framing(struct fxt_reader *r, struct fxt_chunk *chunk,
                                  uint64_t header)
{
    struct fxt_error error = reader_error_at(r, FXT_E_SIZE_ZERO, header);

    if (r->options.resync) {
        resync_start(r, &error);
        reader_advance(r, chunk, FXT_WORD_BYTES);
        return FXT_OK;
    }
    error.severity = FXT_FATAL;
    r->state = READER_LOST;
    reader_report(r, &error);
    return FXT_OK;
}

static enum fxt_code start_skipping(struct fxt_reader *r, struct fxt_chunk *chunk,
                                    uint64_t header, uint64_t size)
{
    struct fxt_error error = reader_error_at(r, FXT_E_TOO_LARGE, header);

    error.value = size;
    if (r->options.resync) {
        resync_start(r, &error);
        reader_advance(r, chunk, FXT_WORD_BYTES);
        return FXT_OK;
    }
    apply_unread(&r->providers, header);
    r->pending = error;
    r->skip_left = size;
    r->state = READER_SKIPPING;
    return FXT_OK;
}

/* Skips a record that is too large, and reports it after its end. */
static enum fxt_code skip_bytes(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    uint64_t n_bytes = reader_left(chunk);

    if (n_bytes > r->skip_left)
        n_bytes = r->skip_left;
    reader_advance(r, chunk, n_bytes);
    r->skip_left -= n_bytes;
    if (r->skip_left == 0)
        report_pending(r);
    return FXT_OK;
}

/* A header whose size cannot be a record's. */
static enum fxt_code read_odd_header(struct fxt_reader *r, struct fxt_chunk *chunk,
                                     uint64_t header, uint64_t n_words)
{
    if (n_words > 0)
        return start_skipping(r, chunk, header, n_words * FXT_WORD_BYTES);
    if (header != 0)
        return lose_framing(r, chunk, header);
    if (r->stream == FXT_STREAM_REGION) {
        r->state = READER_ENDED;
    } else {
        r->pending = reader_error_at(r, FXT_E_ZERO_WORDS, 0);
        r->pending.severity = FXT_WARNING;
        r->state = READER_STEPPING;
    }
    reader_advance(r, chunk, FXT_WORD_BYTES);
    return FXT_OK;
}

/*
 * Following sizes from header to header defeats the processor's own prefetching; this
 * hides most of the wait. Where payloads are read, reading them brings the following
 * memory in, and one line a record is enough; where they are not, each line is, since any
 * of them may have a header. How many lines a record has cannot be predicted, so those of
 * nearly all are prefetched without a branch; the next records need the rest.
 */
static FXT_ALWAYS_INLINE void prefetch(const struct fxt_reader *r,
                                       const unsigned char *at, uint64_t left,
                                       uint64_t size)
{
    if (FXT_UNLIKELY(left <= PREFETCH_BYTES + PREFETCH_MAX_BYTES))
        return;
    FXT_PREFETCH(at + PREFETCH_BYTES);
    if (!r->options.payloads_unused)
        return;
    for (uint64_t i = PREFETCH_LINE_BYTES; i < PREFETCH_MIN_BYTES;
         i += PREFETCH_LINE_BYTES)
        FXT_PREFETCH(at + PREFETCH_BYTES + i);
    if (size > PREFETCH_MAX_BYTES)
        size = PREFETCH_MAX_BYTES;
    for (uint64_t i = PREFETCH_MIN_BYTES; i < size; i += PREFETCH_LINE_BYTES)
        FXT_PREFETCH(at + PREFETCH_BYTES + i);
}

/* Reads the record at the place in the chunk, if it is one and is there as a whole. */
static FXT_ALWAYS_INLINE enum fxt_code read_record(struct fxt_reader *r,
                                                   struct fxt_chunk *chunk, bool last)
{
    const unsigned char *at = reader_at(chunk);
    uint64_t left = reader_left(chunk);
    uint64_t header;
    uint64_t n_words;

    if (FXT_UNLIKELY(left < FXT_WORD_BYTES))
        return left > 0 ? need_bytes(r, FXT_WORD_BYTES) : FXT_OK;
    header = reader_load(r, at);
    n_words = decode_n_words(header);
    if (FXT_UNLIKELY(n_words - 1 >= r->max_words))
        return read_odd_header(r, chunk, header, n_words);
    LOAD_FENCE();
    if (FXT_UNLIKELY(n_words > left / FXT_WORD_BYTES))
        return need_bytes(r, n_words * FXT_WORD_BYTES);
    prefetch(r, at, left, n_words * FXT_WORD_BYTES);
    r->decoder.tables = &r->providers.current->tables;
    if (!decode_record(&r->decoder, at, header, n_words, r->swapped))
        return judge_record(r, chunk, last);
    reader_hand_out(r, chunk);
    return FXT_OK;
}

/* Reads records until something else comes up: no whole record, a stop, another state. */
static enum fxt_code read_records(struct fxt_reader *r, struct fxt_chunk *chunk,
                                  bool last)
{
    enum fxt_code code = FXT_OK;

    while (code == FXT_OK && !r->stop && r->state == READER_READING &&
           reader_left(chunk) > 0)
        code = read_record(r, chunk, last);
    return code;
}

/* One step of whatever the reader is about. FXT_OK means that there may be more to do. */
static enum fxt_code read_step(struct fxt_reader *r, struct fxt_chunk *chunk, bool last)
{
    switch (r->state) {
    case READER_STARTING:
        return start_reading(r, chunk);
    case READER_READING:
        return read_records(r, chunk, last);
    case READER_STEPPING:
        return step_on(r, chunk);
    case READER_SKIPPING:
        return skip_bytes(r, chunk);
    case READER_SEARCHING:
        return resync_search(r, chunk, last);
    case READER_ENDED:
        return read_tail(r, chunk);
    case READER_LOST:
        return FXT_E_SIZE_ZERO;
    }
    return FXT_E_INVALID;
}

enum fxt_code framing_run(struct fxt_reader *r, struct fxt_chunk *chunk, bool last)
{
    enum fxt_code code = FXT_OK;

    /* These bytes have been examined, and were too few to decide. A caller that presents
     * them again with only a little more must not make the reader repeat the work. */
    if (!last && reader_left(chunk) > 0 && reader_left(chunk) < r->needed)
        return FXT_NEED_MORE;
    r->busy = true;
    while (code == FXT_OK && !r->stop &&
           (reader_left(chunk) > 0 || r->state == READER_LOST))
        code = read_step(r, chunk, last);
    if (code == FXT_OK && !r->stop && r->state == READER_ENDED)
        code = FXT_END;
    if (r->stop) {
        r->stop = false;
        code = FXT_STOPPED;
    }
    if (code != FXT_NEED_MORE)
        r->needed = 0;
    r->busy = false;
    return code;
}

enum fxt_code framing_next(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    enum fxt_code code = FXT_OK;

    r->pulls = true;
    r->pulled = NULL;
    if (FXT_LIKELY(r->state == READER_READING && r->needed == 0)) {
        r->busy = true;
        code = read_record(r, chunk, false);
        r->busy = false;
    }
    if (FXT_LIKELY(r->pulled != NULL))
        r->stop = false;
    else if (code == FXT_OK)
        code = framing_run(r, chunk, false);
    r->pulls = false;
    return r->pulled != NULL ? FXT_OK : code;
}

/* ---- The end ----------------------------------------------------------------------- */

/* What is left is part of a record, or of a word. */
static void report_truncated(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    struct fxt_error error = reader_error_at(r, FXT_E_TRUNCATED, 0);
    uint64_t left = reader_left(chunk);

    if (left >= FXT_WORD_BYTES) {
        error.header = reader_load(r, reader_at(chunk));
        error.value = decode_n_words(error.header) * FXT_WORD_BYTES;
    }
    error.byte = left;
    if (r->options.resync && left >= FXT_WORD_BYTES) {
        resync_start(r, &error);
        reader_advance(r, chunk, FXT_WORD_BYTES);
        return;
    }
    error.skipped = left;
    reader_advance(r, chunk, left);
    reader_report(r, &error);
}

static void report_tail_bytes(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    struct fxt_error error = reader_error_at(r, FXT_E_DATA_AFTER_END, 0);
    bool clean = true;

    for (; reader_left(chunk) > 0; reader_advance(r, chunk, 1))
        clean = clean && *reader_at(chunk) == 0;
    error.severity = FXT_WARNING;
    if (!clean && !r->tail_reported)
        reader_report(r, &error);
}

bool framing_finish(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    switch (r->state) {
    case READER_STEPPING:
        report_pending(r);
        return true;
    case READER_SKIPPING:
        r->pending.code = FXT_E_TRUNCATED;
        r->pending.byte = r->offset - r->pending.offset;
        report_pending(r);
        break;
    case READER_SEARCHING:
        reader_advance(r, chunk, reader_left(chunk));
        report_pending(r);
        break;
    case READER_ENDED:
        report_tail_bytes(r, chunk);
        break;
    case READER_STARTING:
    case READER_READING:
        if (reader_left(chunk) > 0)
            report_truncated(r, chunk);
        return r->state == READER_SEARCHING;
    case READER_LOST:
        break;
    }
    return false;
}
