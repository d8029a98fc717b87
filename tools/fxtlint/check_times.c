/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_times.h. */
#include "check_times.h"

#include <inttypes.h>

#include <fxt/format.h>

#include "common/base/memory.h"

enum { THREADS_MAX = 1 << 20 };

/* Complete events are written when they begin, by some, and when they end, by others; so
 * they are before or after what they have in them. */
static bool has_order(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_LOG ||
           (record->type == FXT_RECORD_EVENT &&
            record->kind != FXT_EVENT_DURATION_COMPLETE);
}

/* fxtcut closes operations at the edges of windows when it comes to their next events,
 * and marks that. */
static bool is_cut(const struct fxt_record *record)
{
    const struct fxt_arg *mark = fxt_record_arg(record, "cut");

    return mark != NULL && mark->type == FXT_ARG_BOOL && mark->value.boolean;
}

static void report(struct check_times *c, const struct fxt_record *record,
                   const struct fxt_thread *thread, uint64_t ticks)
{
    struct text *text = finding_begin(c->findings, RULE_TIME_BACKWARDS, record->offset);

    if (text == NULL)
        return;
    text_printf(text, "thread %" PRIu64 "/%" PRIu64 ": %" PRIu64 " ticks earlier",
                thread->process, thread->thread, ticks);
    finding_end(c->findings, RULE_TIME_BACKWARDS);
}

static void check_order(struct check_times *c, const struct fxt_record *record,
                        uint64_t time)
{
    const struct fxt_thread *thread = fxt_record_thread(record);
    struct span_thread key;
    size_t before = c->threads.n;
    uint32_t number;

    if (thread == NULL || c->is_full)
        return;
    key = span_thread_of(thread, record->provider->id);
    number = span_thread_set_find(&c->threads, &key);
    if (c->threads.n > before) {
        size_t n = before;

        MEMORY_ADD(c->latest, n, c->capacity, time);
        c->is_full = c->threads.n == THREADS_MAX;
        if (c->is_full)
            finding_add(c->findings, RULE_LIMIT, record->offset);
    } else if (time < c->latest[number]) {
        if (!is_cut(record))
            report(c, record, thread, c->latest[number] - time);
    } else {
        c->latest[number] = time;
    }
}

void check_times(struct check_times *c, const struct fxt_record *record)
{
    uint64_t time, end, ns;

    if (!fxt_record_time(record, &time) || !fxt_record_end(record, &end))
        return;
    if (end < time)
        end = time;
    if (!fxt_ticks_to_ns(end, record->provider->ticks_per_second, &ns) || ns > INT64_MAX)
        finding_add(c->findings, RULE_TIME_OVERFLOW, record->offset);
    if (has_order(record))
        check_order(c, record, time);
}

void check_times_free(struct check_times *c)
{
    span_thread_set_free(&c->threads);
    memory_release(c->latest);
}
