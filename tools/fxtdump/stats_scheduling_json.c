/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads and CPUs did, as a member of the object of --stats. */
#include "json.h"
#include "stats.h"

/* A member whose comma is not wanted. */
static void add_first(struct text *out, const char *key, uint64_t value)
{
    size_t start = out->size;

    json_u64(out, key, value);
    out->data[start] = '{';
}

static void add_cpu(struct text *out, size_t number, const struct sched_cpu_times *cpu)
{
    add_first(out, "cpu", number);
    json_u64(out, "busy_ns", cpu->busy_ns);
    json_u64(out, "idle_ns", cpu->idle_ns);
    json_u64(out, "unknown_ns", cpu->unknown_ns);
    text_char(out, '}');
}

static void add_cpus(struct text *out, const struct sched_times *t)
{
    bool is_first = true;

    json_key(out, "cpus");
    text_char(out, '[');
    for (size_t i = 0; i < t->n_cpus; i++) {
        const struct sched_cpu_times *cpu = &t->cpus[i];

        if (cpu->busy_ns == 0 && cpu->idle_ns == 0 && cpu->unknown_ns == 0)
            continue;
        if (!is_first)
            text_char(out, ',');
        add_cpu(out, i, cpu);
        is_first = false;
    }
    text_char(out, ']');
}

static void add_latencies(struct text *out, const struct latencies *latencies)
{
    json_u64(out, "wakeups", latencies->n);
    if (latencies->n == 0) {
        json_null(out, "latency_median_ns");
        json_null(out, "latency_p99_ns");
        json_null(out, "latency_max_ns");
        return;
    }
    json_u64(out, "latency_median_ns", latencies_percentile(latencies, 50));
    json_u64(out, "latency_p99_ns", latencies_percentile(latencies, 99));
    json_u64(out, "latency_max_ns", latencies->max_ns);
}

static void add_thread(struct text *out, const struct sched_thread *thread,
                       const struct sched_thread_times *times, uint64_t process,
                       const struct fxt_string *name)
{
    add_first(out, "thread", thread->koid);
    if (process != 0)
        json_u64(out, "process", process);
    else
        json_null(out, "process");
    json_string(out, "name", name);
    json_u64(out, "run_ns", times->run_ns);
    json_u64(out, "wait_ns", times->wait_ns);
    json_u64(out, "blocked_ns", times->blocked_ns);
    json_u64(out, "unknown_ns", times->unknown_ns);
    json_u64(out, "switches", thread->n_switches);
    json_u64(out, "migrations", thread->n_migrations);
    add_latencies(out, &times->latencies);
    text_char(out, '}');
}

static void add_threads(struct text *out, const struct stats *stats)
{
    const struct sched_times *t = &stats->scheduling;
    uint32_t *numbers = memory_allocate(t->n_threads * sizeof(*numbers));
    size_t n = sched_times_sort(t, numbers);
    bool is_first = true;

    json_key(out, "threads");
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        const struct sched_thread *thread = &t->states.threads[numbers[i]];
        uint64_t process;
        struct fxt_string name =
            thread_names_find(&stats->thread_names, thread->koid, &process);

        if (!filter_matches_thread(stats->filter, process, thread->koid))
            continue;
        if (!is_first)
            text_char(out, ',');
        add_thread(out, thread, &t->threads[numbers[i]], process, &name);
        is_first = false;
    }
    text_char(out, ']');
    memory_release(numbers);
}

void stats_print_scheduling_json(struct text *out, struct stats *stats)
{
    struct sched_times *t = &stats->scheduling;

    if (t->n_records == 0)
        return;
    sched_times_finish(t);
    json_key(out, "scheduling");
    add_first(out, "records", t->n_records);
    json_u64(out, "unusable_records", t->n_unusable);
    json_u64(out, "drop_reports", t->n_drops);
    json_u64(out, "lost_switches", t->states.n_lost);
    json_u64(out, "backward_switches", t->log.n_backwards);
    json_u64(out, "switches_without_wakeup", t->states.n_without_wakeup);
    json_u64(out, "needless_wakeups", t->states.n_needless_wakeups);
    add_cpus(out, t);
    add_threads(out, stats);
    json_key(out, "other_threads");
    add_first(out, "records", t->states.n_no_room);
    json_u64(out, "run_ns", t->other_run_ns);
    text_str(out, "}}");
}
