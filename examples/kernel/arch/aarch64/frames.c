/* SPDX-License-Identifier: BSD-2-Clause */
/* What was interrupted: see arch_find_frames and arch_link_frames in arch.h. */
#include "arch.h"

/* ---- Where a function has no frame record ------------------------------------------ */

/* The maximum length of a prologue or an epilogue: each instruction saves or restores a
 * pair of registers. */
enum { MAX_INSTRUCTIONS = 16 };

static bool is_branch(uint32_t code)
{
    return (code & 0x1c000000) == 0x14000000;
}

static bool is_return(uint32_t code)
{
    return code == 0xd65f03c0;
}

/* mov x29, sp, or add x29, sp, #n. */
static bool sets_frame_pointer(uint32_t code)
{
    return (code & 0xffc003ff) == 0x910003fd;
}

/* ldp x29, x30, from the stack, in any of its forms. */
static bool restores_frame(uint32_t code)
{
    return (code & 0xfe407fff) == 0xa8407bfd;
}

/*
 * Whether the function was interrupted in its prologue or epilogue, without its frame
 * record, so that its return address is in the link register. The next instructions show
 * it: the one that sets the frame pointer, or the one that returns with none before it
 * that restores the caller's.
 */
static bool has_no_record(const volatile uint32_t *code, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t instruction = code[i];

        if (sets_frame_pointer(instruction) || is_return(instruction))
            return true;
        if (restores_frame(instruction) || is_branch(instruction))
            return false;
    }
    return false;
}

/* ---- Frames ------------------------------------------------------------------------ */

bool arch_is_user(const struct trap_frame *trap)
{
    return (trap->state & 0xf) == 0;
}

void arch_link_frames(struct trap_frame *trap)
{
    bool is_linked;

    /* Nothing below the kernel's own frames, and nothing there that could be trusted. */
    if (arch_is_user(trap)) {
        trap->records[0] = 0;
        return;
    }
    is_linked = !has_no_record((const uint32_t *)trap->pc, MAX_INSTRUCTIONS);
    trap->records[2] = trap->x[29];
    trap->records[3] = trap->x[30];
    trap->records[0] = is_linked ? trap->x[29] : (uintptr_t)&trap->records[2];
}

/* Interrupts are off until the records of a tick are complete, so that the watchdog finds
 * none that are not. */
void arch_find_frames(struct trap_frame *trap, struct fxt_unwind *from)
{
    arch_link_frames(trap);
    from->pc = trap->pc;
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

void arch_find_user_frames(const struct trap_frame *trap, struct fxt_unwind *from)
{
    uint32_t code[MAX_INSTRUCTIONS];

    from->pc = trap->pc;
    from->frame = trap->x[29];
    from->stack_low = trap->sp;
    if (has_no_record(code, read_code(trap->pc, code)))
        from->link = trap->x[30];
}
