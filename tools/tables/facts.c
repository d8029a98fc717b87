/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of what is known of the recording, and of what it lacks. */
#include <fxt/record.h>
#include <fxt/writer.h>

#include "events.h"

/* ---- What is known ----------------------------------------------------------------- */

static void add_number(struct producer *p, const char *name, uint64_t number)
{
    if (number != 0)
        PRODUCE_ROW(p, SCHEMA_META, cell_word(name), cell_duration(number), cell_null());
}

static void add_string(struct producer *p, const char *name, struct fxt_string string)
{
    if (string.size > 0)
        PRODUCE_ROW(p, SCHEMA_META, cell_word(name), cell_null(), cell_string(p, string));
}

static void add_word(struct producer *p, const char *name, const char *word)
{
    PRODUCE_ROW(p, SCHEMA_META, cell_word(name), cell_null(), cell_word(word));
}

/* Times of these tables less times of the trace's clock. */
static void add_clock(struct producer *p)
{
    add_word(p, "clock", p->has_wall_clock ? "realtime" : "trace");
    if (p->has_wall_clock && p->clock_ns <= INT64_MAX)
        PRODUCE_ROW(p, SCHEMA_META, cell_word("clock_offset_ns"),
                    cell_int((int64_t)p->wall_ns - (int64_t)p->clock_ns), cell_null());
}

static void add_recordings(struct producer *p)
{
    struct fxt_profile_recording r;

    for (size_t i = 0; fxt_profile_get_recording(p->profile, i, &r) == FXT_OK; i++) {
        add_string(p, "command_line", r.command_line);
        add_string(p, "method", r.method);
        add_string(p, "recorder_version", r.version);
        add_number(p, "recording_start_ns", r.start_ns);
        add_number(p, "recording_period_ns", r.period_ns);
        add_number(p, "throttled", r.n_throttled);
    }
}

/* Of an event that begins a recording, what it states of the machine. */
static void add_machine(struct producer *p, const struct event_walk *w)
{
    for (uint32_t i = 0; i < w->event.n_args; i++) {
        struct fxt_profile_event_arg arg;

        fxt_profile_get_event_arg(p->profile, w->index, i, &arg);
        if (arg.type != FXT_ARG_STRING)
            continue;
        if (fxt_string_is(arg.name, "boot_id"))
            add_string(p, "boot_id", arg.string);
        else if (fxt_string_is(arg.name, "host"))
            add_string(p, "host", arg.string);
    }
}

static void add_machines(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(INSTANT)};

    while (events_next(&w, p)) {
        if (fxt_string_is(w.event.category, "fxtrecord") &&
            fxt_string_is(w.event.name, "recording"))
            add_machine(p, &w);
    }
}

/* The sentences that are not about what is missing. */
static void add_comments(struct producer *p)
{
    size_t n = fxt_profile_n_comments(p->profile) - fxt_profile_n_losses(p->profile);

    for (size_t i = 0; i < n; i++) {
        const char *sentence = fxt_profile_comment(p->profile, i);

        add_string(p, "comment", fxt_string_from(sentence));
    }
}

void produce_meta(struct producer *p)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};

    fxt_profile_get_statistics(p->profile, &s);
    PRODUCE_ROW(p, SCHEMA_META, cell_word("schema_version"), cell_int(SCHEMA_VERSION),
                cell_null());
    add_word(p, "libfxt_version", FXT_VERSION_STRING);
    add_clock(p);
    add_number(p, "start_ns", s.start_ns);
    add_number(p, "duration_ns", s.duration_ns);
    add_number(p, "period_ns", s.period_ns);
    add_recordings(p);
    add_machines(p);
    add_comments(p);
}

/* ---- What is missing --------------------------------------------------------------- */

/* The words of the schema. */
static const char *kind_word(enum fxt_profile_loss_kind kind)
{
    switch (kind) {
    case FXT_PROFILE_LOSS_OTHER:
        break;
    case FXT_PROFILE_LOSS_SAMPLER:
        return "sampler";
    case FXT_PROFILE_LOSS_KERNEL:
        return "kernel";
    case FXT_PROFILE_LOSS_STACKS:
        return "stacks";
    case FXT_PROFILE_LOSS_DAMAGE:
        return "damage";
    case FXT_PROFILE_LOSS_FILTERED:
        return "filtered";
    }
    return "other";
}

