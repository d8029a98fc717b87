/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_attr.h. */
#include "perf_attr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf_call.h"
#include "perf_ring.h"
#include "perf_sample.h"
#include "libfxtsampler/perf/unwind/perf_unwind.h"

static bool has_cycles(const struct fxt_sampler_config *config)
{
    return (config->flags & FXT_SAMPLER_CYCLES) != 0;
}

/* Whether stacks are to be unwound by tables: those of the kernel need none. */
static bool wants_tables(const struct fxt_sampler_config *config)
{
    return config->call_graph != FXT_SAMPLER_FRAME_POINTERS &&
           (config->flags & FXT_SAMPLER_KERNEL_ONLY) == 0 &&
           perf_unwinder_registers() != 0;
}

/* What is written, read and unwound in time, of a CPU's samples in a second. */
enum { BYTES_A_SECOND_MAX = 400000000 };

/* The ring must hold what comes while the thread that drains it waits: three of its
 * pauses. */
static bool fits_ring(uint64_t stack_size, uint64_t period_ns)
{
    uint64_t rate = perf_sample_rate(stack_size, period_ns);

    return rate <= BYTES_A_SECOND_MAX && rate / 32 <= perf_ring_size(rate);
}

static uint32_t choose_stack_size(uint64_t period_ns)
{
    const uint32_t least = 4096;
    uint32_t size = FXT_SAMPLER_STACK_SIZE;

    while (size > least && !fits_ring(size, period_ns))
        size = (size / 2 + 7) / 8 * 8;
    return size;
}

static void set_tables(struct perf_event_attr *attr, const struct fxt_sampler *sampler)
{
    const struct fxt_sampler_config *config = &sampler->config;
    uint32_t n = sampler->sources.n > 0 ? sampler->sources.n : 1;

    attr->sample_type |= PERF_SAMPLE_STACK_FIELDS;
    attr->sample_regs_user = perf_unwinder_registers();
    attr->sample_stack_user = config->stack_size > 0
                                  ? config->stack_size
                                  : choose_stack_size(config->period_ns / n);
    attr->exclude_callchain_user = 1;
}

static void set_no_tables(struct perf_event_attr *attr)
{
    attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_FIELDS;
    attr->sample_regs_user = 0;
    attr->sample_stack_user = 0;
    attr->exclude_callchain_user = attr->exclude_user;
}

static struct perf_event_attr describe_attr(const struct fxt_sampler *sampler)
{
    const struct fxt_sampler_config *config = &sampler->config;
    bool user_only = (config->flags & FXT_SAMPLER_USER_ONLY) != 0;
    bool kernel_only = (config->flags & FXT_SAMPLER_KERNEL_ONLY) != 0;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = config->period_ns,
        .sample_type = PERF_SAMPLE_FIELDS,
        .read_format = PERF_READ_FIELDS,
        .disabled = 1,
        .exclude_kernel = user_only,
        .exclude_callchain_kernel = user_only,
        .exclude_user = kernel_only,
        .exclude_callchain_user = kernel_only,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .build_id = 1,
    };

    if (sampler->sources.n > 0)
        attr.read_format |= PERF_READ_LOST;
    if (sources_have_weights(&sampler->sources))
        attr.sample_type |= PERF_SAMPLE_PERIOD;
    if (wants_tables(config))
        set_tables(&attr, sampler);
    if (has_cycles(config))
        perf_cycles_describe(&attr);
    return attr;
}

/* Whether the kernel accepts such events. */
static bool try_event(const struct perf_event_attr *attr)
{
    int event = perf_call_open(attr, 0, -1);

    if (event < 0)
        return false;
    close(event);
    return true;
}

static bool is_refused(void)
{
    return errno == EINVAL || errno == E2BIG || errno == EOPNOTSUPP || errno == ENOSYS;
}

static void explain_failure(struct fxt_sampler *sampler)
{
    int error = errno;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = 0;
    bool has_level = file != NULL && fscanf(file, "%d", &level) == 1;

    if (file != NULL)
        fclose(file);
    if (perf_call_code(error) == FXT_SAMPLER_E_PERMISSION && has_level)
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "perf events are forbidden (%s; kernel.perf_event_paranoid is %d)",
                 strerror(error), level);
    else if (has_cycles(&sampler->config) && error != ENOSYS)
        perf_cycles_explain(sampler, "", error);
    else
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "perf events are not available (%s)", strerror(error));
}

/* What the kernel is too old for, or forbids, is done without. */
static bool settle_attr(struct fxt_sampler *sampler, struct perf_event_attr *attr)
{
    if (try_event(attr))
        return true;
    if (is_refused() && (attr->read_format & PERF_READ_LOST) != 0) {
        attr->read_format &= ~(uint64_t)PERF_READ_LOST;
        if (try_event(attr))
            return true;
    }
    if (is_refused()) {
        attr->build_id = 0;
        if (try_event(attr))
            return true;
    }
    if (is_refused() && attr->sample_stack_user > 0 &&
        sampler->config.call_graph == FXT_SAMPLER_CALL_GRAPH_AUTO) {
        set_no_tables(attr);
        if (try_event(attr)) {
            snprintf(sampler->reason, sizeof(sampler->reason),
                     "the kernel copies no stacks: only code with frame pointers has "
                     "whole stacks");
            return true;
        }
    }
    if ((errno != EACCES && errno != EPERM) || attr->exclude_kernel || attr->exclude_user)
        return false;
    attr->exclude_kernel = 1;
    attr->exclude_callchain_kernel = 1;
    if (!try_event(attr))
        return false;
    snprintf(sampler->reason, sizeof(sampler->reason),
             "kernel stacks are forbidden (kernel.perf_event_paranoid)");
    return true;
}

