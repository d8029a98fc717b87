/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as lines of text: offset, time, kind, thread, contents. */
#include <string.h>

#include "tools/common/enum_names.h"
#include "plain.h"
#include "print_text.h"
#include "common/base/quote.h"
#include "tools/common/report.h"

static void add_payload(struct text *out, const struct print_context *context,
                        struct fxt_bytes payload)
{
    plain_bytes(out, payload.size);
    if (context->payload && payload.size > 0) {
        text_str(out, ": ");
        text_hex_bytes(out, payload.data, (size_t)payload.size);
    }
}

/* ---- One function per type --------------------------------------------------------- */

static void add_provider_event(struct text *out, uint32_t event)
{
    if (event == FXT_PROVIDER_BUFFER_FULL)
        text_str(out, " (its buffer filled up: records were probably lost)");
    else
        plain_u64(out, "event", event);
}

static void add_metadata(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    const struct fxt_metadata *m = &record->metadata;

    plain_start(out, context, record);
    switch (record->kind) {
    case FXT_METADATA_PROVIDER_INFO:
        plain_u64(out, "provider", m->provider_id);
        plain_quoted(out, &m->name);
        break;
    case FXT_METADATA_PROVIDER_SECTION:
        plain_u64(out, "provider", m->provider_id);
        break;
    case FXT_METADATA_PROVIDER_EVENT:
        plain_u64(out, "provider", m->provider_id);
        add_provider_event(out, m->event);
        break;
    case FXT_METADATA_TRACE_INFO:
        if (m->trace_info == FXT_TRACE_INFO_MAGIC_NUMBER)
            plain_hex(out, "magic number", m->magic);
        else
            plain_u64(out, "type", m->trace_info);
        break;
    default:
        break;
    }
}

static void add_initialization(struct text *out, const struct print_context *context,
                               const struct fxt_record *record)
{
    const struct fxt_initialization *init = &record->initialization;

    plain_start(out, context, record);
    plain_u64(out, "", init->ticks_per_second);
    text_str(out, " ticks a second");
    if (init->has_base) {
        plain_u64(out, "(tick", init->base_ticks);
        plain_u64(out, "was", init->base_wall_ns);
        text_str(out, " ns after 1970)");
    }
}

/* What fills the rest of a traced program's buffer, which no one wants to read. */
static bool is_filler(const struct fxt_string *string)
{
    size_t n = string->size;

    return n >= 8 && string->data[0] == '\0' &&
           memcmp(string->data, string->data + 1, n - 1) == 0;
}

static void add_string(struct text *out, const struct print_context *context,
                       const struct fxt_record *record)
{
    plain_start(out, context, record);
    text_str(out, " #");
    text_u64(out, record->string.index);
    if (is_filler(&record->string.value))
        text_printf(out, " %zu zero bytes", (size_t)record->string.value.size);
    else
        plain_quoted(out, &record->string.value);
}

static void add_thread(struct text *out, const struct print_context *context,
                       const struct fxt_record *record)
{
    const struct fxt_thread_registration *t = &record->thread;
    struct fxt_thread thread = {t->process, t->thread, 0, true};

    plain_start(out, context, record);
    text_str(out, " #");
    text_u64(out, t->index);
    plain_thread(out, &thread);
}

static void add_scope(struct text *out, uint64_t scope)
{
    if (scope == FXT_SCOPE_PROCESS)
        text_str(out, " (for the process)");
    else if (scope == FXT_SCOPE_GLOBAL)
        text_str(out, " (for all)");
    else if (scope != FXT_SCOPE_THREAD) {
        plain_u64(out, "(scope", scope);
        text_char(out, ')');
    }
}

static void add_event_end(struct text *out, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;

    switch (record->kind) {
    case FXT_EVENT_INSTANT:
        add_scope(out, e->scope);
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        text_str(out, " until ");
        plain_seconds(out, record, e->end_timestamp);
        break;
    case FXT_EVENT_COUNTER:
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        plain_u64(out, "id", e->id);
        break;
    default:
        break;
    }
}

static void add_event(struct text *out, const struct print_context *context,
                      const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS) {
        print_text_drops(out, context, record, &sample);
        return;
    }
    plain_start(out, context, record);
    plain_thread(out, &e->thread);
    plain_names(out, context, &e->category, &e->name);
    add_event_end(out, record);
    plain_args(out, context, record);
}

