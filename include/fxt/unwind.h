/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds a stack by frame pointers: the callers of an interrupted instruction.
 *
 *     struct fxt_unwind from = {0};
 *
 *     from.pc = regs->rip;
 *     from.frame = regs->rbp;
 *     from.stack_low = regs->rsp;
 *     from.stack_high = stack_end;
 *     n_pcs = fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
 *
 * Code built with -fno-omit-frame-pointer keeps, in each function's frame, a *frame
 * record*: two words, the address of the caller's frame and the return address. The frame
 * pointer register points to the first, and each points to the next.
 *
 * A stack may hold anything, so no word of it is trusted: a walk reads only inside the
 * stacks that it is given, moves only upwards in each, and takes no more steps than there
 * is room for PCs. It needs no library, takes no lock, does not allocate, and may be
 * called from signal handlers, interrupts and NMIs. There is no state between calls, so
 * any number of walks may run concurrently.
 *
 * Limits: a walk misses the caller of a function that has no frame record where it was
 * interrupted. That is any function in its prologue or epilogue; most of libc; and,
 * whatever the compiler options, leaf functions for which GCC needs no stack. All further
 * callers are found, unless code without frame pointers uses the register for something
 * else. Where a register holds a return address that is in no record yet, `link` fills
 * the gap.
 *
 * On 64-bit PowerPC, a function stores its return address in its caller's frame. One that
 * has a frame but stores none, as a leaf function may, seems to be called from whatever
 * was there: an earlier return address, or anything. Give `is_code`, which ends the walk
 * there if it is not code. If the function is known to be of this kind, give lr as
 * `link`, and for `frame` not the word that r1 points to, but the word which that points
 * to in turn: then its caller is found, and all further ones.
 *
 * Which machines have frame records, and in what form, is in fxt/unwind_machine.h, where
 * a kernel can define its own. On a machine that is not known there, or has none, such as
 * s390x, a walk finds no callers and reads no stack.
 */
#ifndef FXT_UNWIND_H
#define FXT_UNWIND_H

#include <fxt/compiler.h>
#include <fxt/unwind_machine.h>

FXT_BEGIN_DECLS

/* A range of memory: from address `low` up to, but not including, `high`. */
struct fxt_unwind_range {
    uintptr_t low;
    uintptr_t high;
};

/* Returns whether an address can be a return address: for a kernel, whether it is in its
 * text. */
typedef bool fxt_unwind_is_code_fn(void *context, uintptr_t pc);

/* Reads two words at an address that is aligned and inside one of the stacks: the one at
 * the address, and the next, or on 64-bit PowerPC the one after the next (which one is
 * FXT_UNWIND_RETURN_WORD). Returns false if they cannot be read. */
typedef bool fxt_unwind_read_fn(void *context, uintptr_t address, uintptr_t words[2]);

/*
 * Where to start and how far to go. Set members that you do not use to zero, which is the
 * default of each: later versions add members.
 */
struct fxt_unwind {
    /* The interrupted program counter and frame pointer register (x86-64: rip and rbp;
     * aarch64: pc and x29; riscv: pc and s0; LoongArch: era and r22; Thumb: pc and r7;
     * 64-bit PowerPC: nip and the word that r1 points to). A pc of 0 means none: the walk
     * then begins with a return address. */
    uintptr_t pc;
    uintptr_t frame;

    /* The stack: readable from address `stack_low` up to, but not including,
     * `stack_high`. `stack_low` should be the interrupted stack pointer, since nothing
     * below it is in use. */
    uintptr_t stack_low;
    uintptr_t stack_high;

    /* Further stacks that frames may be on, at most FXT_UNWIND_STACKS_MAX: those of the
     * interrupt, of the thread that it interrupted, and so on. Each, including the first,
     * is entered at most once, in any order; a frame on a stack that the walk has left
     * ends it. */
    const struct fxt_unwind_range *stacks;
    uint32_t n_stacks;

    /* How many PCs to omit, from the leaf on, such as those of the sampling code. */
    uint32_t skip;

    /* The link register (aarch64: x30; riscv: ra), if the interrupted function is known
     * to have its return address still there, as a leaf function has; else 0. It is
     * stored as the first caller, and not stored again if a frame record has the same
     * address. */
    uintptr_t link;

    /* Checks return addresses; NULL accepts any but 0. */
    fxt_unwind_is_code_fn *is_code;