static struct cell kind_cell(enum fxt_profile_loss_kind kind)
{
    return cell_word(kind_word(kind));
}

static void add_loss(struct producer *p, const char *name,
                     enum fxt_profile_loss_kind kind, uint64_t n, const char *what)
{
    if (n > 0)
        PRODUCE_ROW(p, SCHEMA_LOSS, cell_word(name), kind_cell(kind), cell_null(),
                    cell_uint(n), cell_word(what));
}

static void add_drop(struct producer *p, const char *name, size_t cpu, uint64_t n)
{
    if (n > 0)
        PRODUCE_ROW(p, SCHEMA_LOSS, cell_word(name), kind_cell(FXT_PROFILE_LOSS_SAMPLER),
                    cell_int((int64_t)cpu), cell_uint(n),
                    cell_word("the sampler had no room"));
}

static void add_drops(struct producer *p)
{
    struct fxt_profile_drops drops;

    for (size_t cpu = 0; fxt_profile_get_drops(p->profile, cpu, &drops) == FXT_OK;
         cpu++) {
        add_drop(p, "dropped_records", cpu, drops.n_records);
        add_drop(p, "dropped_bytes", cpu, drops.n_bytes);
    }
}

/* The stacks that are not whole, by why and in which file. */
static void add_cuts(struct producer *p)
{
    struct fxt_profile_cut cut;
    struct text why = {NULL, 0, 0};

    for (size_t i = 0; fxt_profile_get_cut(p->profile, i, &cut) == FXT_OK; i++) {
        const char *word = stack_ids_ending(cut.end);

        why.size = 0;
        text_str(&why, word != NULL ? word : "unknown");
        if (cut.file.size > 0) {
            text_str(&why, ": ");
            text_add(&why, cut.file.data, cut.file.size);
        }
        PRODUCE_ROW(p, SCHEMA_LOSS, cell_word("cut_stacks"),
                    kind_cell(FXT_PROFILE_LOSS_STACKS), cell_null(),
                    cell_uint(cut.n_samples),
                    cell_string(p, (struct fxt_string){why.data, (uint32_t)why.size, 0}));
    }
    text_free(&why);
}

/* All that was lost as sentences, with what has no number above. */
static void add_sentences(struct producer *p)
{
    for (size_t i = 0; i < fxt_profile_n_losses(p->profile); i++) {
        const char *sentence = fxt_profile_loss(p->profile, i);

        PRODUCE_ROW(p, SCHEMA_LOSS, cell_word("note"),
                    kind_cell(fxt_profile_loss_kind(p->profile, i)), cell_null(),
                    cell_null(), cell_string(p, fxt_string_from(sentence)));
    }
}

void produce_losses(struct producer *p)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};

    fxt_profile_get_statistics(p->profile, &s);
    add_drops(p);
    add_cuts(p);
    add_loss(p, "not_unwound", FXT_PROFILE_LOSS_OTHER, s.n_not_unwound,
             "samples without a stack in the trace");
    add_loss(p, "without_pcs", FXT_PROFILE_LOSS_OTHER, s.n_without_pcs,
             "samples without a whole address");
    add_loss(p, "unusable_inputs", FXT_PROFILE_LOSS_DAMAGE, s.n_unusable_inputs,
             "inputs that cannot be used");
    add_loss(p, "errors", FXT_PROFILE_LOSS_DAMAGE, s.n_errors, "records lost to damage");
    add_loss(p, "unread_bytes", FXT_PROFILE_LOSS_DAMAGE, s.n_unread_bytes,
             "the framing was lost");
    add_loss(p, "filtered", FXT_PROFILE_LOSS_FILTERED,
             s.n_other_process + s.n_other_thread + s.n_other_cpu + s.n_unknown_cpu +
                 s.n_other_time + s.n_idle,
             "samples left out by options");
    add_sentences(p);
}
