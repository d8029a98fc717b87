/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_records.h. */
#include "sched_records.h"

#include <fxt/emit_records.h>

#include "regions.h"

static bool emit_switch(struct fxt_emit *emit, const void *context)
{
    const struct switch_record *s = context;

    return fxt_emit_context_switch(emit, s->time, s->cpu, s->state, s->outgoing,
                                   s->incoming, NULL, 0);
}

void sched_write_switch(struct switch_record record)
{
    regions_write_other(record.cpu, emit_switch, &record);
}

static bool emit_wakeup(struct fxt_emit *emit, const void *context)
{
    const struct wakeup_record *w = context;
    struct fxt_arg waker = fxt_arg_koid(FXT_TEXT("waker"), w->waker);

    return fxt_emit_wakeup(emit, w->time, w->cpu, w->thread, &waker, w->waker != 0);
}

void sched_write_wakeup(uint32_t cpu, const struct wakeup_record *record)
{
    regions_write_other(cpu, emit_wakeup, record);
}

/* ---- Large blobs of category "sched" ----------------------------------------------- */

struct sched_blob {
    struct fxt_string name;
    uint64_t time;
    struct fxt_arg args[6];
    uint32_t n_args;
    const struct sched_stack *stack;
};

static void add_arg(struct sched_blob *blob, struct fxt_arg arg)
{
    blob->args[blob->n_args++] = arg;
}

static void add_end(struct sched_blob *blob)
{
    if (blob->stack->end != FXT_STACK_END_UNKNOWN)
        add_arg(blob, fxt_arg_uint32(FXT_TEXT("end"), (uint32_t)blob->stack->end));
}

static bool emit_blob(struct fxt_emit *emit, const void *context)
{
    const struct sched_blob *blob = context;
    const struct sched_stack *stack = blob->stack;
    const struct fxt_string category = FXT_TEXT("sched");
    uint64_t n_words = 6 + fxt_pack_string_words_(category) +
                       fxt_pack_string_words_(blob->name) +
                       fxt_pack_args_words_(blob->args, blob->n_args) + stack->n_pcs;
    uint64_t *record;
    uint64_t *to;

    emit->time = blob->time;
    record = fxt_emit_reserve_(emit, n_words);
    if (record == NULL)
        return false;
    record[1] = FXT_PUT(LARGE_BLOB_CATEGORY, fxt_pack_ref_(category)) |
                FXT_PUT(LARGE_BLOB_NAME, fxt_pack_ref_(blob->name)) |
                FXT_PUT(LARGE_BLOB_ARGS, blob->n_args) |
                FXT_PUT(LARGE_BLOB_THREAD, FXT_THREAD_REF_INLINE);
    to = fxt_pack_string_(record + 2, category);
    to = fxt_pack_string_(to, blob->name);
    *to++ = blob->time;
    *to++ = stack->process;
    *to++ = stack->thread;
    fxt_pack_args_(to, blob->args, blob->n_args);
    fxt_emit_sample_end_(emit, record, n_words, stack->pcs, stack->n_pcs);
    return true;
}

void sched_write_stack(uint32_t cpu, uint64_t time, const struct sched_stack *stack)
{
    struct sched_blob blob = {
        .name = FXT_TEXT("switch_out"), .time = time, .stack = stack};

    add_end(&blob);
    regions_write_other(cpu, emit_blob, &blob);
}

void sched_write_waiting(const struct waiting_record *record)
{
    struct sched_blob blob = {
        .name = FXT_TEXT("waiting"), .time = record->time, .stack = &record->stack};

    add_arg(&blob, fxt_arg_uint32(FXT_TEXT("cpu"), record->cpu));
    add_arg(&blob, fxt_arg_uint32(FXT_TEXT("state"), record->state));
    add_arg(&blob, fxt_arg_uint64(FXT_TEXT("since"), record->since_ns));
    if (record->is_woken)
        add_arg(&blob, fxt_arg_uint64(FXT_TEXT("woken"), record->woken_ns));
    if (record->is_woken && record->waker != 0)
        add_arg(&blob, fxt_arg_koid(FXT_TEXT("waker"), record->waker));
    add_end(&blob);
    regions_write_other(record->cpu, emit_blob, &blob);
}
