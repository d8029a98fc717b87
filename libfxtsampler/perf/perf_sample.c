/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_sample.h. */
#include "perf_sample.h"

#include "perf_body.h"
#include "perf_record.h"

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

static uint64_t count_registers(uint64_t mask)
{
    uint64_t n = 0;

    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
}

static bool read_registers(struct perf_body *body, uint64_t mask,
                           struct perf_sample *sample)
{
    if (!perf_body_take(body, &sample->abi, 8))
        return false;
    sample->registers = body->at;
    return sample->abi == PERF_SAMPLE_REGS_ABI_NONE ||
           perf_body_skip(body, count_registers(mask) * 8);
}

/* The copy is shorter than its size if what is unused of it was left out. */
static bool read_stack(struct perf_body *body, struct perf_sample *sample)
{
    uint64_t copied;

    sample->stack_used = 0;
    if (!perf_body_take(body, &sample->stack_size, 8))
        return false;
    sample->stack = body->at;
    if (sample->stack_size == 0)
        return true;
    if (body->left < 8)
        return false;
    copied = sample->stack_size < body->left - 8 ? sample->stack_size : body->left - 8;
    return perf_body_skip(body, copied) && perf_body_take(body, &sample->stack_used, 8) &&
           sample->stack_used <= copied;
}

static bool has_period(const struct perf_event_attr *attr)
{
    return (attr->sample_type & PERF_SAMPLE_PERIOD) != 0;
}

/* Skips what comes before the size of the copy of the stack. */
static bool skip_to_stack(struct perf_body *body, const struct perf_event_attr *attr)
{
    uint64_t n;
    uint64_t abi;

    return perf_body_skip(body, has_period(attr) ? 40 : 32) &&
           perf_body_take(body, &n, 8) && n <= body->left / 8 &&
           perf_body_skip(body, n * 8) && perf_body_take(body, &abi, 8) &&
           (abi == PERF_SAMPLE_REGS_ABI_NONE ||
            perf_body_skip(body, count_registers(attr->sample_regs_user) * 8));
}

struct perf_gap perf_sample_unused(const struct perf_event_header *record,
                                   const struct perf_event_attr *attr)
{
    const struct perf_gap none = {0, 0};
    struct perf_body body = perf_body_of(record);
    uint64_t size;
    uint64_t used;
    uint64_t kept;

    if ((attr->sample_type & PERF_SAMPLE_STACK_FIELDS) != PERF_SAMPLE_STACK_FIELDS ||
        !skip_to_stack(&body, attr) || !perf_body_take(&body, &size, 8) || size == 0 ||
        body.left != size + 8)
        return none;
    memcpy(&used, body.at + size, 8);
    if (used > size)
        return none;
    kept = (used + 7) / 8 * 8;
    return (struct perf_gap){(size_t)(record->size - body.left + kept),
                             (size_t)(size - kept)};
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
    sample->period = 0;
    sample->time = perf_read_time(record);
    if (!perf_body_take(&body, &sample->ip, 8) ||
        !perf_body_take(&body, &sample->process, 4) ||
        !perf_body_take(&body, &sample->thread, 4) || !perf_body_skip(&body, 16) ||
        (has_period(attr) && !perf_body_take(&body, &sample->period, 8)) ||
        !read_chain(&body, sample))
        return false;
    if ((attr->sample_type & PERF_SAMPLE_REGS_USER) != 0 &&
        !read_registers(&body, attr->sample_regs_user, sample))
        return false;
    return (attr->sample_type & PERF_SAMPLE_STACK_USER) == 0 || read_stack(&body, sample);
}
