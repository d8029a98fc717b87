// SPDX-License-Identifier: BSD-2-Clause
/* See sampler.h. Nothing here waits, allocates or takes a lock. */
#include "sampler.h"

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include <asm/irq_regs.h>

/* The gate was entered. */
static void take_sample(struct source *source, struct pt_regs *regs)
{
    struct stack *stack = &source->stack;
    struct counts *counts = &source->counts;
    uint64_t now = ktime_get_mono_fast_ns();

    counts->ticks++;
    if (!regs) {
        counts->no_registers++;
        return;
    }
    stack_take(stack, regs);
    counts->names += names_write(&source->names, &source->emit);
    if (fxt_emit_stack(&source->emit, now, current->tgid, current->pid, stack->pcs,
                       stack->n_pcs, stack->end)) {
        counts->samples++;
        counts->leaf_only += stack->is_leaf_only;
    } else {
        counts->dropped_samples++;
    }
}

ktime_t sampler_choose_time(struct source *source)
{
    source->random = source->random * 1664525 + 1013904223;
    return ns_to_ktime(source->period_ns / 2 +
                       (source->random * source->period_ns >> 32));
}

enum hrtimer_restart sampler_tick(struct hrtimer *timer)
{
    struct source *source = container_of(timer, struct source, timer);
    uint64_t n_periods;

    if (fxt_gate_enter(&source->gate)) {
        take_sample(source, get_irq_regs());
        fxt_gate_leave(&source->gate);
    }
    if (!fxt_gate_arm(&source->gate))
        return HRTIMER_NORESTART;
    n_periods = hrtimer_forward_now(timer, sampler_choose_time(source));
    if (n_periods > 1)
        source->counts.missed += n_periods - 1;
    return HRTIMER_RESTART;
}
