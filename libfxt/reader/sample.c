/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognising a sampler's records; see fxt/sample.h. */
#include <fxt/sample.h>

/* Whether a string is this text, or may be: its index is not registered. */
static bool is_or_unknown(const struct fxt_string *string, const char *text)
{
    return string->data == NULL || fxt_string_is(*string, text);
}

/* The fields were stored one by one a moment ago. Loaded two at a time, as compilers like
 * to, they would have to wait until those stores are through to the cache. */
static enum fxt_sample_kind take_stack(struct fxt_sample *sample, uint64_t timestamp,
                                       const struct fxt_thread *thread)
{
    uint64_t process = thread->process;

    FXT_FORGET_ORIGIN(process);
    sample->kind = FXT_SAMPLE_STACK;
    sample->timestamp = timestamp;
    sample->thread.process = process;
    sample->thread.thread = thread->thread;
    sample->thread.ref = thread->ref;
    sample->thread.known = thread->known;
    sample->end = FXT_STACK_END_UNKNOWN;
    sample->maybe_cut = sample->pcs.count == FXT_SAMPLER_PCS_MAX;
    sample->event = 0;
    sample->weight = 0;
    return FXT_SAMPLE_STACK;
}

/* How a stack ended, and what was sampled, if arguments say so. */
static FXT_NOINLINE void take_args(const struct fxt_record *record,
                                   struct fxt_sample *sample)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (arg->type == FXT_ARG_UINT32 && fxt_string_is(arg->name, "end") &&
            arg->value.uint32 != FXT_STACK_END_UNKNOWN) {
            sample->end = arg->value.uint32;
            sample->maybe_cut = sample->end == FXT_STACK_END_DEPTH;
        } else if (arg->type == FXT_ARG_UINT32 && fxt_string_is(arg->name, "event")) {
            sample->event = arg->value.uint32;
        } else if (arg->type == FXT_ARG_UINT64 && fxt_string_is(arg->name, "weight")) {
            sample->weight = arg->value.uint64;
        }
    }
}

/* A large blob that is not a kernel sampler's. */
static FXT_NOINLINE enum fxt_sample_kind from_named_blob(
    const struct fxt_large_blob *blob, struct fxt_sample *sample)
{
    if (!fxt_string_is(blob->category, "cpu_profiler") ||
        !fxt_string_is(blob->name, "stack_sample"))
        return FXT_SAMPLE_NONE;
    *sample = (struct fxt_sample){
        .kind = FXT_SAMPLE_NOT_UNWOUND,
        .timestamp = blob->timestamp,
        .thread = blob->thread,
    };
    return FXT_SAMPLE_NOT_UNWOUND;
}

static enum fxt_sample_kind from_large_blob(const struct fxt_record *record,
                                            struct fxt_sample *sample)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    if (record->unknown || blob->format != FXT_LARGE_BLOB_METADATA)
        return FXT_SAMPLE_NONE;
    if (!fxt_sample_is_blob(blob, 1))
        return from_named_blob(blob, sample);
    sample->pcs.data = blob->payload.data;
    sample->pcs.count = blob->payload.size / FXT_WORD_BYTES;
    sample->pcs.swapped = record->swapped;
    take_stack(sample, blob->timestamp, &blob->thread);
    if (FXT_UNLIKELY(record->n_args > 0))
        take_args(record, sample);
    return FXT_SAMPLE_STACK;
}

static enum fxt_sample_kind from_profiler(const struct fxt_record *record,
                                          struct fxt_sample *sample)
{
    const struct fxt_profiler *p = &record->profiler;
    uint64_t count;

    if (!fxt_sample_is_stack(record, 1))
        return FXT_SAMPLE_NONE;
    count = p->pcs.count;
    FXT_FORGET_ORIGIN(count);
    sample->pcs.data = p->pcs.data;
    sample->pcs.count = count;
    sample->pcs.swapped = record->swapped;
    take_stack(sample, p->timestamp, &p->thread);
    sample->maybe_cut |= p->pcs.count == FXT_BACKTRACE_PCS_MAX;
    return FXT_SAMPLE_STACK;
}

/* A number of what was dropped. Only an emitter that has written its name in full may
 * have needed 64 bits for it. */
static bool is_count(const struct fxt_arg *arg, const char *name)
{
    return (arg->type == FXT_ARG_UINT32 && is_or_unknown(&arg->name, name)) ||
           (arg->type == FXT_ARG_UINT64 && fxt_string_is(arg->name, name));
}

static uint64_t count_of(const struct fxt_arg *arg)
{
    return arg->type == FXT_ARG_UINT32 ? arg->value.uint32 : arg->value.uint64;
}

/* Zircon's per-CPU writer writes a thread of no process inline. In a copy it may be
 * registered, but then the strings have been, too. */
static bool is_cpu(const struct fxt_event *e)
{
    bool is_copy = e->thread.known && e->category.data != NULL && e->name.data != NULL;

    return e->thread.process == 0 && e->thread.thread <= UINT32_MAX &&
           (e->thread.ref == FXT_THREAD_REF_INLINE || is_copy);
}

/* Of a complete duration with two arguments. Zircon's per-CPU writer names the strings by
 * indices that only the kernel's own trace would resolve, so the event's shape has to
 * do. */
static bool is_drop_stats(const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    const struct fxt_arg *args = record->args;

    return is_cpu(e) && is_or_unknown(&e->category, "kernel:meta") &&
           is_or_unknown(&e->name, "drop_stats") && is_count(&args[0], "num_records") &&
           is_count(&args[1], "num_bytes");
}

static FXT_NOINLINE enum fxt_sample_kind from_event(const struct fxt_record *record,
                                                    struct fxt_sample *sample)
{
    if (!is_drop_stats(record))
        return FXT_SAMPLE_NONE;
    *sample = (struct fxt_sample){
        .kind = FXT_SAMPLE_DROPS,
        .timestamp = record->event.timestamp,
        .last_timestamp = record->event.end_timestamp,
        .cpu = (uint32_t)record->event.thread.thread,
        .dropped_records = count_of(&record->args[0]),
        .dropped_bytes = count_of(&record->args[1]),
    };
    return sample->kind;
}

enum fxt_sample_kind fxt_sample_from_record(const struct fxt_record *record,
                                            struct fxt_sample *sample)
{
    sample->kind = FXT_SAMPLE_NONE;
    switch (record->type) {
    case FXT_RECORD_LARGE:
        return from_large_blob(record, sample);
    case FXT_RECORD_PROFILER:
        return from_profiler(record, sample);
    case FXT_RECORD_EVENT:
        if (record->kind != FXT_EVENT_DURATION_COMPLETE || record->n_args != 2)
            return FXT_SAMPLE_NONE;
        return from_event(record, sample);
    default:
        return FXT_SAMPLE_NONE;
    }
}
