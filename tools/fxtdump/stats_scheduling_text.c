/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads and CPUs did, as text. */
#include "columns.h"
#include "plain.h"
#include "stats.h"

/* ---- What is not in the times ------------------------------------------------------ */

static void add_note(struct columns *columns, uint64_t n, const char *what)
{
    if (n == 0)
        return;
    columns_u64(columns, n);
    text_str(&columns->cells, what);
    columns_end_cell(columns);
}

static void print_notes(struct text *out, const struct print_context *context,
                        const struct sched_times *t)
{
    struct columns columns;

    columns_start(&columns, "count scheduling");
    add_note(&columns, t->n_unusable,
             "records not used: their kind, time, or a thread is not known");
    add_note(
        &columns, t->n_drops,
        "reports of dropped records: times from there to the next switch are unknown");
    add_note(&columns, t->states.n_lost,
             "switches that do not fit the one before: times in between are unknown");
    add_note(&columns, t->log.n_backwards,
             "switches earlier than the one before of their CPU: sorted");
    add_note(&columns, t->states.n_without_wakeup,
             "switches to blocked threads without a wakeup: all the time counts as "
             "blocked");
    add_note(&columns, t->states.n_needless_wakeups,
             "wakeups of threads that were not blocked: ignored");
    columns_print(out, context, &columns);
}

/* ---- CPUs -------------------------------------------------------------------------- */

static void print_cpus(struct text *out, const struct print_context *context,
                       const struct sched_times *t)
{
    struct columns columns;

    columns_start(&columns, "recorded busy idle unknown %busy cpu");
    for (size_t i = 0; i < t->n_cpus; i++) {
        const struct sched_cpu_times *cpu = &t->cpus[i];
        uint64_t all_ns = cpu->busy_ns + cpu->idle_ns + cpu->unknown_ns;

        if (all_ns == 0)
            continue;
        columns_ns(&columns, all_ns);
        columns_ns(&columns, cpu->busy_ns);
        columns_ns(&columns, cpu->idle_ns);
        columns_ns(&columns, cpu->unknown_ns);
        columns_share(&columns, cpu->busy_ns, all_ns);
        columns_u64(&columns, i);
    }
    columns_print(out, context, &columns);
}

/* ---- Threads ----------------------------------------------------------------------- */

static void add_none(struct columns *columns, size_t n_cells)
{
    for (size_t i = 0; i < n_cells; i++) {
        text_char(&columns->cells, '-');
        columns_end_cell(columns);
    }
}

static void add_latencies(struct columns *columns, const struct latencies *latencies)
{
    columns_u64(columns, latencies->n);
    if (latencies->n == 0) {
        add_none(columns, 3);
        return;
    }
    columns_ns(columns, latencies_percentile(latencies, 50));
    columns_ns(columns, latencies_percentile(latencies, 99));
    columns_ns(columns, latencies->max_ns);
}

static void add_thread(struct columns *columns, const struct stats *stats,
                       uint32_t number)
{
    const struct sched_thread *thread = &stats->scheduling.states.threads[number];
    const struct sched_thread_times *times = &stats->scheduling.threads[number];
    uint64_t process;
    struct fxt_string name =
        thread_names_find(&stats->thread_names, thread->koid, &process);

    if (!filter_matches_thread(stats->filter, process, thread->koid))
        return;
    columns_ns(columns, times->run_ns);
    columns_ns(columns, times->wait_ns);
    columns_ns(columns, times->blocked_ns);
    columns_ns(columns, times->unknown_ns);
    columns_u64(columns, thread->n_switches);
    columns_u64(columns, thread->n_migrations);
    add_latencies(columns, &times->latencies);
    if (process != 0)
        text_printf(&columns->cells, "%llu/", (unsigned long long)process);
    text_u64(&columns->cells, thread->koid);
    if (name.size > 0)
        plain_word(&columns->cells, &name);
    columns_end_cell(columns);
}

static void add_other_threads(struct columns *columns, const struct sched_times *t)
{
    if (t->states.n_no_room == 0)
        return;
    columns_ns(columns, t->other_run_ns);
    add_none(columns, 9);
    text_printf(&columns->cells, "others, beyond the first %zu", t->n_threads);
    columns_end_cell(columns);
}

static void print_threads(struct text *out, const struct print_context *context,
                          const struct stats *stats)
{
    const struct sched_times *t = &stats->scheduling;
    uint32_t *numbers = memory_allocate(t->n_threads * sizeof(*numbers));
    size_t n = sched_times_sort(t, numbers);
    struct columns columns;

    columns_start(&columns, "run wait blocked unknown switches migrations wakeups median "
                            "p99 max thread");
    for (size_t i = 0; i < n; i++)
        add_thread(&columns, stats, numbers[i]);
    add_other_threads(&columns, t);
    columns_print(out, context, &columns);
    memory_release(numbers);
}

void stats_print_scheduling_text(struct text *out, const struct print_context *context,
                                 struct stats *stats)
{
    if (stats->scheduling.n_records == 0)
        return;
    sched_times_finish(&stats->scheduling);
    print_cpus(out, context, &stats->scheduling);
    print_threads(out, context, stats);
    print_notes(out, context, &stats->scheduling);
}
