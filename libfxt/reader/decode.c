/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See decode.h. One function per record type, each reading its fields in the order in
 * which the trace format reference lists them; a cursor catches all that does not fit.
 */
#include "decode.h"

#include <fxt/sample.h>

#include "decode_plain.h"
#include "decoder.h"
#include "take.h"

static void decode_metadata(struct decoder *d, uint64_t header)
{
    struct fxt_metadata *m = &d->record.metadata;

    *m = (struct fxt_metadata){.name = {"", 0, 0}};
    d->record.kind = (uint32_t)FXT_GET(header, METADATA_TYPE);
    switch (d->record.kind) {
    case FXT_METADATA_PROVIDER_INFO:
        m->provider_id = (uint32_t)FXT_GET(header, PROVIDER_ID);
        m->name = take_bytes_as_string(d, FXT_GET(header, PROVIDER_NAME_SIZE));
        break;
    case FXT_METADATA_PROVIDER_SECTION:
        m->provider_id = (uint32_t)FXT_GET(header, PROVIDER_ID);
        break;
    case FXT_METADATA_PROVIDER_EVENT:
        m->provider_id = (uint32_t)FXT_GET(header, PROVIDER_ID);
        m->event = (uint32_t)FXT_GET(header, PROVIDER_EVENT);
        if (m->event != FXT_PROVIDER_BUFFER_FULL) {
            d->result.unknown = FXT_E_UNKNOWN_PROVIDER_EVENT;
            d->result.unknown_value = m->event;
        }
        break;
    case FXT_METADATA_TRACE_INFO:
        m->trace_info = (uint32_t)FXT_GET(header, TRACE_INFO_TYPE);
        m->magic = (uint32_t)FXT_GET(header, TRACE_INFO_MAGIC);
        if (m->trace_info != FXT_TRACE_INFO_MAGIC_NUMBER) {
            d->result.unknown = FXT_E_UNKNOWN_TRACE_INFO;
            d->result.unknown_value = m->trace_info;
        } else if (header != FXT_MAGIC_RECORD) {
            cursor_fail(&d->c, FXT_E_MAGIC, 0);
        }
        break;
    default:
        take_unknown(d, FXT_E_UNKNOWN_METADATA, d->record.kind);
    }
}

static void decode_initialization(struct decoder *d)
{
    struct fxt_initialization *init = &d->record.initialization;

    *init = (struct fxt_initialization){.ticks_per_second = cursor_word(&d->c)};
    if (d->c.fault == FXT_OK && init->ticks_per_second == 0)
        cursor_fail(&d->c, FXT_E_TICKS_ZERO, 1);
    if (d->n_words == 4) {
        init->has_base = true;
        init->base_ticks = cursor_word(&d->c);
        init->base_wall_ns = cursor_word(&d->c);
    }
}

static void decode_string(struct decoder *d, uint64_t header)
{
    struct fxt_string_registration *s = &d->record.string;

    s->index = (uint32_t)FXT_GET(header, STRING_INDEX);
    s->value = take_bytes_as_string(d, FXT_GET(header, STRING_SIZE));
}

static void decode_thread(struct decoder *d, uint64_t header)
{
    struct fxt_thread_registration *t = &d->record.thread;

    t->index = (uint32_t)FXT_GET(header, THREAD_INDEX);
    t->process = cursor_word(&d->c);
    t->thread = cursor_word(&d->c);
}

static void decode_event_tail(struct decoder *d, struct fxt_event *e)
{
    uint32_t kind = d->record.kind;
    uint64_t word = 0;

    if (EVENTS_WITH_WORD >> kind & 1)
        word = cursor_word(&d->c);
    set_event_word(e, kind, word);
    if (kind == FXT_EVENT_INSTANT && cursor_left(&d->c) > 0)
        e->scope = cursor_word(&d->c);
    if (kind > FXT_EVENT_FLOW_END)
        take_unknown(d, FXT_E_UNKNOWN_EVENT, kind);
}

