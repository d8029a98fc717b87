/* SPDX-License-Identifier: BSD-2-Clause */
/* See sampler.h. Nothing here waits, allocates or is written by two at a time. */
#include "sampler.h"

#include <fxt/emit.h>

#include "kernel.h"
#include "session.h"
#include "user.h"

static bool is_kernel_text(void *context, uintptr_t pc)
{
    (void)context;
    return pc >= (uintptr_t)text_start && pc < (uintptr_t)text_end;
}

static bool is_sampler_text(uintptr_t pc)
{
    return pc >= (uintptr_t)sampler_start && pc < (uintptr_t)sampler_end;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Lets the walk onto all stacks of this CPU, since there may be frames on each. */
static void find_stacks(struct fxt_unwind *from, struct fxt_unwind_range ranges[N_STACKS])
{
    for (unsigned i = 0; i < N_STACKS; i++) {
        ranges[i].low = (uintptr_t)stacks[arch_cpu()][i];
        ranges[i].high = ranges[i].low + STACK_BYTES;
    }
    from->stacks = ranges;
    from->n_stacks = N_STACKS;
}

/* Leaves the sampler's frames out, wherever they are: a watchdog finds the sampler at
 * work in a tick, and a tick in a probe. */
static uint64_t leave_out_sampler(uint64_t *pcs, uint64_t n_pcs)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < n_pcs; i++)
        if (!is_sampler_text((uintptr_t)pcs[i]))
            pcs[n++] = pcs[i];
    return n;
}

/* ---- Writing ----------------------------------------------------------------------- */

static void write_sample(struct source *source, const uint64_t *pcs, uint64_t n_pcs)
{
    if (!fxt_gate_enter(&source->gate))
        return;
    source->n_taken++;
    fxt_emit_sample(&source->emit, arch_ticks(), kernel_process(), kernel_thread(), pcs,
                    n_pcs);
    fxt_gate_leave(&source->gate);
}

/* ---- From interrupts, with the registers ------------------------------------------- */

static void take_interrupted(enum source_id id, struct trap_frame *trap)
{
    struct source *source = session_source(arch_cpu(), id);
    struct fxt_unwind from = {.is_code = is_kernel_text, .read = ARCH_UNWIND_READ};
    struct fxt_unwind_range ranges[N_STACKS];
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    if (!fxt_gate_is_enabled(&source->gate))
        return;
    arch_find_frames(trap, &from);
    find_stacks(&from, ranges);
    n_pcs = fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
    write_sample(source, pcs, leave_out_sampler(pcs, n_pcs));
}

void sampler_take_tick(struct trap_frame *trap)
{
    take_interrupted(SOURCE_TICK, trap);
}

void sampler_take_watchdog(struct trap_frame *trap)
{
    take_interrupted(SOURCE_WATCHDOG, trap);
}

/* ---- From here, by counting frames ------------------------------------------------- */

/* The first frame is that of the function that this is put into. */
static FXT_ALWAYS_INLINE uint64_t walk_from_here(uint32_t skip, uint64_t *pcs)
{
    struct fxt_unwind how = {
        .skip = skip, .is_code = is_kernel_text, .read = ARCH_UNWIND_READ};
    struct fxt_unwind_range ranges[N_STACKS];

    find_stacks(&how, ranges);
    return fxt_unwind_walk_here(&how, pcs, FXT_SAMPLER_PCS_MAX);
}

void sampler_take_hook(void)
{
    struct source *source = session_source(arch_cpu(), SOURCE_TICK);
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    if (!fxt_gate_is_enabled(&source->gate))
        return;
    n_pcs = walk_from_here(ARCH_SKIP_HOOK, pcs);
    /* Frame records have return addresses, so for the interrupted instruction the entry
     * code has stored the address plus one. Readers expect the exact address of the leaf.
     */
    if (n_pcs > 0)
        pcs[0]--;
    write_sample(source, pcs, leave_out_sampler(pcs, n_pcs));
}

void sampler_take_probe(void)
{
    struct source *source = session_source(arch_cpu(), SOURCE_PROBE);
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];

    if (!fxt_gate_is_enabled(&source->gate))
        return;
    write_sample(source, pcs, walk_from_here(ARCH_SKIP_PROBE, pcs));
}

/* ---- User mode --------------------------------------------------------------------- */

/* Whether a sample of the program on a CPU is due. */
static bool is_due[N_CPUS];

void sampler_mark_user(void)
{
    is_due[arch_cpu()] = true;
}

static enum fxt_stack_end end_of(enum fxt_unwind_stop why)
{
    switch (why) {
    case FXT_UNWIND_OUTERMOST:
        return FXT_STACK_END_OUTERMOST;
    case FXT_UNWIND_FULL:
        return FXT_STACK_END_DEPTH;
    case FXT_UNWIND_UNREADABLE:
    case FXT_UNWIND_OUTSIDE:
        return FXT_STACK_END_UNREADABLE;
    case FXT_UNWIND_NOT_CODE:
        return FXT_STACK_END_NOT_CODE;
    case FXT_UNWIND_MISALIGNED:
    case FXT_UNWIND_BACKWARDS:
        return FXT_STACK_END_NO_PROGRESS;
    case FXT_UNWIND_UNKNOWN_MACHINE:
        return FXT_STACK_END_NO_TABLE;
    }
    return FXT_STACK_END_UNKNOWN;
}

static void write_user_sample(struct source *source, struct trap_frame *trap)
{
    struct fxt_unwind from = {.stack_high = USER_BASE + USER_BYTES,
                              .is_code = user_is_text,
                              .read = arch_read_user};
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    enum fxt_unwind_stop why;
    uint64_t n_pcs;

    arch_find_user_frames(trap, &from);
    n_pcs = fxt_unwind_walk_why(&from, pcs, FXT_SAMPLER_PCS_MAX, &why);
    if (!fxt_gate_enter(&source->gate))
        return;
    source->n_taken++;
    fxt_emit_stack(&source->emit, arch_ticks(), kernel_user_process(),
                   kernel_user_thread(), pcs, n_pcs, end_of(why));
    fxt_gate_leave(&source->gate);
}

void sampler_take_user(struct trap_frame *trap)
{
    struct source *source = session_source(arch_cpu(), SOURCE_USER);

    if (!is_due[arch_cpu()] || !arch_is_user(trap))
        return;
    is_due[arch_cpu()] = false;
    if (fxt_gate_is_enabled(&source->gate))
        write_user_sample(source, trap);
}