    /* Reads the stack; NULL reads memory directly. For a stack that may not be mapped (a
     * program's, read by its kernel), or is somewhere else (another process, a core
     * file). If only this function knows what can be read, give a stack from 0 to
     * UINTPTR_MAX. */
    fxt_unwind_read_fn *read;

    /* Passed to both functions. */
    void *context;

    /* The bits of a return address that hold its signature (arm64 pointer
     * authentication), for return addresses of another machine: they are set to the value
     * of bit 55. On aarch64, 0 strips signatures by this machine's own instruction. */
    uintptr_t signature_bits;
};

#define FXT_UNWIND_STACKS_MAX 63

/* Why a walk ended. */
enum fxt_unwind_stop {
    /* At the outermost caller: its frame, or the return address, is 0. */
    FXT_UNWIND_OUTERMOST = 0,
    /* There was no room for more. */
    FXT_UNWIND_FULL = 1,
    /* A frame record is not aligned to the size of a pointer. */
    FXT_UNWIND_MISALIGNED = 2,
    /* A frame record is not wholly in a stack, or is in one that the walk has left. */
    FXT_UNWIND_OUTSIDE = 3,
    /* A frame record is not wholly above the one before, in the same stack. */
    FXT_UNWIND_BACKWARDS = 4,
    /* A frame record could not be read. */
    FXT_UNWIND_UNREADABLE = 5,
    /* A return address is not code. */
    FXT_UNWIND_NOT_CODE = 6,
    /* This machine's frame records are not known; see fxt/unwind_machine.h. */
    FXT_UNWIND_UNKNOWN_MACHINE = 7
};

/* ---- One step ---------------------------------------------------------------------- */

/* Why there is no record at a frame. The one before ends at `low`; their stack begins at
 * `bottom`. */
FXT_UNWIND_FN_ enum fxt_unwind_stop fxt_unwind_judge_(uintptr_t frame, uintptr_t bottom,
                                                      uintptr_t low)
{
    uintptr_t record = FXT_UNWIND_RECORD(frame);

    if (frame == 0)
        return FXT_UNWIND_OUTERMOST;
    if (record % sizeof(uintptr_t) != 0)
        return FXT_UNWIND_MISALIGNED;
    return record >= bottom && record < low ? FXT_UNWIND_BACKWARDS : FXT_UNWIND_OUTSIDE;
}

/* ---- A walk with everything -------------------------------------------------------- */

struct fxt_unwind_state_ {
    uint64_t *pcs;
    uint64_t max_pcs;
    uint64_t n;
    uint64_t n_skipped;
    enum fxt_unwind_stop why;
    uintptr_t frame;
    /* The stack that the walk is on, and where the next record may be. */
    uintptr_t bottom;
    uintptr_t low;
    uintptr_t high;
    /* A bit for each stack that was entered. */
    uint64_t entered;
};

/* Sets each member separately: for an initializer, compilers may call memset. */
FXT_UNWIND_FN_ void fxt_unwind_begin_(const struct fxt_unwind *from,
                                      struct fxt_unwind_state_ *s, uint64_t *pcs,
                                      uint64_t max_pcs)
{
    s->pcs = pcs;
    s->max_pcs = max_pcs;
    s->n = 0;
    s->n_skipped = 0;
    s->why = FXT_UNWIND_FULL;
    s->frame = from->frame;
    s->bottom = 0;
    s->low = 0;
    s->high = 0;
    s->entered = 0;
}

FXT_UNWIND_FN_ bool fxt_unwind_end_(struct fxt_unwind_state_ *s, enum fxt_unwind_stop why)
{
    s->why = why;
    return false;
}

/* Stores a PC, unless it is to be skipped. Returns false if the walk ends before it. */
FXT_UNWIND_FN_ bool fxt_unwind_put_(const struct fxt_unwind *from,
                                    struct fxt_unwind_state_ *s, uintptr_t pc)
{
    if (s->n_skipped < from->skip) {
        s->n_skipped++;
        return true;
    }
    if (s->n >= s->max_pcs)
        return fxt_unwind_end_(s, FXT_UNWIND_FULL);
    s->pcs[s->n++] = pc;
    return true;
}

FXT_UNWIND_FN_ bool fxt_unwind_put_return_(const struct fxt_unwind *from,
                                           struct fxt_unwind_state_ *s, uintptr_t pc)
{
    if (from->is_code && !from->is_code(from->context, pc))
        return fxt_unwind_end_(s, FXT_UNWIND_NOT_CODE);
    return fxt_unwind_put_(from, s, pc);
}

