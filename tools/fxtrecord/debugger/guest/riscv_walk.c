/* SPDX-License-Identifier: BSD-2-Clause */
/* See riscv_walk.h. */
#include "riscv_walk.h"

/* In struct pt_regs; and in OpenSBI's struct sbi_trap_regs. */
enum {
    SAVED_PC = 0,
    SAVED_RA = 8,
    SAVED_SP = 16,
    SAVED_S0 = 64,
    SAVED_STATUS = 256,
    SAVED_BYTES = 288
};
enum { TRAP_PC = 256, TRAP_STATUS = 264 };

/* In the status: the interrupted code was the kernel's; and what has called firmware. */
#define STATUS_SPP ((uint64_t)1 << 8)
#define STATUS_MPP ((uint64_t)3 << 11)

enum {
    /* A frame record is the two words below the frame pointer. */
    RECORD_CALLER = 16,
    RECORD_RETURN = 8,
    FRAME_MAX = 1 << 20,
    FIRMWARE_MAX = 1 << 24,
    HEAD_MAX = 1 << 16,
    /* An interrupt's stack may be above that of what it interrupted: how often a frame
     * may be below its callee's. */
    SWITCHES_MAX = 4
};

struct riscv_walk {
    const struct riscv_source *source;
    struct riscv_registers now;
    /* The code was interrupted at the PC, and may be a leaf function. */
    bool is_interrupted;
    /* The PC is where firmware is entered, and the registers that it has saved follow the
     * frame. */
    bool is_trap;
    /* The frame that was left last. */
    uint64_t frame;
    int n_switches;
    enum guest_end end;
};

static bool cut(struct riscv_walk *w, enum guest_end end)
{
    w->end = end;
    return false;
}

static bool read_word(struct riscv_walk *w, uint64_t address, uint64_t *word)
{
    return w->source->read(w->source->context, address, word) || cut(w, GUEST_CUT_MEMORY);
}

static bool is_entry(const struct riscv_walk *w, uint64_t pc)
{
    return pc >= w->source->entry_start && pc < w->source->entry_end;
}

static bool is_code(const struct riscv_walk *w, uint64_t pc)
{
    return pc >= w->source->code_start && pc < w->source->code_end;
}

static bool is_beginning(const struct riscv_walk *w, uint64_t pc)
{
    return w->source->text_start - pc <= HEAD_MAX ||
           (pc >= w->source->init_start && pc < w->source->code_end);
}

/* A leaf function stores only its caller's frame, where others store the return address.
 */
static bool is_frame_above(uint64_t frame, uint64_t word)
{
    return word > frame && word - frame <= FRAME_MAX && word % 8 == 0;
}

/* Firmware has its stacks near its code. */
static bool is_firmware_frame(const struct riscv_walk *w, uint64_t frame)
{
    return frame - w->now.pc < FIRMWARE_MAX || w->now.pc - frame < FIRMWARE_MAX;
}

/* Whether code that was interrupted has no frame with a return address, or not yet: what
 * is below the frame pointer is its caller's frame, or else the register has a return
 * address that is neither there nor in the code itself, as it is after a call. */
static bool is_leaf(const struct riscv_walk *w, uint64_t word)
{
    if (!w->is_interrupted || is_entry(w, w->now.pc))
        return false;
    return is_frame_above(w->now.s0, word) ||
           (word != w->now.ra && is_code(w, w->now.ra) &&
            !w->source->is_one_function(w->source->context, w->now.pc, w->now.ra - 1));
}

static bool leave_leaf(struct riscv_walk *w, uint64_t word)
{
    if (is_frame_above(w->now.s0, word)) {
        w->frame = w->now.s0;
        w->now.sp = w->now.s0;
        w->now.s0 = word;
    }
    w->now.pc = w->now.ra;
    w->is_interrupted = false;
    return true;
}

static bool leave_frame(struct riscv_walk *w)
{
    uint64_t frame = w->now.s0;
    uint64_t word;

    /* A kernel thread begins with its function's address in the register. */
    if (frame == 0 || is_code(w, frame))
        return cut(w, GUEST_AT_END);
    if (guest_is_user(frame) != w->now.is_machine || frame % 8 != 0)
        return cut(w, GUEST_CUT_NO_RULE);
    if (frame <= w->frame && w->n_switches++ == SWITCHES_MAX)
        return cut(w, GUEST_CUT_BACKWARDS);
    if (!read_word(w, frame - RECORD_RETURN, &word))
        return false;
    if (is_leaf(w, word))
        return leave_leaf(w, word);
    if (!read_word(w, frame - RECORD_CALLER, &w->now.s0))
        return false;
    w->now.pc = word;
    w->frame = frame;
    w->now.sp = frame;
    w->is_interrupted = false;
    return true;
}

/* What was interrupted, or has called the kernel: its registers are where the stack was,
 * but for the PC, if that is known from elsewhere. */
