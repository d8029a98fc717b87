/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See encode_header.h: the contents of known records. One function per record type, each
 * writing its fields in the order in which the trace format reference lists them and
 * returning its part of the header; the word writer detects all that does not fit.
 */
#include "encode_header.h"

#include "put.h"

static uint64_t put_metadata(struct word_writer *p, const struct fxt_record *r)
{
    const struct fxt_metadata *m = &r->metadata;
    uint64_t id = FXT_PUT(PROVIDER_ID, m->provider_id);

    switch (r->kind) {
    case FXT_METADATA_PROVIDER_INFO:
        put_text(p, &m->name, FXT_MAX(PROVIDER_NAME_SIZE), FXT_E_NAME_SIZE);
        return id | FXT_PUT(PROVIDER_NAME_SIZE, m->name.size);
    case FXT_METADATA_PROVIDER_SECTION:
        return id;
    case FXT_METADATA_PROVIDER_EVENT:
        return id | PUT(p, PROVIDER_EVENT, m->event);
    case FXT_METADATA_TRACE_INFO:
        if (m->trace_info != FXT_TRACE_INFO_MAGIC_NUMBER)
            word_writer_fail(p, FXT_E_UNKNOWN_TRACE_INFO);
        else if (m->magic != FXT_MAGIC_NUMBER)
            word_writer_fail(p, FXT_E_MAGIC);
        return FXT_PUT(TRACE_INFO_MAGIC, m->magic);
    default:
        return 0;
    }
}

static uint64_t put_initialization(struct word_writer *p, const struct fxt_record *r)
{
    const struct fxt_initialization *init = &r->initialization;

    if (init->ticks_per_second == 0)
        word_writer_fail(p, FXT_E_TICKS_ZERO);
    word_writer_put(p, init->ticks_per_second);
    if (init->has_base) {
        word_writer_put(p, init->base_ticks);
        word_writer_put(p, init->base_wall_ns);
    }
    return 0;
}

static uint64_t put_string_registration(struct word_writer *p, const struct fxt_record *r)
{
    const struct fxt_string_registration *s = &r->string;

    if (s->index == 0)
        word_writer_fail(p, FXT_E_INDEX_ZERO);
    put_text(p, &s->value, FXT_STRING_SIZE_CAP, FXT_E_STRING_SIZE);
    return PUT(p, STRING_INDEX, s->index) | FXT_PUT(STRING_SIZE, s->value.size);
}

static uint64_t put_thread_registration(struct word_writer *p, const struct fxt_record *r)
{
    const struct fxt_thread_registration *t = &r->thread;

    if (t->index == 0)
        word_writer_fail(p, FXT_E_INDEX_ZERO);
    word_writer_put(p, t->process);
    word_writer_put(p, t->thread);
    return PUT(p, THREAD_INDEX, t->index);
}

static void put_event_tail(struct word_writer *p, const struct fxt_record *r)
{
    const struct fxt_event *e = &r->event;

    switch (r->kind) {
    case FXT_EVENT_INSTANT:
        if (e->scope != FXT_SCOPE_THREAD)
            word_writer_put(p, e->scope);
        break;
    case FXT_EVENT_DURATION_BEGIN:
    case FXT_EVENT_DURATION_END:
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        if (e->end_timestamp < e->timestamp)
            word_writer_fail(p, FXT_E_END_BEFORE_BEGIN);
        word_writer_put(p, e->end_timestamp);
        break;
    case FXT_EVENT_COUNTER:
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        word_writer_put(p, e->id);
        break;
    default:
        put_unknown_words(p, r, FXT_E_UNKNOWN_EVENT);
    }
}

static uint64_t put_event(struct word_writer *p, const struct fxt_record *r,
                          const struct encode_refs *refs)
{
    const struct fxt_event *e = &r->event;

    word_writer_put(p, e->timestamp);
    put_thread(p, &e->thread, refs->thread);
    put_string(p, &e->category, refs->category);
    put_string(p, &e->name, refs->name);
    put_args(p, r, refs);
    put_event_tail(p, r);
    return PUT(p, EVENT_TYPE, r->kind) | FXT_PUT(EVENT_ARGS, r->n_args) |
           FXT_PUT(EVENT_THREAD, refs->thread) | FXT_PUT(EVENT_CATEGORY, refs->category) |
           FXT_PUT(EVENT_NAME, refs->name);
}