/* Stack 0 is the first, the others follow. */
FXT_UNWIND_FN_ struct fxt_unwind_range fxt_unwind_stack_(const struct fxt_unwind *from,
                                                         uint32_t i)
{
    struct fxt_unwind_range first;

    if (i > 0)
        return from->stacks[i - 1];
    first.low = from->stack_low;
    first.high = from->stack_high;
    return first;
}

/* Switches to the stack that a record is on, if it was never entered. */
FXT_UNWIND_FN_ bool fxt_unwind_enter_(const struct fxt_unwind *from,
                                      struct fxt_unwind_state_ *s, uintptr_t record)
{
    for (uint32_t i = 0; i <= from->n_stacks && i <= FXT_UNWIND_STACKS_MAX; i++) {
        struct fxt_unwind_range stack = fxt_unwind_stack_(from, i);

        if ((s->entered >> i & 1) != 0 ||
            !fxt_unwind_is_in_(record, stack.low, stack.high))
            continue;
        s->entered |= (uint64_t)1 << i;
        s->bottom = stack.low;
        s->high = stack.high;
        return true;
    }
    return false;
}

FXT_UNWIND_FN_ uintptr_t fxt_unwind_return_(const struct fxt_unwind *from, uintptr_t word)
{
    if (from->signature_bits == 0)
        return FXT_UNWIND_RETURN(word);
    if (((uint64_t)word >> 55 & 1) != 0)
        return word | from->signature_bits;
    return word & ~from->signature_bits;
}

/* Reads the record at the frame and moves past it: `frame` is then the caller's. Stores
 * the word that should be a return address. Returns false if the walk ends. */
FXT_UNWIND_FN_ bool fxt_unwind_read_(const struct fxt_unwind *from,
                                     struct fxt_unwind_state_ *s, uintptr_t *return_word)
{
    uintptr_t record = FXT_UNWIND_RECORD(s->frame);
    enum fxt_unwind_stop why = fxt_unwind_judge_(s->frame, s->bottom, s->low);
    uintptr_t words[2];

    if (!FXT_UNWIND_HAS_RECORDS)
        return fxt_unwind_end_(s, FXT_UNWIND_UNKNOWN_MACHINE);
    if (s->frame == 0 || record % sizeof(uintptr_t) != 0)
        return fxt_unwind_end_(s, why);
    if (!fxt_unwind_is_in_(record, s->low, s->high) &&
        (why == FXT_UNWIND_BACKWARDS || !fxt_unwind_enter_(from, s, record)))
        return fxt_unwind_end_(s, why);
    if (!from->read)
        fxt_unwind_load_(record, words);
    else if (!from->read(from->context, record, words))
        return fxt_unwind_end_(s, FXT_UNWIND_UNREADABLE);
    s->frame = words[0];
    s->low = record + FXT_UNWIND_RECORD_BYTES_;
    *return_word = words[1];
    return true;
}

/* The first record is that of the interrupted function, if it has one. */
FXT_UNWIND_FN_ bool fxt_unwind_first_(const struct fxt_unwind *from,
                                      struct fxt_unwind_state_ *s)
{
    uintptr_t link = from->link != 0 ? fxt_unwind_return_(from, from->link) : 0;
    uintptr_t word;

    if (from->pc != 0 && !fxt_unwind_put_(from, s, from->pc))
        return false;
    if (link != 0 && !fxt_unwind_put_return_(from, s, link))
        return false;
    if (!fxt_unwind_read_(from, s, &word))
        return false;
    if (FXT_UNWIND_LEAF_KEEPS_FRAME && word >= s->low && word < s->high) {
        s->frame = word;
        return true;
    }
    if (word == 0)
        return fxt_unwind_end_(s, FXT_UNWIND_OUTERMOST);
    word = fxt_unwind_return_(from, word);
    return word == link || fxt_unwind_put_return_(from, s, word);
}

FXT_UNWIND_FN_ bool fxt_unwind_next_(const struct fxt_unwind *from,
                                     struct fxt_unwind_state_ *s)
{
    uintptr_t word;

    if (s->n >= s->max_pcs)
        return fxt_unwind_end_(s, FXT_UNWIND_FULL);
    if (!fxt_unwind_read_(from, s, &word))
        return false;
    if (word == 0)
        return fxt_unwind_end_(s, FXT_UNWIND_OUTERMOST);
    return fxt_unwind_put_return_(from, s, fxt_unwind_return_(from, word));
}

