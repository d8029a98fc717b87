/* SPDX-License-Identifier: BSD-2-Clause */
/* See pipeline.h: comments about samples that are not in the profile. */
#include "pipeline.h"

#include <inttypes.h>

const char *losses_noun(const struct profile *p)
{
    if (p->is_of_heap)
        return "object";
    if (p->is_of_wall_clock)
        return "interval";
    if (p->is_of_waits)
        return "wait";
    return p->is_of_spans ? "span" : "sample";
}

static void add_loss(struct profile_builder *b, enum profile_loss_kind kind,
                     struct text *sentence)
{
    text_char(sentence, '\0');
    profile_builder_add_loss(b, kind, sentence->data);
    text_free(sentence);
}

static void comment_kind(struct profile_builder *b, enum profile_loss_kind kind,
                         uint64_t n, const char *what, const char *rest)
{
    struct text sentence = {NULL, 0, 0};

    if (n == 0)
        return;
    text_count(&sentence, n, what);
    text_str(&sentence, rest);
    add_loss(b, kind, &sentence);
}

static void comment_count(struct profile_builder *b, uint64_t n, const char *what,
                          const char *rest)
{
    comment_kind(b, PROFILE_LOSS_OTHER, n, what, rest);
}

/* ", on CPU 3", or on how many. */
static void add_cpus(struct text *sentence, const struct tally *t)
{
    size_t n = 0;
    size_t last = 0;

    for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
        if (t->drops_by_cpu[cpu].records > 0) {
            last = cpu;
            n++;
        }
    }
    if (n == 1)
        text_printf(sentence, ", on CPU %zu", last);
    else if (n > 1)
        text_printf(sentence, ", on %zu CPUs", n);
}

static void comment_drops(struct profile_builder *b, const struct tally *t)
{
    struct text sentence = {NULL, 0, 0};

    if (t->drops.records == 0 && t->drops.bytes == 0)
        return;
    text_count(&sentence, t->drops.records, "record");
    text_str(&sentence, " dropped by the sampler for lack of room (");
    text_count(&sentence, t->drops.bytes, "byte");
    text_char(&sentence, ')');
    add_cpus(&sentence, t);
    add_loss(b, PROFILE_LOSS_SAMPLER, &sentence);
}

/* All digits, in the largest unit of which it is one: "1.25 s". */
static void add_duration(struct text *sentence, uint64_t ns)
{
    static const char *const units[] = {" ns", " us", " ms", " s"};
    uint64_t size = 1;
    int digits = 0;

    for (; digits < 9 && ns / size >= 1000; digits += 3)
        size *= 1000;
    text_u64(sentence, ns / size);
    if (ns % size != 0) {
        text_printf(sentence, ".%0*" PRIu64, digits, ns % size);
        while (sentence->data[sentence->size - 1] == '0')
            sentence->size--;
    }
    text_str(sentence, units[digits / 3]);
}

static void comment_time(struct profile_builder *b, enum profile_loss_kind kind,
                         uint64_t ns, const char *rest)
{
    struct text sentence = {NULL, 0, 0};

    if (ns == 0)
        return;
    add_duration(&sentence, ns);
    text_str(&sentence, b->profile.is_of_waits ? " of waits" : " of spans");
    text_str(&sentence, rest);
    add_loss(b, kind, &sentence);
}

static void comment_spans(struct profile_builder *b, const struct tally *t)
{
    const struct span_tally *s = &t->spans;

    comment_count(b, s->n_unopened, "end", " of a span ignored: it has no begin");
    comment_count(
        b, s->n_unclosed, "span",
        " without an end: assumed to last until the last begin or end of the thread");
    comment_count(b, s->n_backwards, "span", " left out: the end is before the begin");
    comment_count(b, s->n_too_deep, "span",
                  " nested too deeply: the time is counted for the enclosing span");
    comment_count(b, t->n_unopened_async, "end",
                  " of an asynchronous operation ignored: it has no begin");
    comment_count(b, t->n_unopened_flows, "step or end",
                  " of a flow ignored: it has no begin");
    comment_count(b, s->n_async, "async event", " ignored: not of a thread");
    comment_count(b, s->n_flow, "flow event", " ignored: no duration");
    comment_count(b, t->n_not_spans, "sample", " left out: spans were asked for");
}

