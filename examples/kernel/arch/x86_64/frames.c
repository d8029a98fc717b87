/* SPDX-License-Identifier: BSD-2-Clause */
/* What was interrupted: see arch_find_frames and arch_link_frames in arch.h. */
#include "arch.h"
#include "frame.h"

extern const char tick_entry[], tick_entry_end[];

bool arch_is_user(const struct trap_frame *trap)
{
    return (trap->cs & 3) != 0;
}

static uintptr_t word_at(uintptr_t address)
{
    return *(const volatile uintptr_t *)address;
}

/*
 * The return address of a function that was interrupted where it has no frame record:
 * before it has pushed rbp, before that is the frame pointer, and before it returns, when
 * rbp is its caller's again. Elsewhere 0.
 *
 * The current instruction shows it, unless the compiler has moved others in between (see
 * build.sh).
 */
static uintptr_t find_link(uintptr_t pc, uintptr_t sp)
{
    const volatile unsigned char *code = (const unsigned char *)pc;

    if (code[0] == 0x55 || code[0] == 0xc3) /* push %rbp; ret */
        return word_at(sp);
    if (code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5) /* mov %rsp, %rbp */
        return word_at(sp + sizeof(uintptr_t));
    if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
        return word_at(sp); /* endbr64 */
    return 0;
}

/* Fills in the records for a function that was interrupted there. */
static void put_records(struct trap_frame *trap, uintptr_t pc, uintptr_t frame,
                        uintptr_t sp)
{
    uintptr_t link = find_link(pc, sp);

    trap->records[2] = frame;
    trap->records[3] = link;
    trap->records[0] = link != 0 ? (uintptr_t)&trap->records[2] : frame;
}

void arch_link_frames(struct trap_frame *trap)
{
    KEEP_FRAME();
    /* Nothing below the kernel's own frames, and nothing there that could be trusted. */
    if (arch_is_user(trap)) {
        trap->records[0] = 0;
        return;
    }
    put_records(trap, trap->rip, trap->rbp, trap->rsp);
}

/* The tick's frame that `sp` is below, on the tick's stack; NULL if it is on another. */
static struct trap_frame *find_tick(uintptr_t sp)
{
    unsigned char *low = stacks[arch_cpu()][STACK_TICK];

    if (sp <= (uintptr_t)low || sp > (uintptr_t)low + STACK_BYTES)
        return NULL;
    return (struct trap_frame *)(void *)(low + STACK_BYTES) - 1;
}

static bool is_tick_entry(uintptr_t pc)
{
    return pc >= (uintptr_t)tick_entry && pc < (uintptr_t)tick_entry_end;
}

/* An NMI comes even to the tick's entry code, which has not saved or has restored some
 * registers. That counts as what the tick has interrupted. Returns that pc. */
static uintptr_t skip_tick_entry(struct trap_frame *trap, const struct trap_frame *tick)
{
    bool is_saved = trap->rbp == (uintptr_t)tick->records;

    put_records(trap, tick->rip, is_saved ? tick->rbp : trap->rbp, tick->rsp);
    return tick->rip;
}

void arch_find_frames(struct trap_frame *trap, struct fxt_unwind *from)
{
    struct trap_frame *tick = find_tick(trap->rsp);

    if (tick && is_tick_entry(trap->rip)) {
        from->pc = skip_tick_entry(trap, tick);
    } else {
        from->pc = trap->rip;
        arch_link_frames(trap);
        if (tick)
            arch_link_frames(tick);
    }
    from->frame = trap->records[0];
}

/* ---- User mode --------------------------------------------------------------------- */

/* The return address at the top of the stack, where the interrupted function has no frame
 * record: see find_link. */
static uintptr_t find_user_link(uintptr_t pc, uintptr_t sp)
{
    uintptr_t code[2];
    uintptr_t words[2];

    if (!arch_read_user(NULL, pc, code) || !arch_read_user(NULL, sp, words))
        return 0;
    if ((code[0] & 0xff) == 0x55 || (code[0] & 0xff) == 0xc3) /* push %rbp; ret */
        return words[0];
    return (code[0] & 0xffffff) == 0xe58948 ? words[1] : 0; /* mov %rsp, %rbp */
}

void arch_find_user_frames(const struct trap_frame *trap, struct fxt_unwind *from)
{
    from->pc = trap->rip;
    from->frame = trap->rbp;
    from->stack_low = trap->rsp;
    from->link = find_user_link(trap->rip, trap->rsp);
}
