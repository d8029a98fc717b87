/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling records of any bytes, and the times that are made of them: whatever is
 * missing or damaged, the CPUs are busy for as long as the threads run. The last byte
 * says how the input is read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/scheduling/sched_times.h"
#include "common/scheduling/thread_names.h"
#include "pooled.h"
#include "read_input.h"

struct target {
    struct sched_times times;
    struct thread_names names;
};

static int take_record(void *context, const struct fxt_record *record)
{
    struct target *t = (struct target *)context;

    sched_times_take(&t->times, record);
    thread_names_take(&t->names, record);
    return 0;
}

static int ignore_error(void *context, const struct fxt_error *error)
{
    (void)context;
    (void)error;
    return 0;
}

static void read_all(struct target *t, const uint8_t *data, size_t size, uint8_t how)
{
    t->times.log.run_length = how >> 3 & 1 ? 3 : 0;
    read_input(data, size, how, take_record, ignore_error, t);
}

static void check_sums(const struct sched_times *t)
{
    uint64_t busy_ns = 0;
    uint64_t run_ns = t->other_run_ns;

    for (size_t i = 0; i < t->n_cpus; i++)
        busy_ns += t->cpus[i].busy_ns;
    for (size_t i = 0; i < t->n_threads; i++)
        run_ns += t->threads[i].run_ns;
    if (busy_ns == run_ns)
        return;
    fprintf(stderr, "CPUs are busy for %llu ns, and threads run for %llu\n",
            (unsigned long long)busy_ns, (unsigned long long)run_ns);
    abort();
}

static void run(void *context)
{
    const struct fuzz_input *in = context;
    struct target t = {.times = {.n_records = 0}};
    uint32_t *numbers;
    uint64_t process;

    read_all(&t, in->data, in->size - 1, in->data[in->size - 1]);
    sched_times_finish(&t.times);
    check_sums(&t.times);
    numbers = memory_allocate(t.times.n_threads * sizeof(*numbers));
    for (size_t n = sched_times_sort(&t.times, numbers); n > 0; n--) {
        const struct latencies *latencies = &t.times.threads[numbers[n - 1]].latencies;

        if (latencies->n > 0 && latencies_percentile(latencies, 99) > latencies->max_ns)
            abort();
        thread_names_find(&t.names, t.times.states.threads[numbers[n - 1]].koid,
                          &process);
    }
    sched_times_free(&t.times);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        run_pooled(run, data, size);
    return 0;
}
