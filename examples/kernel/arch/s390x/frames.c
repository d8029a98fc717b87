/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was interrupted: see arch_find_frames and arch_link_frames in arch.h.
 *
 * The stack pointer leads to a function's frame, and a frame begins with the address of
 * its caller's (-mbackchain). The return address is not beside it but in the caller's
 * frame, where the function has saved its registers.
 */
#include "arch.h"

static bool is_frame(uintptr_t frame)
{
    return frame % sizeof(uintptr_t) == 0 && frame >= (uintptr_t)stacks &&
           frame <= (uintptr_t)stacks + sizeof(stacks) - sizeof(struct frame_area);
}

static const volatile struct frame_area *area_at(uintptr_t frame)
{
    return (const struct frame_area *)frame;
}

/* The caller's frame, and where the frame's function returns to. */
bool s390x_read_frame(void *context, uintptr_t frame, uintptr_t words[2])
{
    (void)context;
    words[0] = area_at(frame)->back_chain;
    words[1] = is_frame(words[0]) ? area_at(words[0])->return_address : 0;
    return true;
}

/* ---- Where a function has no frame ------------------------------------------------- */

/* The maximum length of a prologue, in instructions. */
enum { MAX_INSTRUCTIONS = 8 };

typedef const volatile unsigned char code;

static unsigned size_of(code *at)
{
    return at[0] < 0x40 ? 2 : at[0] < 0xc0 ? 4 : 6;
}

/* stmg %rN, %r15, n(%r15). */
static bool saves_registers(code *at)
{
    return at[0] == 0xeb && (at[1] & 0xf) == 15 && at[2] >> 4 == 15 && at[5] == 0x24;
}

/* lmg %rN, %r15, n(%rM). */
static bool restores_registers(code *at)
{
    return at[0] == 0xeb && (at[1] & 0xf) == 15 && at[5] == 0x04;
}

/* lay %r15, -n(%r15), or aghi %r15, -n. */
static bool makes_frame(code *at)
{
    return (at[0] == 0xe3 && at[1] >> 4 == 15 && at[2] >> 4 == 15 && at[5] == 0x71) ||
           (at[0] == 0xa7 && at[1] == 0xfb);
}

/* stg %rN, 0(%r15), which makes the chain. */
static bool links_frame(code *at)
{
    return at[0] == 0xe3 && (at[1] & 0xf) == 0 && at[2] == 0xf0 && at[3] == 0 &&
           at[4] == 0 && at[5] == 0x24;
}

/* br %rN. */
static bool is_return(code *at)
{
    return at[0] == 0x07 && at[1] >> 4 == 15;
}

/* Calls, and jumps that compare or not. */
static bool is_branch(code *at)
{
    return at[0] == 0x07 || at[0] == 0x0d || at[0] == 0xec || at[0] == 0xc6 ||
           (at[0] == 0xa7 && (at[1] & 0xf) >= 4 && (at[1] & 0xf) <= 7) ||
           (at[0] == 0xc0 && ((at[1] & 0xf) == 4 || (at[1] & 0xf) == 5));
}

/* A function that was interrupted where it has no frame in the chain: its caller's frame,
 * and whether the function has saved there where it returns to. */
struct gap {
    uintptr_t caller;
    bool is_saved;
};

/* The next instructions show it: the one that saves registers, allocates the frame, or
 * stores the back chain; or the one that returns, with none before it that restores
 * registers. */
static bool find_gap(const struct trap_frame *trap, code *at, struct gap *gap)
{
    bool is_saved = true;
    bool is_made = true;

    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        if (links_frame(at)) {
            *gap = (struct gap){is_made ? trap->r[at[1] >> 4] : trap->r[15], is_saved};
            return true;
        }
        if (is_return(at)) {
            *gap = (struct gap){trap->r[15], false};
            return true;
        }
        if (restores_registers(at) || is_branch(at))
            return false;
        is_saved = is_saved && !saves_registers(at);
        is_made = is_made && !makes_frame(at);
        at += size_of(at);
    }
    return false;
}

/* ---- Frames ------------------------------------------------------------------------ */

static uintptr_t caller_of(uintptr_t frame)
{
    return is_frame(frame) ? area_at(frame)->back_chain : 0;
}

bool arch_is_user(const struct trap_frame *trap)
{
    return (trap->mask & PSW_IS_USER) != 0;
}

void arch_link_frames(struct trap_frame *trap)
{
    struct gap gap;

    /* Nothing below the kernel's own frames, and nothing there that could be trusted. */
    if (arch_is_user(trap)) {
        trap->callers[0].back_chain = 0;
        return;
    }
    if (!find_gap(trap, (code *)trap->pc, &gap)) {
        trap->callers[0].back_chain = caller_of(trap->r[15]);
        return;
    }
    trap->callers[1].return_address = gap.is_saved && is_frame(gap.caller)
                                          ? area_at(gap.caller)->return_address
                                          : trap->r[14];
    trap->callers[1].back_chain = caller_of(gap.caller);
    trap->callers[0].back_chain = (uintptr_t)&trap->callers[1];
}

/* The watchdog is let in when the records of a tick are complete, and not before. */
void arch_find_frames(struct trap_frame *trap, struct fxt_unwind *from)
{
    arch_link_frames(trap);
    from->pc = trap->pc;
    from->frame = (uintptr_t)&trap->callers[0];
}

/* ---- User mode --------------------------------------------------------------------- */

/* Reads an aligned word of the program's memory, if there is one at the address. */
static bool read_word(uintptr_t address, uintptr_t *word)
{
    uintptr_t real;

    if (!s390x_find_page(address, &real))
        return false;
    *word = *(const volatile uintptr_t *)real;
    return true;
}

/* As s390x_read_frame does it for the kernel. */
bool arch_read_user(void *context, uintptr_t frame, uintptr_t words[2])
{
    (void)context;
    words[1] = 0;
    return read_word(frame, &words[0]) &&
           (words[0] % sizeof(uintptr_t) != 0 || words[0] == 0 ||
            read_word(words[0] + offsetof(struct frame_area, return_address), &words[1]));
}

/* The program's instructions at an address; what cannot be read is zeros, which are no
 * instruction. */
static void read_code(uintptr_t pc, uintptr_t words[MAX_INSTRUCTIONS])
{
    for (unsigned i = 0; i < MAX_INSTRUCTIONS; i++) {
        words[i] = 0;
        read_word((pc / sizeof(*words) + i) * sizeof(*words), &words[i]);
    }
}

void arch_find_user_frames(const struct trap_frame *trap, struct fxt_unwind *from)
{
    uintptr_t words[MAX_INSTRUCTIONS];
    struct gap gap;

    from->pc = trap->pc;
    from->frame = trap->r[15];
    from->stack_low = trap->r[15];
    read_code(trap->pc, words);
    if (!find_gap(trap, (code *)words + trap->pc % sizeof(*words), &gap))
        return;
    from->frame = gap.caller;
    from->link = trap->r[14];
    if (gap.is_saved)
        read_word(gap.caller + offsetof(struct frame_area, return_address), &from->link);
}
