/* SPDX-License-Identifier: BSD-2-Clause */
/* See summary.h: what is asked for, once all records are there. */
#include "common/base/memory.h"
#include "span_sums.h"
#include "summary.h"

struct finish {
    struct summary *summary;
    const struct summary_wishes *wishes;
    struct event_summary *to;
    /* By the numbers of threads. */
    bool *takes_thread;
    uint64_t n_left_out;
};

/* ---- What is asked for ------------------------------------------------------------- */

static void choose_threads(struct finish *f)
{
    const struct summary *s = f->summary;

    f->takes_thread = memory_allocate(s->threads.n * sizeof(*f->takes_thread));
    for (size_t i = 0; i < s->threads.n; i++)
        f->takes_thread[i] = filter_takes_thread(f->wishes->filter, f->wishes->names,
                                                 s->threads.threads[i].process,
                                                 s->threads.threads[i].thread);
}

static void add_extent(struct event_summary *to, uint64_t from_ns, uint64_t to_ns)
{
    if (!to->has_times || from_ns < to->first_ns)
        to->first_ns = from_ns;
    if (!to->has_times || to_ns > to->last_ns)
        to->last_ns = to_ns;
    to->has_times = true;
}

static bool wants(void *context, uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
    struct finish *f = (struct finish *)context;
    const struct time_window *window = f->wishes->window;

    if (!f->takes_thread[thread] ||
        (window != NULL && (to_ns < window->first_ns || from_ns > window->last_ns))) {
        f->n_left_out++;
        return false;
    }
    add_extent(f->to, from_ns, to_ns);
    return true;
}

/* ---- Each kind --------------------------------------------------------------------- */

static void finish_spans(struct finish *f)
{
    struct summary *s = f->summary;
    struct span_sums sums = {.labels = &s->spans, .window = f->wishes->window};

    labels_make_room(&s->spans, false);
    for (size_t i = 0; i < s->n_logs; i++) {
        if (f->takes_thread[i])
            span_sums_add(&sums, &s->logs[i]);
        else
            f->n_left_out += s->logs[i].n;
        span_log_free(&s->logs[i]);
    }
    f->n_left_out += sums.n_other_time;
    s->tally.n_unopened += sums.tally.n_unopened;
    s->tally.n_unclosed += sums.tally.n_unclosed;
    if (sums.has_times)
        add_extent(f->to, sums.first_ns, sums.last_ns);
    span_sums_free(&sums);
}

static void finish_operations(struct finish *f)
{
    struct summary *s = f->summary;
    struct operations_output async = {wants, f, 0};
    struct operations_output flows = {wants, f, 0};

    labels_make_room(&s->async.labels, false);
    labels_make_room(&s->flows.labels, true);
    operations_add_async(&s->async, &async);
    operations_add_flows(&s->flows, &flows);
    s->n_unopened_async = async.n_unopened;
    s->n_unopened_flows = flows.n_unopened;
    for (size_t i = 0; i < s->instants.n; i++) {
        const struct operation_event *event = &s->instants.events[i];

        if (wants(f, event->thread, event->time_ns, event->time_ns))
            s->instants.labels.all[event->label].count++;
    }
}

static void choose_values(struct finish *f)
{
    struct counters *c = &f->summary->counters;
    size_t kept = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (wants(f, c->values[i].thread, c->values[i].value.time_ns,
                  c->values[i].value.time_ns))
            c->values[kept++] = c->values[i];
    }
    c->n = kept;
}

static void add_thread(struct finish *f, uint32_t number)
{
    const struct sched_times *t = &f->summary->scheduling;
    const struct sched_thread_times *from = &t->threads[number];
    const struct sched_thread *thread = &t->states.threads[number];
    uint64_t process = koid_names_process(f->wishes->names, thread->koid);

    if (!filter_takes_thread(f->wishes->filter, f->wishes->names, process, thread->koid))
        return;
    f->to->threads[f->to->n_threads++] =
        (struct summary_thread){.process = process,
                                .thread = thread->koid,
                                .run_ns = from->run_ns,
                                .wait_ns = from->wait_ns,
                                .blocked_ns = from->blocked_ns,
                                .unknown_ns = from->unknown_ns,
                                .n_switches = thread->n_switches,
                                .n_migrations = thread->n_migrations};
}

static void finish_scheduling(struct finish *f)
{
    struct sched_times *t = &f->summary->scheduling;
    uint32_t *numbers;
    size_t n;

    sched_times_finish(t);
    numbers = memory_allocate(t->n_threads * sizeof(*numbers));
    f->to->threads = memory_allocate(t->n_threads * sizeof(*f->to->threads));
    n = sched_times_sort(t, numbers);
    for (size_t i = 0; i < n; i++)
        add_thread(f, numbers[i]);
    memory_release(numbers);
}

/* ---- All --------------------------------------------------------------------------- */

uint64_t summary_finish(struct summary *s, const struct summary_wishes *wishes,
                        struct event_summary *to)
{
    struct finish f = {.summary = s, .wishes = wishes, .to = to};
    uint32_t *numbers;

    choose_threads(&f);
    finish_spans(&f);
    finish_operations(&f);
    choose_values(&f);
    finish_scheduling(&f);
    numbers = string_table_sort(&s->strings);
    labels_finish(&s->spans, numbers, &to->kinds[SUMMARY_SPANS]);
    labels_finish(&s->async.labels, numbers, &to->kinds[SUMMARY_ASYNC]);
    labels_finish(&s->flows.labels, numbers, &to->kinds[SUMMARY_FLOWS]);
    labels_finish(&s->instants.labels, numbers, &to->kinds[SUMMARY_INSTANTS]);
    counters_finish(&s->counters, numbers, to);
    to->strings = s->strings;
    s->strings = (struct string_table){.n = 0};
    memory_release(numbers);
    memory_release(f.takes_thread);
    return f.n_left_out;
}

void summary_free(struct summary *s)
{
    operations_free(&s->async);
    operations_free(&s->flows);
    operations_free(&s->instants);
    sched_times_free(&s->scheduling);
}