static bool leave_entry(struct riscv_walk *w, uint64_t pc)
{
    uint64_t saved = w->now.sp;
    uint64_t status;

    w->is_interrupted = true;
    if (!read_word(w, saved + SAVED_STATUS, &status) ||
        !read_word(w, saved + SAVED_PC, &w->now.pc) ||
        !read_word(w, saved + SAVED_RA, &w->now.ra) ||
        !read_word(w, saved + SAVED_SP, &w->now.sp) ||
        !read_word(w, saved + SAVED_S0, &w->now.s0))
        return false;
    if (pc == 0)
        return guest_is_user(w->now.pc) == ((status & STATUS_SPP) == 0) ||
               cut(w, GUEST_CUT_NO_RULE);
    w->now.pc = pc;
    return true;
}

/* Whether a word of what may be saved is a register's. */
static bool is_saved(const struct riscv_walk *w, uint64_t at, uint64_t value)
{
    uint64_t word;

    return w->source->read(w->source->context, w->now.sp + at, &word) && word == value;
}

/* Where the kernel is entered, all registers are saved. From then on, up to the prologue
 * of the function that is called, s0 is the interrupted stack pointer. */
static bool has_saved(const struct riscv_walk *w)
{
    bool is_inside = is_entry(w, w->now.pc);

    if (!w->is_interrupted || guest_is_user(w->now.sp) ||
        (!is_inside && !is_entry(w, w->now.ra)))
        return false;
    if (guest_is_user(w->now.s0))
        return is_saved(w, SAVED_SP, w->now.s0);
    return w->now.s0 == w->now.sp + SAVED_BYTES &&
           (!is_inside || is_saved(w, SAVED_RA, w->now.ra));
}

/* What has called firmware: its frame pointer is in two places. */
static bool leave_trap(struct riscv_walk *w)
{
    uint64_t saved = w->now.sp;
    uint64_t s0;
    uint64_t status;

    w->is_interrupted = true;
    w->is_trap = false;
    return read_word(w, saved + SAVED_S0, &s0) && s0 == w->now.s0 &&
           read_word(w, saved + TRAP_STATUS, &status) &&
           (status & STATUS_MPP) != STATUS_MPP &&
           read_word(w, saved + TRAP_PC, &w->now.pc) &&
           read_word(w, saved + SAVED_RA, &w->now.ra) &&
           read_word(w, saved + SAVED_SP, &w->now.sp);
}

/* Firmware that was interrupted where it is entered still has the frame pointer of what
 * has called it. */
static bool leave_firmware(struct riscv_walk *w)
{
    if (w->is_trap) {
        w->now.is_machine = !leave_trap(w);
        return !w->now.is_machine;
    }
    if (w->is_interrupted && !is_firmware_frame(w, w->now.s0) && w->now.mepc != 0) {
        w->now.pc = w->now.mepc;
        w->now.is_machine = false;
        return true;
    }
    if (!leave_frame(w) || w->now.pc == 0 || !guest_is_user(w->now.pc))
        return false;
    w->is_trap = !is_firmware_frame(w, w->now.s0);
    return true;
}

/* From code that enters the kernel, where all registers are saved before the PC; or
 * leaves it, where they are restored, and the stack pointer last. */
static bool leave_interrupted_entry(struct riscv_walk *w)
{
    bool is_return = w->now.pc >= w->source->entry_return;
    uint64_t sepc = w->now.sepc;

    w->now.sepc = 0;
    if (is_return && !guest_is_user(w->now.sp))
        return leave_entry(w, 0);
    if (has_saved(w))
        return leave_entry(w, sepc);
    if (sepc == 0)
        return cut(w, guest_is_user(w->now.s0) ? GUEST_AT_USER : GUEST_CUT_NO_RULE);
    w->now.pc = sepc;
    return true;
}

static bool leave_function(struct riscv_walk *w)
{
    uint64_t pc = w->now.pc;

    if (leave_frame(w)) {
        if (w->now.pc == 0)
            return cut(w, GUEST_AT_END);
        if (is_code(w, w->now.pc))
            return true;
        w->end = GUEST_CUT_NO_RULE;
    }
    return cut(w, is_beginning(w, pc) ? GUEST_AT_END : w->end);
}

/* To the caller. Returns false at the end. */
static bool take_step(struct riscv_walk *w)
{
    if (w->now.is_machine)
        return leave_firmware(w);
    if (is_entry(w, w->now.pc))
        return w->is_interrupted ? leave_interrupted_entry(w) : leave_entry(w, 0);
    if (!has_saved(w))
        return leave_function(w);
    w->now.pc = w->now.ra;
    w->is_interrupted = false;
    return true;
}

uint64_t riscv_walk(const struct riscv_source *source, struct riscv_registers *registers,
                    uint64_t *pcs, uint64_t max_pcs, enum guest_end *end)
{
    struct riscv_walk w = {.source = source,
                           .now = *registers,
                           .is_interrupted = true,
                           .end = GUEST_AT_USER};
    uint64_t n = 0;

    pcs[n++] = w.now.pc;
    while ((w.now.is_machine || !guest_is_user(w.now.pc)) && take_step(&w)) {
        if (n == max_pcs) {
            w.end = GUEST_CUT_LONG;
            break;
        }
        pcs[n++] = w.now.pc;
    }
    *registers = w.now;
    *end = w.now.is_machine ? GUEST_IN_FIRMWARE : w.end;
    return n;
}
