/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_text.h. */
#include "print_text.h"

#include "tools/common/enum_names.h"
#include "plain.h"

/* ---- Scheduling -------------------------------------------------------------------- */

/* The state of the outgoing thread. */
static void add_state(struct text *out, uint32_t state)
{
    const char *name = name_thread_state(state);

    if (name != NULL)
        text_str(out, name);
    else
        text_printf(out, "state %u", (unsigned)state);
}

static void add_context_switch(struct text *out, const struct fxt_scheduling *s)
{
    plain_u64(out, "thread", s->outgoing.thread);
    text_str(out, " (");
    add_state(out, s->outgoing_state);
    text_char(out, ')');
    plain_u64(out, "to thread", s->incoming.thread);
}

static void add_legacy_switch(struct text *out, const struct fxt_scheduling *s)
{
    plain_thread(out, &s->outgoing);
    text_str(out, " (");
    add_state(out, s->outgoing_state);
    text_char(out, ',');
    plain_u64(out, "priority", s->outgoing_priority);
    text_str(out, ") to");
    plain_thread(out, &s->incoming);
    plain_u64(out, "(priority", s->incoming_priority);
    text_char(out, ')');
}

void print_text_scheduling(struct text *out, const struct print_context *context,
                           const struct fxt_record *record)
{
    const struct fxt_scheduling *s = &record->scheduling;

    plain_start(out, context, record);
    if (record->unknown) {
        plain_bytes(out, record->size);
        return;
    }
    plain_u64(out, "cpu", s->cpu);
    if (record->kind == FXT_SCHEDULING_CONTEXT_SWITCH)
        add_context_switch(out, s);
    else if (record->kind == FXT_SCHEDULING_THREAD_WAKEUP)
        plain_u64(out, "thread", s->waking_thread);
    else
        add_legacy_switch(out, s);
    plain_args(out, context, record);
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void add_stack(struct text *out, const struct print_context *context,
                      const struct fxt_thread *thread, struct fxt_words pcs, uint32_t end)
{
    plain_thread(out, thread);
    if (context->words_follow) {
        plain_u64(out, "", pcs.count);
        text_str(out, pcs.count == 1 ? " PC" : " PCs");
        return;
    }
    plain_pcs(out, context, pcs);
    if (end > FXT_STACK_END_OUTERMOST)
        text_printf(out, " (cut: %s)", fxt_stack_end_message(end));
    if (end == FXT_STACK_END_UNKNOWN && pcs.count == FXT_SAMPLER_PCS_MAX)
        text_str(out, " (64 PCs: the stack may be cut)");
}

void print_text_sample(struct text *out, const struct print_context *context,
                       const struct fxt_record *record, const struct fxt_sample *sample)
{
    plain_start(out, context, record);
    add_stack(out, context, &sample->thread, sample->pcs, sample->end);
}

void print_text_drops(struct text *out, const struct print_context *context,
                      const struct fxt_record *record, const struct fxt_sample *sample)
{
    plain_start(out, context, record);
    plain_u64(out, "cpu", sample->cpu);
    plain_u64(out, "dropped", sample->dropped_records);
    text_str(out, sample->dropped_records == 1 ? " record," : " records,");
    plain_bytes(out, sample->dropped_bytes);
    text_str(out, " in all, the last at ");
    plain_seconds(out, record, sample->last_timestamp);
}

/* ---- The profiler ------------------------------------------------------------------ */

static void add_module(struct text *out, const struct fxt_profiler *p)
{
    plain_process(out, &p->thread);
    plain_u64(out, "module", p->module_id);
    plain_word(out, &p->name);
    text_str(out, " build id ");
    if (p->build_id.size == 0)
        text_str(out, "none");
    else if (p->build_id_is_hex)
        text_add(out, p->build_id.data, (size_t)p->build_id.size);
    else
        text_hex_bytes(out, p->build_id.data, (size_t)p->build_id.size);
}

static void add_mapping(struct text *out, const struct fxt_profiler *p)
{
    plain_process(out, &p->thread);
    plain_u64(out, "module", p->module_id);
    plain_hex(out, "at", p->start);
    plain_hex(out, "length", p->length);
    plain_hex(out, "vaddr", p->vaddr);
    text_char(out, ' ');
    text_char(out, p->flags & FXT_MAPPING_READ ? 'r' : '-');
    text_char(out, p->flags & FXT_MAPPING_WRITE ? 'w' : '-');
    text_char(out, p->flags & FXT_MAPPING_EXECUTE ? 'x' : '-');
}

void print_text_profiler(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    const struct fxt_profiler *p = &record->profiler;

    plain_start(out, context, record);
    if (record->unknown) {
        plain_bytes(out, record->size);
        return;
    }
    if (record->kind == FXT_PROFILER_MODULE)
        add_module(out, p);
    else if (record->kind == FXT_PROFILER_MAPPING)
        add_mapping(out, p);
    else
        add_stack(out, context, &p->thread, p->pcs, FXT_STACK_END_UNKNOWN);
}