static uint64_t put_blob(struct word_writer *p, const struct fxt_record *r,
                         const struct encode_refs *refs)
{
    const struct fxt_blob *b = &r->blob;

    put_string(p, &b->name, refs->name);
    put_bytes(p, b->payload, FXT_MAX(BLOB_SIZE), FXT_E_PAYLOAD_SIZE);
    return FXT_PUT(BLOB_NAME, refs->name) | FXT_PUT(BLOB_SIZE, b->payload.size) |
           PUT(p, BLOB_TYPE, b->type);
}

static uint64_t put_userspace_object(struct word_writer *p, const struct fxt_record *r,
                                     const struct encode_refs *refs)
{
    const struct fxt_userspace_object *o = &r->userspace_object;

    word_writer_put(p, o->pointer);
    if (refs->thread == FXT_THREAD_REF_INLINE)
        word_writer_put(p, o->process.process);
    put_string(p, &o->name, refs->name);
    put_args(p, r, refs);
    return FXT_PUT(USERSPACE_OBJECT_THREAD, refs->thread) |
           FXT_PUT(USERSPACE_OBJECT_NAME, refs->name) |
           FXT_PUT(USERSPACE_OBJECT_ARGS, r->n_args);
}

static uint64_t put_kernel_object(struct word_writer *p, const struct fxt_record *r,
                                  const struct encode_refs *refs)
{
    const struct fxt_kernel_object *o = &r->kernel_object;

    word_writer_put(p, o->koid);
    put_string(p, &o->name, refs->name);
    put_args(p, r, refs);
    return PUT(p, KERNEL_OBJECT_TYPE, o->type) | FXT_PUT(KERNEL_OBJECT_NAME, refs->name) |
           FXT_PUT(KERNEL_OBJECT_ARGS, r->n_args);
}

static uint64_t put_legacy_switch(struct word_writer *p, const struct fxt_scheduling *s,
                                  const struct encode_refs *refs)
{
    word_writer_put(p, s->timestamp);
    put_thread(p, &s->outgoing, refs->thread);
    put_thread(p, &s->incoming, refs->incoming);
    return PUT(p, LEGACY_SWITCH_CPU, s->cpu) |
           PUT(p, LEGACY_SWITCH_STATE, s->outgoing_state) |
           FXT_PUT(LEGACY_SWITCH_OUTGOING, refs->thread) |
           FXT_PUT(LEGACY_SWITCH_INCOMING, refs->incoming) |
           PUT(p, LEGACY_SWITCH_OUTGOING_PRIORITY, s->outgoing_priority) |
           PUT(p, LEGACY_SWITCH_INCOMING_PRIORITY, s->incoming_priority);
}

static uint64_t put_scheduling(struct word_writer *p, const struct fxt_record *r,
                               const struct encode_refs *refs)
{
    const struct fxt_scheduling *s = &r->scheduling;

    switch (r->kind) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        return put_legacy_switch(p, s, refs);
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        word_writer_put(p, s->timestamp);
        word_writer_put(p, s->outgoing.thread);
        word_writer_put(p, s->incoming.thread);
        put_args(p, r, refs);
        return FXT_PUT(CONTEXT_SWITCH_ARGS, r->n_args) |
               PUT(p, CONTEXT_SWITCH_CPU, s->cpu) |
               PUT(p, CONTEXT_SWITCH_STATE, s->outgoing_state);
    case FXT_SCHEDULING_THREAD_WAKEUP:
        word_writer_put(p, s->timestamp);
        word_writer_put(p, s->waking_thread);
        put_args(p, r, refs);
        return FXT_PUT(THREAD_WAKEUP_ARGS, r->n_args) | PUT(p, THREAD_WAKEUP_CPU, s->cpu);
    default:
        return 0;
    }
}

static uint64_t put_log(struct word_writer *p, const struct fxt_record *r,
                        const struct encode_refs *refs)
{
    const struct fxt_log *l = &r->log;

    word_writer_put(p, l->timestamp);
    put_thread(p, &l->thread, refs->thread);
    put_text(p, &l->message, FXT_STRING_SIZE_CAP, FXT_E_STRING_SIZE);
    return FXT_PUT(LOG_SIZE, l->message.size) | FXT_PUT(LOG_THREAD, refs->thread);
}

