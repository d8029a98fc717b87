/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as lines of text, and below each its layout: every word with its name, header
 * words with all their fields, and streams of bytes with their sizes.
 */
#include <fxt/format.h>

#include "fields.h"
#include "print_text.h"
#include "walk.h"

/* ---- One function per type --------------------------------------------------------- */

static void take_metadata(struct record_walk *w, uint64_t header)
{
    if (FXT_GET(header, METADATA_TYPE) == FXT_METADATA_PROVIDER_INFO)
        walk_stream(w, "name", FXT_GET(header, PROVIDER_NAME_SIZE), true);
}

static void take_initialization(struct record_walk *w, uint64_t header)
{
    (void)header;
    walk_word(w, "ticks per second");
    if (w->end == 4) {
        walk_word(w, "base tick");
        walk_word(w, "base time");
    }
}

static void take_string(struct record_walk *w, uint64_t header)
{
    walk_stream(w, "value", FXT_GET(header, STRING_SIZE), true);
}

static void take_thread(struct record_walk *w, uint64_t header)
{
    (void)header;
    walk_thread(w, FXT_THREAD_REF_INLINE);
}

/* The word that some kinds of event end in. */
static void take_event_end(struct record_walk *w, uint64_t kind)
{
    if (kind == FXT_EVENT_COUNTER)
        walk_word(w, "counter id");
    else if (kind == FXT_EVENT_DURATION_COMPLETE)
        walk_word(w, "end timestamp");
    else if (kind >= FXT_EVENT_ASYNC_BEGIN && kind <= FXT_EVENT_ASYNC_END)
        walk_word(w, "async id");
    else if (kind >= FXT_EVENT_FLOW_BEGIN && kind <= FXT_EVENT_FLOW_END)
        walk_word(w, "flow id");
    else if (kind == FXT_EVENT_INSTANT && walk_left(w) > 0)
        walk_word(w, "scope");
}

static void take_event(struct record_walk *w, uint64_t header)
{
    walk_word(w, "timestamp");
    walk_thread(w, FXT_GET(header, EVENT_THREAD));
    walk_string(w, "category", FXT_GET(header, EVENT_CATEGORY));
    walk_string(w, "name", FXT_GET(header, EVENT_NAME));
    walk_args(w, FXT_GET(header, EVENT_ARGS));
    take_event_end(w, FXT_GET(header, EVENT_TYPE));
}

static void take_blob(struct record_walk *w, uint64_t header)
{
    walk_string(w, "name", FXT_GET(header, BLOB_NAME));
    walk_stream(w, "payload", FXT_GET(header, BLOB_SIZE), false);
}

/* The part after the pointer, with an inline process of this many words. */
static void take_userspace_object_as(struct record_walk *w, uint64_t header, int n_koids)
{
    if (n_koids > 0)
        walk_word(w, "process");
    if (n_koids > 1)
        walk_word(w, "thread");
    walk_string(w, "name", FXT_GET(header, USERSPACE_OBJECT_NAME));
    walk_args(w, FXT_GET(header, USERSPACE_OBJECT_ARGS));
}

/* How many words stay over then; UINT64_MAX if there are too few. */
static uint64_t try_userspace_object(const struct record_walk *w, uint64_t header,
                                     int n_koids)
{
    struct record_walk trial = *w;

    trial.out = NULL;
    take_userspace_object_as(&trial, header, n_koids);
    return trial.failed ? UINT64_MAX : walk_left(&trial);
}

/* One koid or two: whichever fills the record, else whichever fits, one rather than two.
 */
static void take_userspace_object(struct record_walk *w, uint64_t header)
{
    uint64_t over_one;
    uint64_t over_two;
    int n_koids = 0;

    walk_word(w, "pointer");
    if (FXT_GET(header, USERSPACE_OBJECT_THREAD) == FXT_THREAD_REF_INLINE) {
        over_one = try_userspace_object(w, header, 1);
        over_two = try_userspace_object(w, header, 2);
        n_koids = over_one != 0 && (over_two == 0 || over_one == UINT64_MAX) ? 2 : 1;
    }
    take_userspace_object_as(w, header, n_koids);
}

static void take_kernel_object(struct record_walk *w, uint64_t header)
{
    walk_word(w, "koid");
    walk_string(w, "name", FXT_GET(header, KERNEL_OBJECT_NAME));
    walk_args(w, FXT_GET(header, KERNEL_OBJECT_ARGS));
}

static void take_scheduling(struct record_walk *w, uint64_t header)
{
    switch (FXT_GET(header, SCHEDULING_TYPE)) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        walk_word(w, "timestamp");
        walk_thread_as(w, FXT_GET(header, LEGACY_SWITCH_OUTGOING), "outgoing process",
                       "outgoing thread");
        walk_thread_as(w, FXT_GET(header, LEGACY_SWITCH_INCOMING), "incoming process",
                       "incoming thread");
        break;
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        walk_word(w, "timestamp");
        walk_word(w, "outgoing thread");
        walk_word(w, "incoming thread");
        walk_args(w, FXT_GET(header, CONTEXT_SWITCH_ARGS));
        break;
    case FXT_SCHEDULING_THREAD_WAKEUP:
        walk_word(w, "timestamp");
        walk_word(w, "waking thread");
        walk_args(w, FXT_GET(header, THREAD_WAKEUP_ARGS));
        break;
    default:
        break;
    }
}