FXT_OUT_OF_LINE FXT_NO_SANITIZE uint64_t
fxt_unwind_walk_slowly_(const struct fxt_unwind *from, uint64_t *pcs, uint64_t max_pcs,
                        enum fxt_unwind_stop *why)
{
    struct fxt_unwind_state_ s;
    bool more;

    fxt_unwind_begin_(from, &s, pcs, max_pcs);
    more = max_pcs > 0 && fxt_unwind_first_(from, &s);
    while (more)
        more = fxt_unwind_next_(from, &s);
    *why = s.why;
    return s.n;
}

FXT_UNWIND_FN_ bool fxt_unwind_is_plain_(const struct fxt_unwind *from)
{
    return FXT_UNWIND_HAS_RECORDS && !from->read && !from->is_code &&
           from->n_stacks == 0 && from->skip == 0 && from->link == 0 &&
           from->signature_bits == 0;
}

FXT_UNWIND_FN_ uint64_t fxt_unwind_walk_quickly_(const struct fxt_unwind *from,
                                                 uint64_t *pcs, uint64_t max_pcs,
                                                 enum fxt_unwind_stop *why)
{
    uintptr_t frame = from->frame;
    uintptr_t low = from->stack_low;
    uintptr_t high = from->stack_high;
    bool may_be_leaf = FXT_UNWIND_LEAF_KEEPS_FRAME;
    uintptr_t words[2];
    uint64_t n = 0;

    *why = FXT_UNWIND_FULL;
    if (max_pcs > 0 && from->pc != 0)
        pcs[n++] = from->pc;
    while (n < max_pcs) {
        uintptr_t record = FXT_UNWIND_RECORD(frame);

        if (frame == 0 || record % sizeof(uintptr_t) != 0 ||
            !fxt_unwind_is_in_(record, low, high)) {
            *why = fxt_unwind_judge_(frame, from->stack_low, low);
            break;
        }
        fxt_unwind_load_(record, words);
        if (words[1] == 0) {
            *why = FXT_UNWIND_OUTERMOST;
            break;
        }
        low = record + FXT_UNWIND_RECORD_BYTES_;
        frame = words[0];
        if (may_be_leaf && words[1] >= low && words[1] < high)
            frame = words[1];
        else
            pcs[n++] = FXT_UNWIND_RETURN(words[1]);
        may_be_leaf = false;
    }
    return n;
}

/* ---- Walking ----------------------------------------------------------------------- */

/*
 * Stores the interrupted pc and then the return addresses above it, leaf first, in `pcs`,
 * which has room for `max_pcs`: the maximum depth. Return addresses are stored as found,
 * but without signatures and Arm's bit 0. Returns how many were stored: at least one, if
 * there is a pc, nothing is skipped, and there is room for it.
 *
 * Each frame record must be aligned to the size of a pointer, lie wholly in the stack and
 * wholly above the one before. The walk ends where one does not, at a return address of
 * zero, which is not stored, after a record whose caller's frame is zero, and when `pcs`
 * is full; the reason is stored in `*why`.
 *
 * Each word of the stack is read once. Walking the stack of a running thread gives
 * meaningless PCs, but does no other harm.
 */
FXT_UNWIND_FN_ uint64_t fxt_unwind_walk_why(const struct fxt_unwind *from, uint64_t *pcs,
                                            uint64_t max_pcs, enum fxt_unwind_stop *why)
{
    if (FXT_LIKELY(fxt_unwind_is_plain_(from)))
        return fxt_unwind_walk_quickly_(from, pcs, max_pcs, why);
    return fxt_unwind_walk_slowly_(from, pcs, max_pcs, why);
}

/* The same without the reason. */
FXT_UNWIND_FN_ uint64_t fxt_unwind_walk(const struct fxt_unwind *from, uint64_t *pcs,
                                        uint64_t max_pcs)
{
    enum fxt_unwind_stop why;

    return fxt_unwind_walk_why(from, pcs, max_pcs, &why);
}

/*
 * The same, starting at the caller of this function: the first PC is in that function,
 * after the call. The members pc, frame and link of `how` are ignored. The caller's own
 * frame record must be on a stack that `how` gives; else that PC is the only one.
 */
FXT_OUT_OF_LINE FXT_NO_SANITIZE uint64_t
fxt_unwind_walk_here(const struct fxt_unwind *how, uint64_t *pcs, uint64_t max_pcs)
{
    struct fxt_unwind from = *how;

    from.pc = 0;
    from.frame = FXT_UNWIND_THIS_FRAME_();
    from.link = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
    return fxt_unwind_walk(&from, pcs, max_pcs);
}

FXT_END_DECLS

#endif
