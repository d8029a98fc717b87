/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as JSON objects, one a line. The keys, their order and their values are a
 * contract with programs that read the lines; fxtdump(1) documents it.
 */
#include <fxt/sample.h>

#include "tools/common/enum_names.h"
#include "json.h"
#include "print.h"
#include "common/base/quote.h"

/* ---- What many records have -------------------------------------------------------- */

static void start_object(struct text *out, const struct print_context *context,
                         uint64_t offset, uint64_t size)
{
    text_str(out, "{\"offset\":");
    text_u64(out, offset);
    json_u64(out, "size", size);
    if (context->several_regions)
        json_u64(out, "region", context->region);
}

/* Ticks under one key and what they are in nanoseconds under another. */
static void add_time(struct text *out, const struct fxt_record *record,
                     const char *ticks_key, const char *ns_key, uint64_t ticks)
{
    uint64_t ns;

    json_u64(out, ticks_key, ticks);
    if (fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns))
        json_u64(out, ns_key, ns);
    else
        json_null(out, ns_key);
}

static void add_timestamp(struct text *out, const struct fxt_record *record,
                          uint64_t ticks)
{
    add_time(out, record, "timestamp", "time_ns", ticks);
}

static void add_process(struct text *out, const struct fxt_thread *thread)
{
    if (thread->known) {
        json_u64(out, "process", thread->process);
    } else {
        json_null(out, "process");
        json_u64(out, "thread_ref", thread->ref);
    }
}

/* A process and a thread under separate keys. */
static void add_thread_as(struct text *out, const struct fxt_thread *thread,
                          const char *process_key, const char *thread_key,
                          const char *ref_key)
{
    if (thread->known) {
        json_u64(out, process_key, thread->process);
        json_u64(out, thread_key, thread->thread);
    } else {
        json_null(out, process_key);
        json_null(out, thread_key);
        json_u64(out, ref_key, thread->ref);
    }
}

static void add_thread(struct text *out, const struct fxt_thread *thread)
{
    add_thread_as(out, thread, "process", "thread", "thread_ref");
}

static void add_args(struct text *out, const struct fxt_record *record)
{
    json_args(out, record->args, record->n_args);
}

/* ---- One function per type --------------------------------------------------------- */

static void add_metadata(struct text *out, const struct fxt_record *record)
{
    const struct fxt_metadata *m = &record->metadata;

    json_enum(out, "metadata", name_metadata_type(record->kind), record->kind);
    switch (record->kind) {
    case FXT_METADATA_PROVIDER_INFO:
        json_u64(out, "provider_id", m->provider_id);
        json_string(out, "name", &m->name);
        break;
    case FXT_METADATA_PROVIDER_SECTION:
        json_u64(out, "provider_id", m->provider_id);
        break;
    case FXT_METADATA_PROVIDER_EVENT:
        json_u64(out, "provider_id", m->provider_id);
        json_enum(out, "event", name_provider_event(m->event), m->event);
        break;
    case FXT_METADATA_TRACE_INFO:
        if (m->trace_info == FXT_TRACE_INFO_MAGIC_NUMBER) {
            json_word(out, "trace_info", "magic_number");
            json_address(out, "magic", m->magic);
        } else {
            json_u64(out, "trace_info", m->trace_info);
        }
        break;
    default:
        break;
    }
}

static void add_string(struct text *out, const struct fxt_string_registration *s)
{
    json_u64(out, "index", s->index);
    json_string(out, "value", &s->value);
}

static void add_thread_registration(struct text *out,
                                    const struct fxt_thread_registration *t)
{
    json_u64(out, "index", t->index);
    json_u64(out, "process", t->process);
    json_u64(out, "thread", t->thread);
}

static void add_event(struct text *out, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;

    json_enum(out, "event", name_event_type(record->kind), record->kind);
    add_timestamp(out, record, e->timestamp);
    add_thread(out, &e->thread);
    json_string(out, "category", &e->category);
    json_string(out, "name", &e->name);
    add_args(out, record);
    switch (record->kind) {
    case FXT_EVENT_COUNTER:
        json_u64(out, "counter_id", e->id);
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        add_time(out, record, "end_timestamp", "end_time_ns", e->end_timestamp);
        break;
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
        json_u64(out, "async_id", e->id);
        break;
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        json_u64(out, "flow_id", e->id);
        break;
    default:
        break;
    }
}

