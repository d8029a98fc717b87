/* SPDX-License-Identifier: BSD-2-Clause */
/* See filter.h: the options, and samples of other processes and threads. */
#include "filter.h"

#include <string.h>

#include "common/base/glob.h"

/* ---- Options ----------------------------------------------------------------------- */

void filter_add_number(struct filter_numbers *to, uint64_t number)
{
    MEMORY_ADD(to->numbers, to->n, to->capacity, number);
}

bool filter_add_pattern(struct filter_patterns *to, const char *pattern)
{
    MEMORY_ADD(to->patterns, to->n, to->capacity, pattern);
    return pattern[0] != '\0';
}

static void release_expression(void *context)
{
    regfree(&((struct filter_expression *)context)->compiled);
}

bool filter_add_expression(struct filter_expressions *to, const char *extended)
{
    struct filter_expression *expression;

    if (extended[0] == '\0')
        return false;
    to->expressions = (struct filter_expression **)memory_grow(
        to->expressions, to->n, &to->capacity, sizeof(struct filter_expression *));
    expression = (struct filter_expression *)memory_allocate(sizeof(*expression));
    if (regcomp(&expression->compiled, extended, REG_EXTENDED | REG_NOSUB) != 0) {
        memory_release(expression);
        return false;
    }
    memory_cleanup_add(&expression->cleanup, release_expression, expression);
    to->expressions[to->n++] = expression;
    return true;
}

static void free_expressions(struct filter_expressions *expressions)
{
    for (size_t i = 0; i < expressions->n; i++) {
        struct filter_expression *expression = expressions->expressions[i];

        memory_cleanup_remove(&expression->cleanup);
        release_expression(expression);
        memory_release(expression);
    }
    memory_release(expressions->expressions);
}

void filter_free(struct filter *f)
{
    memory_release(f->processes.numbers);
    memory_release(f->threads.numbers);
    memory_release(f->process_names.patterns);
    free_expressions(&f->idle);
    free_expressions(&f->above);
    free_expressions(&f->below);
}

/* ---- Times ------------------------------------------------------------------------- */

uint64_t time_window_length(const struct time_window *window, uint64_t from_ns,
                            uint64_t to_ns)
{
    if (window == NULL)
        return to_ns - from_ns;
    if (from_ns < window->first_ns)
        from_ns = window->first_ns;
    if (to_ns > window->last_ns)
        to_ns = window->last_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

/* ---- Samples ----------------------------------------------------------------------- */

static bool has_number(const struct filter_numbers *numbers, uint64_t number)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->numbers[i] == number)
            return true;
    }
    return false;
}

static bool is_process_kept(const struct filter *f, const struct koid_names *names,
                            struct koid_names_id process)
{
    struct string name;

    if (f->processes.n == 0 && f->process_names.n == 0)
        return true;
    if (has_number(&f->processes, boots_koid(&names->boots, process.koid).koid))
        return true;
    name = koid_names_name(names, process);
    for (size_t i = 0; i < f->process_names.n; i++) {
        if (name.size > 0 &&
            glob_matches(f->process_names.patterns[i], name.data, name.size))
            return true;
    }
    return false;
}

static bool has_kept_id(const struct filter *f, const struct koid_names *names,
                        uint64_t thread)
{
    return f->threads.n == 0 ||
           has_number(&f->threads, boots_koid(&names->boots, thread).koid);
}

void filter_count(struct filter_count *count, const struct profile *p, size_t sample)
{
    count->n += profile_count(p, sample);
    if (profile_is_of_times(p))
        count->ns = profile_add_up(count->ns, p->values[sample * p->n_types + 1]);
}

/* Whether a sample is kept; if not, it is counted. */
static bool is_sample_kept(const struct filter *f, const struct profile *p, size_t sample,
                           struct filter_tally *tally)
{
    const struct profile_labels *labels = &p->labels[p->samples[sample].labels];

    if (!is_process_kept(f, &p->koid_names, profile_process(labels))) {
        filter_count(&tally->other_process, p, sample);
        return false;
    }
    if (!has_kept_id(f, &p->koid_names, labels->thread)) {
        filter_count(&tally->other_thread, p, sample);
        return false;
    }
    return true;
}