static void comment_waits(struct profile_builder *b, const struct tally *t)
{
    const struct wait_tally *w = &t->waits;

    if (b->profile.is_of_wall_clock && w->n_switches == 0)
        profile_builder_add_comment(
            b, "no context switches, so that no waits are in the profile: fxtrecord "
               "--off-cpu, or --trace, records them");
    comment_kind(b, PROFILE_LOSS_FILTERED, w->n_short, "wait",
                 " left out: shorter than asked for");
    comment_time(b, PROFILE_LOSS_FILTERED, w->short_ns,
                 " left out: shorter than asked for");
    comment_count(b, w->n_unknown, "wait", " left out: a switch is missing");
    comment_time(b, PROFILE_LOSS_OTHER, w->unknown_ns, " left out: a switch is missing");
    if (b->profile.is_of_wakeups) {
        comment_count(b, w->n_open, "wakeup", " left out: the thread did not run again");
        comment_count(b, w->n_without_wakeup, "wait",
                      " left out: no record says when it was woken");
    } else {
        comment_count(b, w->n_open, "wait", " that had not ended with the trace");
        comment_count(b, w->n_without_wakeup, "wait",
                      " without a wakeup: all the time counts as blocked");
    }
    comment_count(b, w->n_lost, "scheduling record",
                  " contradicting the one before: a switch is missing");
    comment_count(b, w->n_unusable, "scheduling record",
                  " ignored: the kind, the time or a thread is not known");
    comment_count(b, w->n_full, "buffer",
                  " that was full: switches after that are missing");
    comment_count(b, t->n_not_waits, "sample",
                  " left out: scheduling records were asked for");
}

static void comment_heap(struct profile_builder *b, const struct tally *t)
{
    const struct heap_tally *h = &t->heap;

    comment_count(
        b, h->n_lost_blocks, "block",
        " missing from the snapshot: the table had no room when they were allocated");
    comment_count(b, h->n_lost_stacks, "block", " recorded without a stack");
    comment_count(b, h->n_other_time, "block",
                  " left out: of other times, or unknown ones");
    comment_count(b, h->n_damaged, "entry or block",
                  " of a snapshot with impossible values, or without its stack");
    comment_count(b, h->n_unknown, "part", " of a snapshot left out: of a newer version");
    comment_count(b, t->n_not_heap, "sample",
                  " left out: a difference of heaps was asked for");
    comment_count(b, t->n_only_heap, "block",
                  " of heaps left out: there are samples or spans");
}

static void comment_symbols(struct profile_builder *b, const struct symbol_tally *s)
{
    comment_count(b, s->n_damaged, "recorded symbol", " ignored: impossible values");
    comment_count(b, s->n_unknown, "list", " of symbols ignored: of a newer version");
    comment_count(b, s->n_unread, "JIT symbol", " ignored by the recorder: malformed");
}

static void comment_blobs(struct profile_builder *b, const struct blob_tally *t)
{
    comment_count(b, t->n_unknown_machine, "raw stack",
                  " left out: the registers are of no known machine");
    comment_count(b, t->n_no_registers, "raw stack",
                  " left out: the registers are cut off");
    comment_count(b, t->n_byte_order, "raw stack",
                  " left out: the byte order is not that of this machine");
    comment_count(b, t->n_no_room, "raw stack",
                  " left out: no room for them in the directory for temporary files");
    comment_count(b, t->n_mappings, "raw stack",
                  " left out: the mappings of processes change too often");
    comment_count(b, t->n_short, "raw stack", " with less memory than stated");
    comment_count(b, t->n_gaps, "raw stack",
                  " with a gap between normal and restricted mode");
    comment_count(b, t->n_32_bit, "raw stack",
                  " of a 32-bit program: only the innermost PC is known");
}

static void comment_left_out(struct profile_builder *b, uint64_t n, uint64_t ns,
                             const char *rest)
{
    comment_kind(b, PROFILE_LOSS_FILTERED, n, losses_noun(&b->profile), rest);
    comment_time(b, PROFILE_LOSS_FILTERED, ns, rest);
}