static void decode_event(struct decoder *d, uint64_t header)
{
    struct fxt_event *e = &d->record.event;
    struct cursor *c = &d->c;

    d->record.kind = (uint32_t)FXT_GET(header, EVENT_TYPE);
    e->timestamp = cursor_word(c);
    take_thread(d, FXT_GET(header, EVENT_THREAD), &e->thread);
    e->category = take_string(d, FXT_GET(header, EVENT_CATEGORY));
    e->name = take_string(d, FXT_GET(header, EVENT_NAME));
    take_args(d, 0, FXT_GET(header, EVENT_ARGS));
    decode_event_tail(d, e);
}

static void decode_blob(struct decoder *d, uint64_t header)
{
    struct fxt_blob *b = &d->record.blob;

    b->name = take_string(d, FXT_GET(header, BLOB_NAME));
    b->type = (uint32_t)FXT_GET(header, BLOB_TYPE);
    b->payload = take_payload(d, FXT_GET(header, BLOB_SIZE), d->c.pos);
}

static void decode_kernel_object(struct decoder *d, uint64_t header)
{
    struct fxt_kernel_object *o = &d->record.kernel_object;

    o->type = (uint32_t)FXT_GET(header, KERNEL_OBJECT_TYPE);
    o->koid = cursor_word(&d->c);
    o->name = take_string(d, FXT_GET(header, KERNEL_OBJECT_NAME));
    take_args(d, 0, FXT_GET(header, KERNEL_OBJECT_ARGS));
}

static void decode_scheduling(struct decoder *d, uint64_t header)
{
    struct fxt_scheduling *s = &d->record.scheduling;
    struct cursor *c = &d->c;

    *s = (struct fxt_scheduling){0};
    d->record.kind = (uint32_t)FXT_GET(header, SCHEDULING_TYPE);
    switch (d->record.kind) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        s->cpu = (uint32_t)FXT_GET(header, LEGACY_SWITCH_CPU);
        s->outgoing_state = (uint32_t)FXT_GET(header, LEGACY_SWITCH_STATE);
        s->outgoing_priority = (uint32_t)FXT_GET(header, LEGACY_SWITCH_OUTGOING_PRIORITY);
        s->incoming_priority = (uint32_t)FXT_GET(header, LEGACY_SWITCH_INCOMING_PRIORITY);
        s->timestamp = cursor_word(c);
        take_thread(d, FXT_GET(header, LEGACY_SWITCH_OUTGOING), &s->outgoing);
        take_thread(d, FXT_GET(header, LEGACY_SWITCH_INCOMING), &s->incoming);
        break;
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        s->cpu = (uint32_t)FXT_GET(header, CONTEXT_SWITCH_CPU);
        s->outgoing_state = (uint32_t)FXT_GET(header, CONTEXT_SWITCH_STATE);
        s->timestamp = cursor_word(c);
        set_thread(&s->outgoing, FXT_THREAD_REF_INLINE, 0, cursor_word(c));
        set_thread(&s->incoming, FXT_THREAD_REF_INLINE, 0, cursor_word(c));
        take_args(d, 0, FXT_GET(header, CONTEXT_SWITCH_ARGS));
        break;
    case FXT_SCHEDULING_THREAD_WAKEUP:
        s->cpu = (uint32_t)FXT_GET(header, THREAD_WAKEUP_CPU);
        s->timestamp = cursor_word(c);
        s->waking_thread = cursor_word(c);
        take_args(d, 0, FXT_GET(header, THREAD_WAKEUP_ARGS));
        break;
    default:
        take_unknown(d, FXT_E_UNKNOWN_SCHEDULING, d->record.kind);
    }
}