static void add_blob(struct text *out, const struct print_context *context,
                     const struct fxt_record *record)
{
    const struct fxt_blob *blob = &record->blob;
    const char *type = name_blob_type(blob->type);

    plain_start(out, context, record);
    plain_word(out, &blob->name);
    if (type != NULL) {
        text_char(out, ' ');
        text_str(out, type);
    } else {
        plain_u64(out, "type", blob->type);
    }
    add_payload(out, context, blob->payload);
}

static void add_userspace_object(struct text *out, const struct print_context *context,
                                 const struct fxt_record *record)
{
    const struct fxt_userspace_object *o = &record->userspace_object;

    plain_start(out, context, record);
    plain_process(out, &o->process);
    plain_hex(out, "", o->pointer);
    plain_word(out, &o->name);
    plain_args(out, context, record);
}

static void add_kernel_object(struct text *out, const struct print_context *context,
                              const struct fxt_record *record)
{
    const struct fxt_kernel_object *o = &record->kernel_object;
    const char *type = name_object_type(o->type);

    plain_start(out, context, record);
    if (type == NULL)
        plain_u64(out, "type", o->type);
    plain_u64(out, type != NULL ? type : "koid", o->koid);
    plain_word(out, &o->name);
    plain_args(out, context, record);
}

static void add_log(struct text *out, const struct print_context *context,
                    const struct fxt_record *record)
{
    plain_start(out, context, record);
    plain_thread(out, &record->log.thread);
    plain_quoted(out, &record->log.message);
}

static void add_large_blob(struct text *out, const struct print_context *context,
                           const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK) {
        print_text_sample(out, context, record, &sample);
        return;
    }
    plain_start(out, context, record);
    if (blob->format == FXT_LARGE_BLOB_METADATA)
        plain_thread(out, &blob->thread);
    plain_names(out, context, &blob->category, &blob->name);
    plain_args(out, context, record);
    add_payload(out, context, blob->payload);
}

static void add_unknown(struct text *out, const struct print_context *context,
                        const struct fxt_record *record)
{
    plain_start(out, context, record);
    if (record->type == FXT_RECORD_LARGE)
        plain_u64(out, "large type", record->kind);
    if (record->type == FXT_RECORD_LARGE && record->kind == FXT_LARGE_BLOB)
        plain_u64(out, "blob format", record->large_blob.format);
    plain_bytes(out, record->size);
}

typedef void add_fn(struct text *out, const struct print_context *context,
                    const struct fxt_record *record);

static add_fn *const known[] = {
    [FXT_RECORD_METADATA] = add_metadata,
    [FXT_RECORD_INITIALIZATION] = add_initialization,
    [FXT_RECORD_STRING] = add_string,
    [FXT_RECORD_THREAD] = add_thread,
    [FXT_RECORD_EVENT] = add_event,
    [FXT_RECORD_BLOB] = add_blob,
    [FXT_RECORD_USERSPACE_OBJECT] = add_userspace_object,
    [FXT_RECORD_KERNEL_OBJECT] = add_kernel_object,
    [FXT_RECORD_SCHEDULING] = print_text_scheduling,
    [FXT_RECORD_LOG] = add_log,
    [FXT_RECORD_PROFILER] = print_text_profiler,
    [FXT_RECORD_LARGE] = add_large_blob,
};

static add_fn *find_function(const struct fxt_record *record)
{
    if (record->type >= sizeof(known) / sizeof(known[0]) || known[record->type] == NULL ||
        (record->type == FXT_RECORD_LARGE && record->unknown))
        return add_unknown;
    return known[record->type];
}

static void print_record(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    find_function(record)(out, context, record);
    plain_end(out);
}

static void print_fault(struct text *out, const struct print_context *context,
                        const struct fault *fault)
{
    plain_start_fault(out, context, fault->offset);
    text_char(out, ' ');
    if (fault->error != NULL)
        report_sentence(out, fault->error);
    else
        text_str(out, fault->message);
    text_char(out, ';');
    plain_bytes(out, fault->size);
    text_str(out, " skipped");
    plain_end(out);
}

void print_text_region(struct text *out, const struct print_context *context,
                       const char *name)
{
    plain_style(out, context, PLAIN_BOLD);
    text_str(out, "region ");
    text_u64(out, context->region);
    text_str(out, ": ");
    quote_text(out, name, strlen(name));
    plain_style_end(out, context);
    text_char(out, '\n');
}

const struct printer print_text = {print_text_region, print_record, print_fault};
