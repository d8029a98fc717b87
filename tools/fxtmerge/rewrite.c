/* SPDX-License-Identifier: BSD-2-Clause */
/* See rewrite.h. */
#include "rewrite.h"

#include <fxt/arg.h>

#include "clock.h"

/* ---- Times ------------------------------------------------------------------------- */

static void shift_event(struct fxt_event *event, uint32_t kind, int64_t ticks, bool *cut)
{
    event->timestamp = clock_add(event->timestamp, ticks, cut);
    if (kind == FXT_EVENT_DURATION_COMPLETE)
        event->end_timestamp = clock_add(event->end_timestamp, ticks, cut);
}

/* The names that a process has had are known since times in nanoseconds. */
static void shift_since(struct fxt_record *record, struct fxt_arg *args, int64_t ns,
                        bool *cut)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (args[i].type == FXT_ARG_UINT64 && fxt_string_is(args[i].name, "since"))
            args[i].value.uint64 = clock_add(args[i].value.uint64, ns, cut);
    }
}

static void shift_times(struct fxt_record *record, struct fxt_arg *args,
                        const struct merged_provider *provider, bool *cut)
{
    int64_t ticks = provider->shift_ticks;

    if (record->type == FXT_RECORD_EVENT)
        shift_event(&record->event, record->kind, ticks, cut);
    if (record->unknown)
        return;
    switch (record->type) {
    case FXT_RECORD_KERNEL_OBJECT:
        shift_since(record, args, provider->shift_ns, cut);
        break;
    case FXT_RECORD_SCHEDULING:
        record->scheduling.timestamp =
            clock_add(record->scheduling.timestamp, ticks, cut);
        break;
    case FXT_RECORD_LOG:
        record->log.timestamp = clock_add(record->log.timestamp, ticks, cut);
        break;
    case FXT_RECORD_PROFILER:
        record->profiler.timestamp = clock_add(record->profiler.timestamp, ticks, cut);
        break;
    case FXT_RECORD_LARGE:
        if (record->large_blob.format == FXT_LARGE_BLOB_METADATA)
            record->large_blob.timestamp =
                clock_add(record->large_blob.timestamp, ticks, cut);
        break;
    default:
        break;
    }
}

/* ---- Machines ---------------------------------------------------------------------- */

struct machine_of_record {
    const struct machines *machines;
    size_t machine;
};

static uint64_t id_of(const struct machine_of_record *m, uint64_t id)
{
    return machines_id(m->machines, m->machine, id);
}

static void renumber_thread(const struct machine_of_record *m, struct fxt_thread *thread)
{
    thread->process = id_of(m, thread->process);
    thread->thread = id_of(m, thread->thread);
}

static void renumber_scheduling(const struct machine_of_record *m,
                                struct fxt_scheduling *scheduling, uint32_t kind)
{
    renumber_thread(m, &scheduling->outgoing);
    renumber_thread(m, &scheduling->incoming);
    scheduling->waking_thread = id_of(m, scheduling->waking_thread);
    if (kind != FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH)
        scheduling->cpu = machines_cpu(m->machines, m->machine, scheduling->cpu);
}

/* "web: nginx" */
static void prefix_name(const struct machine_of_record *m, struct fxt_string *name,
                        struct text *text)
{
    if (name->data == NULL)
        return;
    text->size = 0;
    text_str(text, m->machines->all[m->machine].name);
    text_str(text, ": ");
    text_add(text, name->data, name->size);
    if (text->size > FXT_STRING_SIZE_CAP)
        text->size = FXT_STRING_SIZE_CAP;
    *name = fxt_string_at(text->data, (uint32_t)text->size);
}

static void renumber_object(const struct machine_of_record *m,
                            struct fxt_kernel_object *object, struct text *name)
{
    object->koid = id_of(m, object->koid);
    if (object->type == FXT_OBJECT_PROCESS || object->type == FXT_OBJECT_THREAD)
        prefix_name(m, &object->name, name);
}

static void renumber_fields(const struct machine_of_record *m, struct fxt_record *record,
                            struct text *name)
{
    if (record->type == FXT_RECORD_EVENT)
        renumber_thread(m, &record->event.thread);
    if (record->unknown)
        return;
    switch (record->type) {
    case FXT_RECORD_USERSPACE_OBJECT:
        renumber_thread(m, &record->userspace_object.process);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        renumber_object(m, &record->kernel_object, name);
        break;
    case FXT_RECORD_SCHEDULING:
        renumber_scheduling(m, &record->scheduling, record->kind);
        break;
    case FXT_RECORD_LOG:
        renumber_thread(m, &record->log.thread);
        break;
    case FXT_RECORD_PROFILER:
        renumber_thread(m, &record->profiler.thread);
        break;
    case FXT_RECORD_LARGE:
        renumber_thread(m, &record->large_blob.thread);
        break;
    default:
        break;
    }
}

bool rewrite_record(struct rewriting *rewriting, struct fxt_record *record,
                    const struct merged_provider *provider,
                    const struct machines *machines)
{
    struct machine_of_record m = {machines, (size_t)provider->machine};
    struct fxt_arg *args = rewriting->args;
    bool cut = false;

    for (uint32_t i = 0; i < record->n_args; i++)
        args[i] = record->args[i];
    record->args = args;
    if (provider->shift_ticks != 0)
        shift_times(record, args, provider, &cut);
    if (machines->n < 2)
        return !cut;
    renumber_fields(&m, record, &rewriting->name);
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (args[i].type == FXT_ARG_KOID)
            args[i].value.koid = id_of(&m, args[i].value.koid);
    }
    return !cut;
}
