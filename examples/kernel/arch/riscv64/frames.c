/* SPDX-License-Identifier: BSD-2-Clause */
/* What was interrupted: see arch_find_frames and arch_link_frames in arch.h. */
#include "arch.h"

extern const char tick_entry[], tick_entry_end[];

/* ---- Where a function has no frame record ------------------------------------------ */

/* The maximum length of a prologue or an epilogue: each instruction saves or restores a
 * register. */
enum { MAX_INSTRUCTIONS = 20 };

static bool is_branch(uint32_t code)
{
    uint32_t opcode = code & 0x7f;

    return opcode == 0x63 || opcode == 0x67 || opcode == 0x6f;
}

static bool is_return(uint32_t code)
{
    return code == 0x00008067;
}

/* addi s0, sp, n. */
static bool sets_frame_pointer(uint32_t code)
{
    return (code & 0xfffff) == 0x10413;
}

/* ld s0, n(sp). */
static bool restores_frame_pointer(uint32_t code)
{
    return (code & 0xfffff) == 0x13403;
}

/*
 * Whether the function was interrupted in its prologue or epilogue, while the frame
 * pointer is the caller's. Its return address is in ra then. The next instructions show
 * it: the one that sets the frame pointer, or the one that returns with none before it
 * that restores the caller's. There are no compressed instructions here (see build.sh).
 */
static bool has_no_record(const volatile uint32_t *code, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t instruction = code[i];

        if (sets_frame_pointer(instruction) || is_return(instruction))
            return true;
        if (restores_frame_pointer(instruction) || is_branch(instruction))
            return false;
    }
    return false;
}

/* Whether the address leads to a stack, so that it is no return address. */
static bool is_stack(uintptr_t address)
{
    return address >= (uintptr_t)stacks && address < (uintptr_t)stacks + sizeof(stacks);
}

/* Whether the interrupted function, which has set its frame pointer, calls nothing. It
 * has not saved the return address then, and its caller's frame stands in its place. */
static bool is_leaf(uintptr_t frame)
{
    const volatile uintptr_t *record = (const uintptr_t *)frame - 2;

    return frame % sizeof(*record) == 0 && is_stack((uintptr_t)record) &&
           is_stack(record[1]);
}

/* ---- Frames ------------------------------------------------------------------------ */

/* What the frame pointer is that leads to a record here. */
static uintptr_t frame_of(const uintptr_t *record)
{
    return (uintptr_t)(record + 2);
}

/* Fills in the records for a function that was interrupted there, with these in its
 * registers: `link` for its caller, if no record has that. */
static void put_records(struct trap_frame *trap, uintptr_t pc, uintptr_t frame,
                        uintptr_t link)
{
    bool is_callers = has_no_record((const uint32_t *)pc, MAX_INSTRUCTIONS);

    trap->records[0] = frame;
    if (!is_callers && !is_leaf(frame))
        return;
    trap->records[2] = is_callers ? frame : ((const uintptr_t *)frame)[-1];
    trap->records[3] = link;
    trap->records[0] = frame_of(&trap->records[2]);
}

bool arch_is_user(const struct trap_frame *trap)
{
    return trap->x[X_PC] - USER_BASE < USER_BYTES;
}

void arch_link_frames(struct trap_frame *trap)
{
    /* Nothing below the kernel's own frames, and nothing there that could be trusted. */
    if (arch_is_user(trap)) {
        trap->records[0] = 0;
        return;
    }
    put_records(trap, trap->x[X_PC], trap->x[X_S0], trap->x[X_RA]);
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

/* The watchdog comes even to the tick's entry code, which has not saved or has restored
 * some registers. That counts as what the tick has interrupted. Returns that pc. */
static uintptr_t skip_tick_entry(struct trap_frame *trap)
{
    uintptr_t top = (uintptr_t)stacks[arch_cpu()][STACK_TICK] + STACK_BYTES;
    const struct trap_frame *tick = (const struct trap_frame *)top - 1;
    bool is_saved = trap->x[X_S0] == frame_of(tick->records);
    const uintptr_t *x = is_saved ? tick->x : trap->x;
    uintptr_t pc;

    __asm__ volatile("csrr %0, sepc" : "=r"(pc));
    put_records(trap, pc, x[X_S0], x[X_RA]);
    return pc;
}

void arch_find_frames(struct trap_frame *trap, struct fxt_unwind *from)
{
    struct trap_frame *tick = find_tick(trap->x[X_SP]);

    from->pc = trap->x[X_PC];
    if (is_tick_entry(from->pc)) {
        from->pc = skip_tick_entry(trap);
    } else {
        arch_link_frames(trap);
        if (tick)
            arch_link_frames(tick);
    }
    from->frame = trap->records[0];
}

/* ---- User mode --------------------------------------------------------------------- */

/* The program's instructions at an address; returns how many can be read. */
static unsigned read_code(uintptr_t pc, uint32_t code[MAX_INSTRUCTIONS])
{
    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        uintptr_t address = pc + i * sizeof(*code);
        uintptr_t offset = address % sizeof(uintptr_t);
        uintptr_t words[2];

        if (!arch_read_user(NULL, address - offset, words))
            return i;
        code[i] = (uint32_t)(words[0] >> offset * 8);
    }
    return MAX_INSTRUCTIONS;
}

/* As put_records does it for the kernel. */
void arch_find_user_frames(const struct trap_frame *trap, struct fxt_unwind *from)
{
    uint32_t code[MAX_INSTRUCTIONS];
    uintptr_t words[2];

    from->pc = trap->x[X_PC];
    from->frame = trap->x[X_S0];
    from->stack_low = trap->x[X_SP];
    if (has_no_record(code, read_code(from->pc, code))) {
        from->link = trap->x[X_RA];
    } else if (from->frame % sizeof(uintptr_t) == 0 &&
               arch_read_user(NULL, from->frame - sizeof(words), words) &&
               words[1] >= from->stack_low && words[1] <= USER_BASE + USER_BYTES) {
        from->link = trap->x[X_RA];
        from->frame = words[1];
    }
}