static void decode_log(struct decoder *d, uint64_t header)
{
    struct fxt_log *l = &d->record.log;

    l->timestamp = cursor_word(&d->c);
    take_thread(d, FXT_GET(header, LOG_THREAD), &l->thread);
    l->message = take_bytes_as_string(d, FXT_GET(header, LOG_SIZE));
}

/* Large blobs with the second word, the format header, already loaded. The payload's size
 * has a separate word, and may be anything up to 2^64 - 1. */
static void decode_large_blob(struct decoder *d, uint64_t format_header)
{
    struct fxt_large_blob *b = &d->record.large_blob;
    struct cursor *c = &d->c;
    uint64_t size_at;
    uint64_t size;

    d->refs_pos = 1;
    b->category = take_string(d, FXT_GET(format_header, LARGE_BLOB_CATEGORY));
    b->name = take_string(d, FXT_GET(format_header, LARGE_BLOB_NAME));
    if (b->format == FXT_LARGE_BLOB_METADATA) {
        b->timestamp = cursor_word(c);
        take_thread(d, FXT_GET(format_header, LARGE_BLOB_THREAD), &b->thread);
        take_args(d, 0, FXT_GET(format_header, LARGE_BLOB_ARGS));
    } else {
        b->timestamp = 0;
        set_thread(&b->thread, FXT_THREAD_REF_INLINE, 0, 0);
    }
    size_at = c->pos;
    size = cursor_word(c);
    b->payload = take_payload(d, size, size_at);
    if (fxt_sample_is_blob(b, 1))
        find_left_over(&d->result, size, size_at + 1);
}

static void decode_large(struct decoder *d, uint64_t header)
{
    struct fxt_large_blob *b = &d->record.large_blob;

    d->record.kind = (uint32_t)FXT_GET(header, LARGE_TYPE);
    b->format = (uint32_t)FXT_GET(header, LARGE_BLOB_FORMAT);
    if (d->record.kind != FXT_LARGE_BLOB)
        take_unknown(d, FXT_E_UNKNOWN_LARGE, d->record.kind);
    else if (b->format > FXT_LARGE_BLOB_NO_METADATA)
        take_unknown(d, FXT_E_UNKNOWN_BLOB_FORMAT, b->format);
    else
        decode_large_blob(d, cursor_word(&d->c));
}

static void decode_by_type(struct decoder *d, uint64_t header)
{
    switch (d->record.type) {
    case FXT_RECORD_METADATA:
        decode_metadata(d, header);
        break;
    case FXT_RECORD_INITIALIZATION:
        decode_initialization(d);
        break;
    case FXT_RECORD_STRING:
        decode_string(d, header);
        break;
    case FXT_RECORD_THREAD:
        decode_thread(d, header);
        break;
    case FXT_RECORD_EVENT:
        decode_event(d, header);
        break;
    case FXT_RECORD_BLOB:
        decode_blob(d, header);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        decode_userspace_object(d, header);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        decode_kernel_object(d, header);
        break;
    case FXT_RECORD_SCHEDULING:
        decode_scheduling(d, header);
        break;
    case FXT_RECORD_LOG:
        decode_log(d, header);
        break;
    case FXT_RECORD_PROFILER:
        decode_profiler(d, header);
        break;
    case FXT_RECORD_LARGE:
        decode_large(d, header);
        break;
    default:
        take_unknown(d, FXT_E_UNKNOWN_RECORD, d->record.type);
    }
}

static inline void start_any(struct decoder *d)
{
    decode_result_start(&d->result);
    d->refs_pos = 0;
    d->n_words = d->record.size / FXT_WORD_BYTES;
    cursor_start(&d->c, d->record.data, d->n_words, d->record.swapped);
}

static inline bool finish_any(struct decoder *d)
{
    d->result.fault = d->c.fault;
    d->result.byte = d->c.fault_pos * FXT_WORD_BYTES;
    d->result.n_surplus = cursor_left(&d->c);
    return is_plain(d);
}