static uint64_t put_module(struct word_writer *p, const struct fxt_profiler *m)
{
    put_text(p, &m->name, FXT_MAX(MODULE_NAME_SIZE), FXT_E_NAME_SIZE);
    put_bytes(p, m->build_id, FXT_MAX(MODULE_BUILD_ID_SIZE), FXT_E_NAME_SIZE);
    return PUT(p, MODULE_ID, m->module_id) | FXT_PUT(MODULE_NAME_SIZE, m->name.size) |
           FXT_PUT(MODULE_BUILD_ID_SIZE, m->build_id.size);
}

static uint64_t put_mapping(struct word_writer *p, const struct fxt_profiler *m)
{
    word_writer_put(p, m->start);
    word_writer_put(p, m->length);
    word_writer_put(p, m->vaddr);
    return PUT(p, MAPPING_MODULE_ID, m->module_id) | PUT(p, MAPPING_FLAGS, m->flags);
}

static uint64_t put_backtrace(struct word_writer *p, const struct fxt_profiler *b)
{
    if (b->pcs.count > FXT_MAX(BACKTRACE_PCS))
        word_writer_fail(p, FXT_E_PCS_MANY);
    else
        put_words(p, b->pcs);
    return FXT_PUT(BACKTRACE_PCS, b->pcs.count);
}

static uint64_t put_profiler(struct word_writer *p, const struct fxt_record *r,
                             const struct encode_refs *refs)
{
    uint64_t header =
        FXT_PUT(PROFILER_TYPE, r->kind) | FXT_PUT(PROFILER_THREAD, refs->thread);

    word_writer_put(p, r->profiler.timestamp);
    put_thread(p, &r->profiler.thread, refs->thread);
    switch (r->kind) {
    case FXT_PROFILER_MODULE:
        return header | put_module(p, &r->profiler);
    case FXT_PROFILER_MAPPING:
        return header | put_mapping(p, &r->profiler);
    case FXT_PROFILER_BACKTRACE:
        return header | put_backtrace(p, &r->profiler);
    default:
        return 0;
    }
}

/* Up to the word with the size of the payload. */
static uint64_t put_large_blob(struct word_writer *p, const struct fxt_record *r,
                               const struct encode_refs *refs)
{
    const struct fxt_large_blob *b = &r->large_blob;
    uint64_t format_header = FXT_PUT(LARGE_BLOB_CATEGORY, refs->category) |
                             FXT_PUT(LARGE_BLOB_NAME, refs->name);

    if (b->format == FXT_LARGE_BLOB_METADATA)
        format_header |= FXT_PUT(LARGE_BLOB_ARGS, r->n_args) |
                         FXT_PUT(LARGE_BLOB_THREAD, refs->thread);
    word_writer_put(p, format_header);
    put_string(p, &b->category, refs->category);
    put_string(p, &b->name, refs->name);
    if (b->format == FXT_LARGE_BLOB_METADATA) {
        word_writer_put(p, b->timestamp);
        put_thread(p, &b->thread, refs->thread);
        put_args(p, r, refs);
    }
    word_writer_put(p, b->payload.size);
    return FXT_PUT(LARGE_BLOB_FORMAT, b->format);
}

uint64_t encode_fields(struct word_writer *p, const struct fxt_record *r,
                       const struct encode_refs *refs)
{
    switch (r->type) {
    case FXT_RECORD_METADATA:
        return put_metadata(p, r) | FXT_PUT(METADATA_TYPE, r->kind);
    case FXT_RECORD_INITIALIZATION:
        return put_initialization(p, r);
    case FXT_RECORD_STRING:
        return put_string_registration(p, r);
    case FXT_RECORD_THREAD:
        return put_thread_registration(p, r);
    case FXT_RECORD_EVENT:
        return put_event(p, r, refs);
    case FXT_RECORD_BLOB:
        return put_blob(p, r, refs);
    case FXT_RECORD_USERSPACE_OBJECT:
        return put_userspace_object(p, r, refs);
    case FXT_RECORD_KERNEL_OBJECT:
        return put_kernel_object(p, r, refs);
    case FXT_RECORD_SCHEDULING:
        return put_scheduling(p, r, refs) | FXT_PUT(SCHEDULING_TYPE, r->kind);
    case FXT_RECORD_LOG:
        return put_log(p, r, refs);
    case FXT_RECORD_PROFILER:
        return put_profiler(p, r, refs);
    case FXT_RECORD_LARGE:
        return put_large_blob(p, r, refs);
    default:
        return 0;
    }
}