static void comment_filtered(struct profile_builder *b, const struct filter_count *count,
                             const char *rest)
{
    comment_left_out(b, count->n, (uint64_t)count->ns, rest);
}

static void comment_filters(struct profile_builder *b, const struct tally *t)
{
    const struct filter_tally *f = &t->filtered;

    comment_left_out(b, t->n_other_time, t->other_time_ns, " left out: of other times");
    comment_filtered(b, &f->other_process, " left out: of other processes");
    comment_filtered(b, &f->other_thread, " left out: of other threads");
    comment_filtered(b, &f->idle, " left out: idle");
    comment_kind(b, PROFILE_LOSS_FILTERED, f->n_events, "event",
                 " left out: of other times, processes or threads");
    comment_kind(b, PROFILE_LOSS_FILTERED, f->n_above, "frame",
                 " left out: above --skip-above");
    comment_kind(b, PROFILE_LOSS_FILTERED, f->n_below, "frame",
                 " left out: below --skip-below");
    comment_kind(b, PROFILE_LOSS_FILTERED, f->n_recursive, "frame",
                 " left out: recursion");
}

void losses_comment(struct profile_builder *b, const struct tally *t, uint64_t n_errors)
{
    comment_drops(b, t);
    comment_heap(b, t);
    comment_spans(b, t);
    comment_waits(b, t);
    comment_filters(b, t);
    losses_comment_stacks(b);
    comment_count(b, t->n_maybe_cut - t->n_depth_limit, "sample",
                  " with the sampler's maximum of frames: outer ones may be missing");
    comment_count(b, t->n_twice, "caller",
                  " left out: recorded twice, by the link register and by the frame");
    comment_count(b, t->n_undeclared, "sample",
                  " of an event that the recording does not declare: only counted");
    comment_count(b, t->n_refused_events, "declaration",
                  " of an event ignored: impossible values, or too many events");
    comment_count(b, t->n_no_event, "sample",
                  " of another recording, which declares no events");
    comment_count(b, t->n_no_time, "sample",
                  " left out: of an event that is no time, of a second clock, or of an "
                  "unknown period");
    comment_count(b, t->n_late + t->spans.n_late, "time",
                  " of 2^64 ns or more: taken for the last before that");
    comment_count(b, t->n_long, b->profile.is_of_spans ? "span" : "wait",
                  " of 2^63 ns or more: counted as 2^63 - 1 ns");
    comment_blobs(b, &t->blobs);
    comment_count(b, t->n_without_pcs, "sample",
                  b->profile.is_of_captures ? " left out: a stack without frames"
                                            : " left out: without a complete PC");
    comment_kind(b, PROFILE_LOSS_FILTERED, t->n_other_cpu, "sample",
                 " left out: of other CPUs");
    comment_kind(b, PROFILE_LOSS_FILTERED, t->n_no_cpu, "sample",
                 " left out: of an unknown CPU");
    comment_count(b, t->n_lost_mappings, "mapping",
                  " ignored: empty, or of an unknown module");
    comment_symbols(b, &t->symbols);
    comment_count(b, t->n_foreign_lines, "line",
                  " of the log skipped: not part of a stack");
    comment_count(b, t->n_foreign_members, "member",
                  " of the JSON skipped: not a capture");
    comment_count(b, t->n_fractions, "count", " with a fraction, which was cut off");
    comment_count(b, t->n_gaps, "sample", " with a gap: the log lacks frames");
    comment_count(b, t->n_other_boots, "recording",
                  " of another boot or machine than the first: their processes and "
                  "threads are kept apart");
    comment_count(b, t->n_tail_bytes, "byte",
                  " not read: after the zero word that ends a region");
    comment_kind(b, PROFILE_LOSS_DAMAGE, t->n_lost_bytes, "byte",
                 " not read: after a header that does not say where the next record is");
    comment_kind(b, PROFILE_LOSS_DAMAGE, n_errors, "error",
                 " in the input: what could not be read is not counted here");
}
