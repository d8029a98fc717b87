/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: streams that come in chunks, or as the records of a reader. */
#include <string.h>

#include "builder.h"
#include "libfxtprofile/import/regions.h"

/* ---- Beginning --------------------------------------------------------------------- */

static enum fxt_code begin_stream(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile_input input;
    struct fxt_profile *p = b->profile;
    struct fed_stream *f = &p->fed;

    if (!builder_copy_input(&input, (const struct fxt_profile_input *)context) ||
        input.region_size > 0 || input.content > FXT_PROFILE_CONTENT_FXT ||
        p->options.source == FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    if (f->is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, input.name, "a stream is not ended");
    if (p->pipeline.builder.profile.is_of_captures)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, input.name,
                            "captures of stacks and traces cannot be read together");
    builder_start(b);
    *f = (struct fed_stream){.is_open = true,
                             .settings = builder_import_settings(b, &input),
                             .has_cpu = input.has_cpu,
                             .cpu = input.cpu};
    p->input = p->n_inputs++;
    if (input.name != NULL)
        f->name = memory_copy_string(input.name);
    f->stream = (struct stream){
        .settings = &f->settings, .collect = &p->pipeline.collect, .name = f->name};
    p->pipeline.loaded.has_traces = true;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_begin(struct fxt_profile_builder *b,
                                        const struct fxt_profile_input *input)
{
    return builder_call(b, begin_stream, (void *)(uintptr_t)input);
}

/* The CPU of a region is its number among all regions, unless the caller sets it. */
static uint32_t take_cpu(struct fxt_profile *p, bool is_archive)
{
    uint32_t place = PROFILE_NO_CPU;

    if (!is_archive)
        place = p->pipeline.loaded.n_regions++;
    return p->fed.has_cpu ? p->fed.cpu : place;
}

static void start_stream(struct fxt_profile *p, bool is_archive)
{
    struct fed_stream *f = &p->fed;

    stream_start(&f->stream, take_cpu(p, is_archive), is_archive);
    f->is_started = true;
}

/* Returns false if the stream is already fed in the other way. */
static bool choose_feed(struct fed_stream *f, enum feed feed)
{
    if (!f->is_open || (f->feed != FEED_UNKNOWN && f->feed != feed))
        return false;
    f->feed = feed;
    return true;
}

/* ---- Chunks ------------------------------------------------------------------------ */

static void start_reader(struct fxt_profile *p, const struct fxt_chunk *chunk)
{
    struct fed_stream *f = &p->fed;
    bool archive = f->settings.stream == FXT_STREAM_ARCHIVE;

    if (f->settings.stream == FXT_STREAM_AUTO &&
        chunk->size - chunk->pos >= FXT_WORD_BYTES)
        archive = regions_is_magic(&f->settings,
                                   (const unsigned char *)chunk->data + chunk->pos);
    f->reader =
        regions_reader(&f->settings, archive ? FXT_STREAM_ARCHIVE : FXT_STREAM_REGION,
                       stream_take_record, stream_take_error, &f->stream);
    start_stream(p, archive);
}

/* Reads the chunk's records; `finish` if no data follows. */
static enum fxt_code read_or_finish(struct fxt_profile_builder *b,
                                    struct fxt_chunk *chunk, bool finish)
{
    struct fed_stream *f = &b->profile->fed;
    size_t from = chunk->pos;
    enum fxt_code code = FXT_E_SIZE_ZERO;

    if (!f->is_lost) {
        code = finish ? fxt_reader_finish(f->reader, chunk)
                      : fxt_reader_read(f->reader, chunk);
        collect_release(f->stream.collect);
    }
    if (code == FXT_E_SIZE_ZERO) {
        f->is_lost = true;
        f->n_lost += chunk->size - chunk->pos;
        chunk->pos = chunk->size;
    }
    f->n_bytes += chunk->pos - from;
    return code;
}

static bool is_possible_stream(const struct fxt_chunk *chunk)
{
    return chunk != NULL && chunk->pos <= chunk->size &&
           (chunk->data != NULL || chunk->size == 0);
}

static enum fxt_code read_chunk(struct fxt_profile_builder *b, void *context)
{
    struct fxt_chunk *chunk = (struct fxt_chunk *)context;
    struct fed_stream *f = &b->profile->fed;

    if (!is_possible_stream(chunk))
        return FXT_E_INVALID;
    if (!choose_feed(f, FEED_CHUNKS))
        return FXT_E_OUT_OF_ORDER;
    if (f->reader == NULL && chunk->size - chunk->pos < FXT_WORD_BYTES)
        return chunk->size > chunk->pos ? FXT_NEED_MORE : FXT_OK;
    if (f->reader == NULL)
        start_reader(b->profile, chunk);
    return read_or_finish(b, chunk, false);
}

enum fxt_code fxt_profile_builder_read_chunk(struct fxt_profile_builder *b,
                                             struct fxt_chunk *chunk)
{
    return builder_call(b, read_chunk, chunk);
}

uint64_t fxt_profile_builder_needed(const struct fxt_profile_builder *b)
{
    if (b->profile == NULL || b->profile->fed.reader == NULL)
        return FXT_WORD_BYTES;
    return fxt_reader_needed(b->profile->fed.reader);
}

/* ---- Records ----------------------------------------------------------------------- */

static bool is_magic(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA && !record->unknown &&
           record->kind == FXT_METADATA_TRACE_INFO;
}

static enum fxt_code add_record(struct fxt_profile_builder *b, void *context)
{
    const struct fxt_record *record = (const struct fxt_record *)context;
    struct fed_stream *f = &b->profile->fed;

    if (record == NULL || record->provider == NULL)
        return FXT_E_INVALID;
    if (!choose_feed(f, FEED_RECORDS))
        return FXT_E_OUT_OF_ORDER;
    if (!f->is_started)
        start_stream(b->profile, f->settings.stream == FXT_STREAM_AUTO
                                     ? is_magic(record)
                                     : f->settings.stream == FXT_STREAM_ARCHIVE);
    stream_take_record(&f->stream, record);
    collect_release(f->stream.collect);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_add_record(struct fxt_profile_builder *b,
                                             const struct fxt_record *record)
{
    return builder_call(b, add_record, (void *)(uintptr_t)record);
}

/* ---- The end ----------------------------------------------------------------------- */

static enum fxt_code end_stream(struct fxt_profile_builder *b, void *context)
{
    struct fxt_chunk nothing = {NULL, 0, 0};
    struct fxt_chunk *chunk = context != NULL ? (struct fxt_chunk *)context : &nothing;
    struct fed_stream *f = &b->profile->fed;
    enum fxt_code code = FXT_OK;

    if (!is_possible_stream(chunk) || (f->feed == FEED_RECORDS && context != NULL))
        return FXT_E_INVALID;
    if (!f->is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "no stream was begun");
    if (f->feed != FEED_RECORDS && f->reader == NULL)
        start_reader(b->profile, chunk);
    if (f->feed == FEED_RECORDS && !f->is_started)
        start_stream(b->profile, f->settings.stream == FXT_STREAM_ARCHIVE);
    if (f->reader != NULL)
        code = read_or_finish(b, chunk, true);
    stream_end(&f->stream, f->n_bytes, f->n_lost);
    b->profile->pipeline.loaded.n_errors += f->stream.n_errors;
    fxt_reader_destroy(f->reader);
    memory_release(f->name);
    *f = (struct fed_stream){.is_open = false};
    return code;
}

enum fxt_code fxt_profile_builder_end(struct fxt_profile_builder *b,
                                      struct fxt_chunk *chunk)
{
    return builder_call(b, end_stream, chunk);
}
