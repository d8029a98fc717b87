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
static bool has_no_record(uintptr_t pc)
{
    const volatile uint32_t *code = (const uint32_t *)pc;

    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        uint32_t instruction = code[i];

        if (sets_frame_pointer(instruction) || is_return(instruction))
            return true;
        if (restores_frame(instruction) || is_branch(instruction))
            return false;
    }
    return false;
}

/* ---- Frames ------------------------------------------------------------------------ */

void arch_link_frames(struct trap_frame *trap)
{
    bool is_linked = !has_no_record(trap->pc);

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