/* ---- Sources ----------------------------------------------------------------------- */

/* Clocks tick; of other events the kernel adapts the number to the frequency. */
static void set_period(struct perf_event_attr *attr, const struct fxt_sampler *sampler,
                       const struct fxt_sampler_source *source)
{
    const uint64_t second = 1000000000;
    uint64_t period_ns = sampler->config.period_ns;

    if (source_is_clock(source))
        return;
    if (sampler->sources.count > 0) {
        attr->sample_period = sampler->sources.count;
        return;
    }
    attr->freq = 1;
    attr->sample_freq = period_ns < second ? second / period_ns : 1;
}

void perf_attr_report_nothing(struct perf_event_attr *attr)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 0;
    attr->build_id = 0;
}

/* What guests do would be taken for the program that runs them. */
struct perf_event_attr perf_attr_of_source(const struct perf_event_attr *attr,
                                           const struct fxt_sampler *sampler,
                                           uint32_t number)
{
    struct perf_event_attr own = *attr;
    const struct fxt_sampler_source *source = &sampler->sources.all[number];

    if (sampler->sources.n == 0)
        return own;
    own.type = source->type;
    own.config = source->config;
    own.config1 = source->config1;
    own.config2 = source->config2;
    own.exclude_guest = source->type != PERF_TYPE_SOFTWARE;
    set_period(&own, sampler, source);
    if (number > 0)
        perf_attr_report_nothing(&own);
    return own;
}

static enum fxt_sampler_code explain_source(struct fxt_sampler *sampler, const char *name)
{
    int error = errno;
    bool is_missing = error == ENOENT || error == EOPNOTSUPP || error == ENODEV ||
                      error == EINVAL || error == ENOSYS;

    if (is_missing)
        snprintf(sampler->reason, sizeof(sampler->reason),
                 error == EOPNOTSUPP ? "%s: this machine's event cannot take samples"
                                     : "%s: this machine has no such event",
                 name);
    else
        snprintf(sampler->reason, sizeof(sampler->reason), "%s: %s", name,
                 strerror(error));
    return is_missing ? FXT_SAMPLER_E_EVENT : perf_call_code(error);
}

static enum fxt_sampler_code try_sources(struct fxt_sampler *sampler,
                                         const struct perf_event_attr *attr)
{
    for (uint32_t i = 0; i < sampler->sources.n; i++) {
        struct perf_event_attr own = perf_attr_of_source(attr, sampler, i);

        if (!try_event(&own))
            return explain_source(sampler, sampler->sources.all[i].name);
    }
    return FXT_SAMPLER_OK;
}

/* ---- The session's ----------------------------------------------------------------- */

enum fxt_sampler_code perf_attr_find(struct fxt_sampler *sampler,
                                     struct perf_event_attr *attr)
{
    enum fxt_sampler_code code;

    *attr = describe_attr(sampler);
    if (!settle_attr(sampler, attr)) {
        code = perf_call_code(errno);
        explain_failure(sampler);
        return code;
    }
    if (has_cycles(&sampler->config))
        return perf_cycles_settle(sampler, attr);
    return try_sources(sampler, attr);
}

/* ---- Other events ------------------------------------------------------------------ */

/* Thousands of them may come in a second. */
enum { SWITCH_STACK_BYTES = 16384 };

static struct perf_event_attr describe_other(const struct perf_event_attr *attr)
{
    struct perf_event_attr other = *attr;

    other.sample_period = 1;
    /* All of it happens in the kernel. */
    other.exclude_kernel = 0;
    other.exclude_user = 0;
    other.exclude_guest = 0;
    other.mmap = other.mmap2 = other.comm = other.comm_exec = other.task = 0;
    other.build_id = 0;
    return other;
}

struct perf_event_attr perf_attr_of_switches(const struct perf_event_attr *attr)
{
    struct perf_event_attr switches = describe_other(attr);

    switches.type = PERF_TYPE_SOFTWARE;
    switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    if (switches.sample_stack_user > SWITCH_STACK_BYTES)
        switches.sample_stack_user = SWITCH_STACK_BYTES;
    return switches;
}

struct perf_event_attr perf_attr_of_wakeups(const struct perf_event_attr *attr,
                                            uint64_t tracepoint)
{
    struct perf_event_attr wakeups = describe_other(attr);

    wakeups.type = PERF_TYPE_TRACEPOINT;
    wakeups.config = tracepoint;
    wakeups.sample_type =
        (PERF_SAMPLE_FIELDS & ~(uint64_t)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_RAW;
    wakeups.sample_regs_user = 0;
    wakeups.sample_stack_user = 0;
    wakeups.exclude_callchain_user = 0;
    wakeups.exclude_callchain_kernel = 0;
    return wakeups;
}