static void add_blob(struct text *out, const struct print_context *context,
                     const struct fxt_blob *blob)
{
    json_string(out, "name", &blob->name);
    json_enum(out, "blob_type", name_blob_type(blob->type), blob->type);
    json_u64(out, "payload_size", blob->payload.size);
    if (context->payload)
        json_bytes(out, "payload", blob->payload);
}

static void add_userspace_object(struct text *out, const struct fxt_record *record)
{
    const struct fxt_userspace_object *o = &record->userspace_object;

    json_address(out, "pointer", o->pointer);
    add_process(out, &o->process);
    json_string(out, "name", &o->name);
    add_args(out, record);
}

static void add_kernel_object(struct text *out, const struct fxt_record *record)
{
    const struct fxt_kernel_object *o = &record->kernel_object;

    json_enum(out, "object_type", name_object_type(o->type), o->type);
    json_u64(out, "koid", o->koid);
    json_string(out, "name", &o->name);
    add_args(out, record);
}

static void add_outgoing_state(struct text *out, uint32_t state)
{
    json_enum(out, "outgoing_state", name_thread_state(state), state);
}

static void add_scheduling(struct text *out, const struct fxt_record *record)
{
    const struct fxt_scheduling *s = &record->scheduling;

    json_enum(out, "scheduling", name_scheduling_type(record->kind), record->kind);
    if (record->unknown)
        return;
    add_timestamp(out, record, s->timestamp);
    json_u64(out, "cpu", s->cpu);
    switch (record->kind) {
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        add_outgoing_state(out, s->outgoing_state);
        json_u64(out, "outgoing_thread", s->outgoing.thread);
        json_u64(out, "incoming_thread", s->incoming.thread);
        add_args(out, record);
        break;
    case FXT_SCHEDULING_THREAD_WAKEUP:
        json_u64(out, "waking_thread", s->waking_thread);
        add_args(out, record);
        break;
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        add_outgoing_state(out, s->outgoing_state);
        add_thread_as(out, &s->outgoing, "outgoing_process", "outgoing_thread",
                      "outgoing_thread_ref");
        add_thread_as(out, &s->incoming, "incoming_process", "incoming_thread",
                      "incoming_thread_ref");
        json_u64(out, "outgoing_priority", s->outgoing_priority);
        json_u64(out, "incoming_priority", s->incoming_priority);
        break;
    default:
        break;
    }
}

static void add_log(struct text *out, const struct fxt_record *record)
{
    add_timestamp(out, record, record->log.timestamp);
    add_thread(out, &record->log.thread);
    json_string(out, "message", &record->log.message);
}

/* A build id that is stored as its hex characters has only to be in lower case. */
static void add_build_id(struct text *out, const struct fxt_profiler *p)
{
    const char *digits = (const char *)p->build_id.data;

    if (!p->build_id_is_hex) {
        json_bytes(out, "build_id", p->build_id);
        return;
    }
    json_key(out, "build_id");
    text_char(out, '"');
    for (uint64_t i = 0; i < p->build_id.size; i++) {
        bool upper = digits[i] >= 'A' && digits[i] <= 'F';

        text_char(out, upper ? (char)(digits[i] - 'A' + 'a') : digits[i]);
    }
    text_char(out, '"');
}