void filter_samples(const struct filter *f, struct profile_builder *b,
                    struct filter_tally *tally)
{
    struct profile *p = &b->profile;
    size_t kept = 0;

    if (f->processes.n == 0 && f->process_names.n == 0 && f->threads.n == 0)
        return;
    for (size_t i = 0; i < p->n_samples; i++) {
        if (is_sample_kept(f, p, i, tally))
            profile_builder_move_sample(b, i, kept++);
    }
    profile_builder_keep_first(b, kept);
}

/* ---- Events ------------------------------------------------------------------------ */

bool filter_takes_thread(const struct filter *f, const struct koid_names *names,
                         uint64_t process, uint64_t thread)
{
    if (process == 0)
        process = koid_names_process(names, thread);
    return is_process_kept(f, names, (struct koid_names_id){KOID_PROCESS, process, 0}) &&
           has_kept_id(f, names, thread);
}

static bool is_time_kept(const struct time_window *window, uint64_t from_ns,
                         uint64_t to_ns)
{
    return window == NULL || (to_ns >= window->first_ns && from_ns <= window->last_ns);
}

/* A thread by its number among those of events. */
static bool is_thread_kept(const struct filter *f, const struct profile *p,
                           uint32_t number)
{
    const struct profile_event_thread *thread = &p->events.threads[number];

    return filter_takes_thread(f, &p->koid_names, thread->process, thread->thread);
}

/* What is dropped on a CPU is of no process. */
static bool is_event_kept(const struct filter *f, const struct time_window *window,
                          const struct profile *p, const struct profile_event *event)
{
    return is_time_kept(window, event->time_ns, event->end_ns) &&
           (event->kind == PROFILE_EVENT_DROPS || is_thread_kept(f, p, event->thread));
}

/* While a CPU runs threads that are left out, it is idle for those that are kept. */
static void filter_runs(const struct filter *f, const struct time_window *window,
                        struct profile *p)
{
    struct profile_scheduling *s = &p->events.scheduling;
    size_t kept = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        struct profile_run run = s->runs[i];

        if (!is_time_kept(window, run.from_ns, run.to_ns))
            continue;
        if (run.kind == PROFILE_RUN_BUSY && !is_thread_kept(f, p, run.thread)) {
            run.kind = PROFILE_RUN_IDLE;
            run.thread = PROFILE_NO_THREAD;
        }
        s->runs[kept++] = run;
    }
    s->n_runs = kept;
}

static void filter_waits(const struct filter *f, const struct time_window *window,
                         struct profile *p)
{
    struct profile_scheduling *s = &p->events.scheduling;
    size_t kept = 0;

    for (size_t i = 0; i < s->n_waits; i++) {
        struct profile_wait wait = s->waits[i];

        if (!is_time_kept(window, wait.from_ns, wait.to_ns) ||
            !is_thread_kept(f, p, wait.thread))
            continue;
        /* The run before it is left out. */
        if (window != NULL && wait.from_ns < window->first_ns)
            wait.follows_run = false;
        s->waits[kept++] = wait;
    }
    s->n_waits = kept;
}

/* By the new numbers of the events before this one. A parent that is left out has ended
 * before the times that are wanted. */
static struct profile_nesting move_nesting(struct profile_nesting nesting,
                                           const uint32_t *numbers)
{
    if (nesting.parent != PROFILE_NO_EVENT)
        nesting.parent = numbers[nesting.parent];
    return nesting;
}

void filter_events(const struct filter *f, const struct time_window *window,
                   struct profile_builder *b, struct filter_tally *tally)
{
    struct profile_events *list = &b->profile.events;
    uint32_t *numbers = list->nesting != NULL
                            ? (uint32_t *)memory_allocate(list->n * sizeof(*numbers))
                            : NULL;
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        bool is_kept = is_event_kept(f, window, &b->profile, &list->events[i]);

        if (is_kept)
            list->events[kept] = list->events[i];
        if (numbers != NULL) {
            numbers[i] = is_kept ? (uint32_t)kept : PROFILE_NO_EVENT;
            list->nesting[kept] = move_nesting(list->nesting[i], numbers);
        }
        kept += is_kept;
    }
    memory_release(numbers);
    filter_runs(f, window, &b->profile);
    filter_waits(f, window, &b->profile);
    tally->n_events += list->n - kept;
    list->n = kept;
}
