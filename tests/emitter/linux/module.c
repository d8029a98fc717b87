/* SPDX-License-Identifier: BSD-2-Clause */
/* A module of the Linux kernel that takes a sample on each CPU when it is loaded, drains
 * the rings, and reports what it has found. linux.sh compiles it. */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include <asm/irq_regs.h>

#include <fxt/arg.h>
#include <fxt/compiler.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/format.h>
#include <fxt/gate.h>
#include <fxt/pack.h>
#include <fxt/ring.h>
#include <fxt/types.h>
#include <fxt/unwind.h>
#include <fxt/unwind_machine.h>

enum { RING_BYTES = 65536 };

struct cpu_state {
    struct fxt_emit emit;
    struct fxt_gate gate;
    void *ring;
    uint64_t n_pcs;
    /* Too large for a kernel's stack. */
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
};

static DEFINE_PER_CPU(struct cpu_state, cpu_states);

/* Walks the stack of the thread that was interrupted; or of this function, where
 * on_each_cpu calls it with no interrupt. */
static uint64_t walk(uint64_t *pcs)
{
    struct pt_regs *regs = get_irq_regs();
    struct fxt_unwind from = {0};

    from.stack_low = (uintptr_t)task_stack_page(current);
    from.stack_high = from.stack_low + THREAD_SIZE;
    if (!regs)
        return fxt_unwind_walk_here(&from, pcs, FXT_SAMPLER_PCS_MAX);
    from.pc = instruction_pointer(regs);
#ifdef CONFIG_X86
    from.frame = regs->bp;
#endif
    return fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
}

/* On each CPU, with interrupts off. */
static void take_sample(void *unused)
{
    struct cpu_state *cpu = this_cpu_ptr(&cpu_states);
    uint64_t now = ktime_get_mono_fast_ns();
    struct fxt_event event = {0};
    struct fxt_arg arg = fxt_arg_uint32(FXT_TEXT("cpu"), smp_processor_id());

    if (!fxt_gate_enter(&cpu->gate))
        return;
    cpu->n_pcs = walk(cpu->pcs);
    fxt_emit_sample(&cpu->emit, now, current->tgid, current->pid, cpu->pcs, cpu->n_pcs);
    event.timestamp = now;
    event.thread = fxt_thread_from(current->tgid, current->pid);
    event.category = FXT_TEXT("module");
    event.name = fxt_string_at(current->comm, strnlen(current->comm, TASK_COMM_LEN));
    fxt_emit_event(&cpu->emit, FXT_EVENT_INSTANT, &event, &arg, 1);
    fxt_gate_leave(&cpu->gate);
}

static int start_cpu(int number)
{
    struct cpu_state *cpu = per_cpu_ptr(&cpu_states, number);

    cpu->ring = vzalloc(RING_BYTES);
    if (!fxt_emit_init_ring(&cpu->emit, cpu->ring, RING_BYTES, number))
        return -ENOMEM;
    fxt_gate_init(&cpu->gate);
    fxt_gate_enable(&cpu->gate);
    return 0;
}

static void drain_cpu(int number, void *buffer)
{
    struct cpu_state *cpu = per_cpu_ptr(&cpu_states, number);
    struct fxt_ring ring;

    fxt_gate_disable(&cpu->gate);
    if (!fxt_gate_is_quiet(&cpu->gate) || !fxt_ring_open(&ring, cpu->ring, RING_BYTES))
        return;
    pr_info("CPU %d: %llu PCs, %llu bytes, %llu dropped\n", number, cpu->n_pcs,
            fxt_ring_read(&ring, buffer, RING_BYTES), cpu->emit.dropped_records);
}

static void free_rings(void)
{
    int number;

    for_each_possible_cpu(number) vfree(per_cpu_ptr(&cpu_states, number)->ring);
}

static int __init load(void)
{
    void *buffer = vzalloc(RING_BYTES);
    int error = buffer ? 0 : -ENOMEM;
    int number;

    for_each_possible_cpu(number) error = error ? error : start_cpu(number);
    if (!error) {
        on_each_cpu(take_sample, NULL, 1);
        for_each_possible_cpu(number) drain_cpu(number, buffer);
    }
    free_rings();
    vfree(buffer);
    return error;
}

static void __exit unload(void)
{
}

module_init(load);
module_exit(unload);
MODULE_DESCRIPTION("Takes a sample on each CPU");
MODULE_LICENSE("Dual BSD/GPL");
