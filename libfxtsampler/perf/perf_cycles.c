/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See perf_attr.h: samples by the CPUs' counters of cycles.
 *
 * The kernel could determine the number of cycles between two samples, and adapt it
 * continuously (attr.freq). But then each sample would stand for a different number, from
 * a single cycle in a thread that has just started, and samples in FXT have no weights.
 * So it is determined once, here.
 */
#include "perf_attr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf_call.h"

void perf_cycles_describe(struct perf_event_attr *attr)
{
    attr->type = PERF_TYPE_HARDWARE;
    attr->config = PERF_COUNT_HW_CPU_CYCLES;
    /* Their addresses would be taken for those of the program that runs them. */
    attr->exclude_guest = 1;
}

void perf_cycles_explain(struct fxt_sampler *sampler, const char *where, int error)
{
    char *reason = sampler->reason;
    const size_t size = sizeof(sampler->reason);

    if (error == ENOENT)
        snprintf(reason, size, "%sthere is no counter of CPU cycles", where);
    else if (error == EOPNOTSUPP)
        snprintf(reason, size,
                 "%sthe counter of CPU cycles cannot take samples: it has no interrupt",
                 where);
    else
        snprintf(reason, size, "%sthe counter of CPU cycles is not available (%s)", where,
                 strerror(error));
}

/* ---- How many cycles a nanosecond has ---------------------------------------------- */

/* Clock rates follow the load: the first part lets the CPU reach its speed. */
enum { WARM_UP_NS = 10000000, MEASURE_NS = 10000000 };

/* Only counts. This thread works outside the kernel, so that is counted in any case. */
static int open_counter(const struct perf_event_attr *attr)
{
    struct perf_event_attr counting = {
        .type = attr->type,
        .size = attr->size,
        .config = attr->config,
        .exclude_kernel = attr->exclude_kernel,
        .exclude_hv = attr->exclude_hv,
        .exclude_guest = attr->exclude_guest,
        .read_format = PERF_READ_FIELDS,
    };

    return perf_call_open(&counting, 0, -1);
}

/* Works for some time, whether it is counted or not. */
static bool work(int counter, uint64_t ns, struct perf_reading *reading)
{
    uint64_t end;

    if (!perf_call_read(counter, reading))
        return false;
    end = reading->enabled_ns + ns;
    while (reading->enabled_ns < end) {
        for (volatile unsigned i = 0; i < 20000; i++)
            continue;
        if (!perf_call_read(counter, reading))
            return false;
    }
    return true;
}

/* Returns 0 if nothing was counted. */
static double measure_rate(int counter)
{
    struct perf_reading from;
    struct perf_reading to;

    if (!work(counter, WARM_UP_NS, &from) || !work(counter, MEASURE_NS, &to) ||
        to.running_ns == from.running_ns)
        return 0;
    return (double)(to.count - from.count) / (double)(to.running_ns - from.running_ns);
}

/* ---- Settling ---------------------------------------------------------------------- */

/* CPUs of one machine may be of several kinds, each with its own counters; an event that
 * does not specify the kind gets the counter of one of them. Returns 0, or the kernel's
 * error. */
static int try_cpu(const struct perf_event_attr *attr, uint32_t cpu)
{
    int event = perf_call_open(attr, 0, (int)cpu);

    if (event < 0)
        return errno == ENODEV ? 0 : errno;
    close(event);
    return 0;
}

static int try_all_cpus(struct fxt_sampler *sampler, const struct perf_event_attr *attr)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        int error = sampler->is_online[cpu] ? try_cpu(attr, cpu) : 0;
        char where[24];

        if (error == 0)
            continue;
        snprintf(where, sizeof(where), "CPU %u: ", cpu);
        perf_cycles_explain(sampler, where, error);
        return error;
    }
    return 0;
}

enum fxt_sampler_code perf_cycles_settle(struct fxt_sampler *sampler,
                                         struct perf_event_attr *attr)
{
    int error = try_all_cpus(sampler, attr);
    double period;
    int counter;

    if (error != 0)
        return perf_call_code(error);
    counter = open_counter(attr);
    if (counter < 0) {
        error = errno;
        perf_cycles_explain(sampler, "", error);
        return perf_call_code(error);
    }
    period = measure_rate(counter) * (double)sampler->config.period_ns;
    close(counter);
    if (period < 1) {
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "the counter of CPU cycles does not count, or is in use by others");
        return FXT_SAMPLER_E_SUPPORT;
    }
    attr->sample_period = (uint64_t)period;
    sampler->period_cycles = attr->sample_period;
    return FXT_SAMPLER_OK;
}