static void take_log(struct record_walk *w, uint64_t header)
{
    walk_word(w, "timestamp");
    walk_thread(w, FXT_GET(header, LOG_THREAD));
    walk_stream(w, "message", FXT_GET(header, LOG_SIZE), true);
}

/* Modules and mappings have only an inline process if that fills the record exactly. */
static void take_profiled_process(struct record_walk *w, uint64_t header,
                                  uint64_t n_words_if_alone)
{
    uint64_t ref = FXT_GET(header, PROFILER_THREAD);

    if (ref != FXT_THREAD_REF_INLINE || w->end != n_words_if_alone)
        walk_thread(w, ref);
    else
        walk_word(w, "process");
}

static void take_profiler(struct record_walk *w, uint64_t header)
{
    uint64_t name_size = FXT_GET(header, MODULE_NAME_SIZE);
    uint64_t id_size = FXT_GET(header, MODULE_BUILD_ID_SIZE);

    switch (FXT_GET(header, PROFILER_TYPE)) {
    case FXT_PROFILER_MODULE:
        walk_word(w, "timestamp");
        take_profiled_process(w, header, 3 + (name_size + 7) / 8 + (id_size + 7) / 8);
        walk_stream(w, "name", name_size, true);
        walk_stream(w, "build id", id_size, false);
        break;
    case FXT_PROFILER_MAPPING:
        walk_word(w, "timestamp");
        take_profiled_process(w, header, 6);
        walk_word(w, "start");
        walk_word(w, "length");
        walk_word(w, "vaddr");
        break;
    case FXT_PROFILER_BACKTRACE:
        walk_word(w, "timestamp");
        walk_thread(w, FXT_GET(header, PROFILER_THREAD));
        walk_stream(w, "PCs", FXT_GET(header, BACKTRACE_PCS) * FXT_WORD_BYTES, false);
        break;
    default:
        break;
    }
}

static void take_large(struct record_walk *w, uint64_t header)
{
    uint32_t format = (uint32_t)FXT_GET(header, LARGE_BLOB_FORMAT);
    uint64_t second;

    if (FXT_GET(header, LARGE_TYPE) != FXT_LARGE_BLOB ||
        format > FXT_LARGE_BLOB_NO_METADATA)
        return;
    second = walk_word(w, "format header");
    if (w->failed)
        return;
    fields_print(w->out, fields_of_large_blob(format), second);
    walk_string(w, "category", FXT_GET(second, LARGE_BLOB_CATEGORY));
    walk_string(w, "name", FXT_GET(second, LARGE_BLOB_NAME));
    if (format == FXT_LARGE_BLOB_METADATA) {
        walk_word(w, "timestamp");
        walk_thread(w, FXT_GET(second, LARGE_BLOB_THREAD));
        walk_args(w, FXT_GET(second, LARGE_BLOB_ARGS));
    }
    walk_stream(w, "payload", walk_word(w, "payload size"), false);
}

typedef void take_fn(struct record_walk *w, uint64_t header);

static take_fn *const bodies[] = {
    [FXT_RECORD_METADATA] = take_metadata,
    [FXT_RECORD_INITIALIZATION] = take_initialization,
    [FXT_RECORD_STRING] = take_string,
    [FXT_RECORD_THREAD] = take_thread,
    [FXT_RECORD_EVENT] = take_event,
    [FXT_RECORD_BLOB] = take_blob,
    [FXT_RECORD_USERSPACE_OBJECT] = take_userspace_object,
    [FXT_RECORD_KERNEL_OBJECT] = take_kernel_object,
    [FXT_RECORD_SCHEDULING] = take_scheduling,
    [FXT_RECORD_LOG] = take_log,
    [FXT_RECORD_PROFILER] = take_profiler,
    [FXT_RECORD_LARGE] = take_large,
};

static void take_body(struct record_walk *w, uint64_t header)
{
    uint64_t type = FXT_GET(header, RECORD_TYPE);

    if (type < sizeof(bodies) / sizeof(bodies[0]) && bodies[type] != NULL)
        bodies[type](w, header);
}

static void print_record(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    struct record_walk w = {
        .out = out,
        .context = context,
        .offset = record->offset,
        .words = {record->data, record->size / FXT_WORD_BYTES, record->swapped},
        .end = record->size / FXT_WORD_BYTES,
    };
    uint64_t header;

    print_text.record(out, context, record);
    header = walk_word(&w, "header");
    fields_print(out, fields_of_record(header), header);
    take_body(&w, header);
    walk_rest(&w, record->unknown ? "content" : "surplus");
}

/* Of a record that could not be read only the header is printed, if it was not lost. */
static void print_fault(struct text *out, const struct print_context *context,
                        const struct fault *fault)
{
    uint64_t header = fault->error != NULL ? fault->error->header : 0;
    struct record_walk w = {
        .out = out,
        .context = context,
        .offset = fault->offset,
        .words = {&header, 1, false},
        .end = 1,
    };

    print_text.fault(out, context, fault);
    if (header == 0)
        return;
    walk_word(&w, "header");
    fields_print(out, fields_of_record(header), header);
}

const struct printer print_fields = {print_text_region, print_record, print_fault};