static void add_profiler(struct text *out, const struct fxt_record *record)
{
    const struct fxt_profiler *p = &record->profiler;

    json_enum(out, "profiler", name_profiler_type(record->kind), record->kind);
    if (record->unknown)
        return;
    add_timestamp(out, record, p->timestamp);
    switch (record->kind) {
    case FXT_PROFILER_MODULE:
        add_process(out, &p->thread);
        json_u64(out, "module_id", p->module_id);
        json_string(out, "name", &p->name);
        add_build_id(out, p);
        break;
    case FXT_PROFILER_MAPPING:
        add_process(out, &p->thread);
        json_u64(out, "module_id", p->module_id);
        json_address(out, "start", p->start);
        json_u64(out, "length", p->length);
        json_address(out, "vaddr", p->vaddr);
        json_u64(out, "flags", p->flags);
        break;
    case FXT_PROFILER_BACKTRACE:
        add_thread(out, &p->thread);
        json_addresses(out, "pcs", p->pcs);
        break;
    default:
        break;
    }
}

static void add_large_blob(struct text *out, const struct print_context *context,
                           const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;
    bool has_metadata = blob->format == FXT_LARGE_BLOB_METADATA;
    struct fxt_sample sample;

    json_word(out, "format", has_metadata ? "metadata" : "no_metadata");
    json_string(out, "category", &blob->category);
    json_string(out, "name", &blob->name);
    if (has_metadata) {
        add_timestamp(out, record, blob->timestamp);
        add_thread(out, &blob->thread);
        add_args(out, record);
    }
    json_u64(out, "payload_size", blob->payload.size);
    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK)
        json_addresses(out, "pcs", sample.pcs);
    if (context->payload)
        json_bytes(out, "payload", blob->payload);
}

static void add_initialization(struct text *out, const struct fxt_initialization *init)
{
    json_u64(out, "ticks_per_second", init->ticks_per_second);
    if (init->has_base) {
        json_u64(out, "base_ticks", init->base_ticks);
        json_u64(out, "base_wall_ns", init->base_wall_ns);
    }
}

/* A type, or a large type or format, that this version does not know. */
static void add_unknown(struct text *out, const struct fxt_record *record)
{
    json_word(out, "type", "unknown");
    json_u64(out, "record_type", record->type);
    if (record->type != FXT_RECORD_LARGE)
        return;
    json_u64(out, "large_type", record->kind);
    if (record->kind == FXT_LARGE_BLOB)
        json_u64(out, "blob_format", record->large_blob.format);
}

static void add_known(struct text *out, const struct print_context *context,
                      const struct fxt_record *record)
{
    json_word(out, "type", name_record_type(record->type));
    switch (record->type) {
    case FXT_RECORD_METADATA:
        add_metadata(out, record);
        break;
    case FXT_RECORD_INITIALIZATION:
        add_initialization(out, &record->initialization);
        break;
    case FXT_RECORD_STRING:
        add_string(out, &record->string);
        break;
    case FXT_RECORD_THREAD:
        add_thread_registration(out, &record->thread);
        break;
    case FXT_RECORD_EVENT:
        add_event(out, record);
        break;
    case FXT_RECORD_BLOB:
        add_blob(out, context, &record->blob);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        add_userspace_object(out, record);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        add_kernel_object(out, record);
        break;
    case FXT_RECORD_SCHEDULING:
        add_scheduling(out, record);
        break;
    case FXT_RECORD_LOG:
        add_log(out, record);
        break;
    case FXT_RECORD_PROFILER:
        add_profiler(out, record);
        break;
    case FXT_RECORD_LARGE:
        add_large_blob(out, context, record);
        break;
    default:
        break;
    }
}

static void print_record(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    bool is_large = record->type == FXT_RECORD_LARGE;

    start_object(out, context, record->offset, record->size);
    if (name_record_type(record->type) == NULL || (is_large && record->unknown))
        add_unknown(out, record);
    else
        add_known(out, context, record);
    text_str(out, "}\n");
}

static void print_fault(struct text *out, const struct print_context *context,
                        const struct fault *fault)
{
    start_object(out, context, fault->offset, fault->size);
    json_word(out, "type", "error");
    json_word(out, "code", fault->code);
    json_key(out, "message");
    quote_json(out, fault->message, strlen(fault->message));
    text_str(out, "}\n");
}

/* The objects themselves say what region they are of. */
static void print_region(struct text *out, const struct print_context *context,
                         const char *name)
{
    (void)out;
    (void)context;
    (void)name;
}

const struct printer print_json = {print_region, print_record, print_fault};
