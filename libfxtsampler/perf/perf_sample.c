/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_sample.h. */
#include "perf_sample.h"

#include "perf_body.h"

static bool is_marker(uint64_t pc)
{
    return pc >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool is_kernel_mode(const struct perf_event_header *record)
{
    return (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* Which part of the chain follows a marker: guests and hypervisors are left out. */
enum chain_part { CHAIN_KERNEL, CHAIN_USER, CHAIN_OTHER };

static enum chain_part part_of(uint64_t marker)
{
    switch (marker) {
    case (uint64_t)PERF_CONTEXT_KERNEL:
        return CHAIN_KERNEL;
    case (uint64_t)PERF_CONTEXT_USER:
        return CHAIN_USER;
    default:
        return CHAIN_OTHER;
    }
}

static void add_pc(struct perf_sample *sample, enum chain_part part, uint64_t pc)
{
    if (part == CHAIN_OTHER)
        return;
    if (sample->n_pcs == FXT_SAMPLER_DEPTH_MAX) {
        sample->is_cut = true;
        return;
    }
    sample->pcs[sample->n_pcs++] = pc;
    if (part == CHAIN_KERNEL)
        sample->n_kernel = sample->n_pcs;
}

static bool read_chain(struct perf_body *body, struct perf_sample *sample)
{
    enum chain_part part = sample->in_kernel ? CHAIN_KERNEL : CHAIN_USER;
    uint64_t n;

    sample->n_kernel = 0;
    sample->n_pcs = 0;
    sample->is_cut = false;
    if (!perf_body_take(body, &n, 8) || n > body->left / 8)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t pc = 0;

        perf_body_take(body, &pc, 8);
        if (is_marker(pc))
            part = part_of(pc);
        else
            add_pc(sample, part, pc);
    }
    return true;
}

static bool read_registers(struct perf_body *body, uint64_t mask,
                           struct perf_sample *sample)
{
    uint64_t n = 0;

    if (!perf_body_take(body, &sample->abi, 8))
        return false;
    sample->registers = body->at;
    for (; mask != 0; mask &= mask - 1)
        n++;
    return sample->abi == PERF_SAMPLE_REGS_ABI_NONE || perf_body_skip(body, n * 8);
}

static bool read_stack(struct perf_body *body, struct perf_sample *sample)
{
    sample->stack_used = 0;
    if (!perf_body_take(body, &sample->stack_size, 8))
        return false;
    sample->stack = body->at;
    if (sample->stack_size == 0)
        return true;
    return perf_body_skip(body, sample->stack_size) &&
           perf_body_take(body, &sample->stack_used, 8) &&
           sample->stack_used <= sample->stack_size;
}

bool perf_sample_read(const struct perf_event_header *record,
                      const struct perf_event_attr *attr, struct perf_sample *sample)
{
    struct perf_body body = perf_body_of(record);

    sample->in_kernel = is_kernel_mode(record);
    sample->abi = PERF_SAMPLE_REGS_ABI_NONE;
    sample->registers = NULL;
    sample->stack_size = 0;
    sample->stack_used = 0;
    if (!perf_body_take(&body, &sample->ip, 8) ||
        !perf_body_take(&body, &sample->process, 4) ||
        !perf_body_take(&body, &sample->thread, 4) ||
        !perf_body_take(&body, &sample->time, 8) || !read_chain(&body, sample))
        return false;
    if ((attr->sample_type & PERF_SAMPLE_REGS_USER) != 0 &&
        !read_registers(&body, attr->sample_regs_user, sample))
        return false;
    return (attr->sample_type & PERF_SAMPLE_STACK_USER) == 0 || read_stack(&body, sample);
}
