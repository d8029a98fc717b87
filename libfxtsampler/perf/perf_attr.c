/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_attr.h. */
#include "perf_attr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf_call.h"
#include "perf_cycles.h"
#include "perf_sample.h"
#include "perf_unwind.h"

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

static void set_tables(struct perf_event_attr *attr,
                       const struct fxt_sampler_config *config)
{
    attr->sample_type |= PERF_SAMPLE_STACK_FIELDS;
    attr->sample_regs_user = perf_unwinder_registers();
    attr->sample_stack_user =
        config->stack_size > 0 ? config->stack_size : FXT_SAMPLER_STACK_SIZE;
    attr->exclude_callchain_user = 1;
}

static void set_no_tables(struct perf_event_attr *attr)
{
    attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_FIELDS;
    attr->sample_regs_user = 0;
    attr->sample_stack_user = 0;
    attr->exclude_callchain_user = attr->exclude_user;
}

static struct perf_event_attr describe_attr(const struct fxt_sampler_config *config)
{
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

    if (wants_tables(config))
        set_tables(&attr, config);
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

enum fxt_sampler_code perf_attr_find(struct fxt_sampler *sampler,
                                     struct perf_event_attr *attr)
{
    enum fxt_sampler_code code;

    *attr = describe_attr(&sampler->config);
    if (!settle_attr(sampler, attr)) {
        code = perf_call_code(errno);
        explain_failure(sampler);
        return code;
    }
    return has_cycles(&sampler->config) ? perf_cycles_settle(sampler, attr)
                                        : FXT_SAMPLER_OK;
}