/* Everything but what decode_plain.h has. The format header counts for large blobs, if
 * has_format_header; it was loaded already then. */
static FXT_NOINLINE bool decode_any(struct decoder *d, bool has_format_header,
                                    uint64_t format_header)
{
    start_any(d);
    if (has_format_header) {
        d->c.pos = 2;
        decode_large_blob(d, format_header);
    } else {
        decode_by_type(d, d->record.header);
    }
    return finish_any(d);
}

/* The rest of an event from word `pos` on, of which `n_taken` arguments are decoded, and
 * the next one's header is loaded if `has_arg`. Returns true if the event is plain. */
static FXT_NOINLINE bool decode_event_rest(struct decoder *d, uint64_t pos,
                                           uint64_t n_taken, bool has_arg,
                                           uint64_t arg_header)
{
    start_any(d);
    d->c.pos = pos;
    if (has_arg)
        take_arg(d, arg_header, &d->args[n_taken++]);
    take_args(d, n_taken, d->record.n_args);
    decode_event_tail(d, &d->record.event);
    return finish_any(d);
}

/* The fields of an event after those of take_plain_refs. From where one is not as
 * expected, the general path goes on, since no word may be loaded again. */
static FXT_NOINLINE bool decode_plain_event(struct decoder *d, uint64_t header,
                                            uint64_t n_words)
{
    uint32_t kind = (uint32_t)FXT_GET(header, EVENT_TYPE);
    uint64_t has_word = EVENTS_WITH_WORD >> kind & 1;
    uint64_t n_args = FXT_GET(header, EVENT_ARGS);
    struct cursor c;
    uint64_t i;

    cursor_start(&c, d->record.data, n_words - has_word, d->record.swapped);
    d->record.kind = kind;
    d->record.n_args = (uint32_t)n_args;
    d->record.event.timestamp = cursor_load_(&c, c.pos++);
    for (i = 0; i < n_args && c.pos < c.end; i++) {
        uint64_t arg_header = cursor_load_(&c, c.pos++);

        if (!take_plain_arg(d, &c, arg_header, &d->args[i]))
            return decode_event_rest(d, c.pos, i, true, arg_header);
    }
    if (i < n_args || c.pos < c.end)
        return decode_event_rest(d, c.pos, i, false, 0);
    set_event_word(&d->record.event, kind, load_if(&c, has_word));
    return true;
}

static bool is_blob_with_metadata(uint64_t header)
{
    return (header & ~FXT_PUT(LARGE_WORDS, UINT64_MAX)) == FXT_RECORD_LARGE;
}

bool decode_record(struct decoder *d, const void *data, uint64_t header, uint64_t n_words,
                   bool swapped)
{
    struct fxt_record *record = &d->record;
    uint64_t format_header = 0;
    bool has_format_header = false;

    record->size = n_words * FXT_WORD_BYTES;
    record->header = header;
    record->data = data;
    record->swapped = swapped;
    record->type = (uint32_t)FXT_GET(header, RECORD_TYPE);
    record->kind = 0;
    record->unknown = false;
    record->n_args = 0;
    record->args = d->args;
    if (is_blob_with_metadata(header) && n_words >= SAMPLE_HEAD_WORDS) {
        record->large_blob.format = FXT_LARGE_BLOB_METADATA;
        has_format_header = true;
        format_header = LOAD_WORD((const unsigned char *)data + FXT_WORD_BYTES);
        if (format_header == 0)
            return decode_kernel_sample(d, n_words);
        if (swapped)
            format_header = FXT_SWAP64(format_header);
    }
    if (record->type == FXT_RECORD_EVENT && take_plain_refs(d, header, n_words))
        return decode_plain_event(d, header, n_words);
    if (record->type == FXT_RECORD_PROFILER && is_plain_backtrace(header, n_words)) {
        decode_plain_backtrace(d, n_words);
        return true;
    }
    return decode_any(d, has_format_header, format_header);
}
