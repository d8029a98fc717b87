/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's life and its calls; the reading itself is in framing.c. */
#include <fxt/reader.h>

#include "framing.h"
#include "libfxt/options.h"
#include "providers.h"
#include "reader_state.h"

static void start_stream(struct fxt_reader *r)
{
    r->state = READER_STARTING;
    r->stream = r->options.stream;
    r->byte_order = r->options.byte_order;
    r->swapped = false;
    r->offset = 0;
    r->needed = 0;
    r->skip_left = 0;
    r->searched_to = 0;
    r->tail_reported = false;
    r->stop = false;
}

/* Copies the options that a caller of this or another version passes, with defaults for
 * what it leaves zero. */
static bool take_options(struct fxt_reader_options *to,
                         const struct fxt_reader_options *from)
{
    if (!options_copy(to, sizeof(*to), from))
        return false;
    if (to->max_record_bytes == 0)
        to->max_record_bytes = FXT_DEFAULT_MAX_RECORD_BYTES;
    if (to->max_kept_bytes == 0)
        to->max_kept_bytes = FXT_DEFAULT_MAX_KEPT_BYTES;
    if (to->ticks_per_second == 0)
        to->ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND;
    return (uint32_t)to->stream <= FXT_STREAM_ARCHIVE &&
           (uint32_t)to->byte_order <= FXT_BYTE_ORDER_BIG;
}

enum fxt_code fxt_reader_create(const struct fxt_reader_options *options,
                                struct fxt_reader **reader)
{
    struct fxt_reader_options taken;
    struct memory memory;
    struct fxt_reader *r;

    *reader = NULL;
    if (!take_options(&taken, options))
        return FXT_E_INVALID;
    memory = memory_make(taken.resize, taken.resize_context, UINT64_MAX);
    r = (struct fxt_reader *)memory_zeroed(&memory, sizeof(*r));
    if (r == NULL)
        return FXT_E_NO_MEMORY;
    r->options = taken;
    r->max_words = taken.max_record_bytes / FXT_WORD_BYTES;
    r->memory = memory_make(taken.resize, taken.resize_context, taken.max_kept_bytes);
    providers_init(&r->providers, &r->memory, taken.ticks_per_second);
    start_stream(r);
    *reader = r;
    return FXT_OK;
}

void fxt_reader_destroy(struct fxt_reader *r)
{
    struct memory memory;

    if (r == NULL || r->busy)
        return;
    read_file_close(r->file);
    providers_free(&r->providers);
    memory = memory_make(r->options.resize, r->options.resize_context, UINT64_MAX);
    memory.used = sizeof(*r);
    memory_free(&memory, r, sizeof(*r));
}

enum fxt_code fxt_reader_reset(struct fxt_reader *r)
{
    if (r->busy)
        return FXT_E_BUSY;
    read_file_close(r->file);
    r->file = NULL;
    r->path = NULL;
    providers_reset(&r->providers);
    start_stream(r);
    return FXT_OK;
}

static bool is_possible(const struct fxt_chunk *chunk)
{
    return chunk->pos <= chunk->size && (chunk->data != NULL || chunk->size == 0);
}

enum fxt_code fxt_reader_read(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    if (r->busy)
        return FXT_E_BUSY;
    if (!is_possible(chunk))
        return FXT_E_INVALID;
    return framing_run(r, chunk, false);
}

enum fxt_code fxt_reader_next(struct fxt_reader *r, struct fxt_chunk *chunk,
                              const struct fxt_record **record)
{
    enum fxt_code code;

    *record = NULL;
    if (r->busy)
        return FXT_E_BUSY;
    if (chunk == NULL)
        return read_file_next(r, record);
    if (!is_possible(chunk))
        return FXT_E_INVALID;
    code = framing_next(r, chunk);
    *record = r->pulled;
    return code;
}

enum fxt_code fxt_reader_finish(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    struct fxt_chunk none = {NULL, 0, 0};
    enum fxt_code code;
    bool more = true;

    if (chunk == NULL)
        chunk = &none;
    if (r->busy)
        return FXT_E_BUSY;
    if (!is_possible(chunk))
        return FXT_E_INVALID;
    while (more) {
        code = framing_run(r, chunk, true);
        if (code == FXT_STOPPED || code == FXT_E_SIZE_ZERO)
            return code;
        r->busy = true;
        more = framing_finish(r, chunk);
        r->busy = false;
        if (r->stop) {
            r->stop = false;
            return FXT_STOPPED;
        }
    }
    return FXT_OK;
}

uint64_t fxt_reader_needed(const struct fxt_reader *r)
{
    return r->needed;
}

uint64_t fxt_reader_offset(const struct fxt_reader *r)
{
    return r->offset;
}

enum fxt_stream fxt_reader_stream(const struct fxt_reader *r)
{
    return r->stream;
}

enum fxt_byte_order fxt_reader_byte_order(const struct fxt_reader *r)
{
    return r->byte_order;
}
