/* SPDX-License-Identifier: BSD-2-Clause */
/* See orc_walk.h. */
#include "orc_walk.h"

/* Where the kernel saves registers (struct pt_regs); the last ones are those that the
 * processor saves. */
enum {
    SAVED_R13 = 16,
    SAVED_BP = 32,
    SAVED_R10 = 56,
    SAVED_AX = 80,
    SAVED_DX = 96,
    SAVED_DI = 112,
    SAVED_BY_PROCESSOR = 128,
    SAVED_PC = 0,
    SAVED_CS = 8,
    SAVED_SP = 24
};

/* The privilege of code, in CS. */
enum { USER_PRIVILEGE = 3 };

struct orc_walk {
    const struct orc_source *source;
    struct orc_registers now;
    /* That of the PC, unless it is the user's. */
    struct orc_rule rule;
    /* The PC is that of an instruction which was not executed yet, instead of a return
     * address, which may be that of the next function. */
    bool is_exact;
    bool is_leaf;
    bool is_user;
    enum guest_end end;
};

static bool cut(struct orc_walk *w, enum guest_end end)
{
    w->end = end;
    return false;
}

static bool read_word(struct orc_walk *w, uint64_t address, uint64_t *word)
{
    return w->source->read(w->source->context, address, word) || cut(w, GUEST_CUT_MEMORY);
}

static bool take_other(struct orc_walk *w, uint64_t value, uint64_t *frame)
{
    *frame = value;
    return w->now.has_others || cut(w, GUEST_CUT_REGISTER);
}

/* The end of this frame, where the caller's begins. */
static bool find_frame(struct orc_walk *w, const struct orc_rule *rule, uint64_t *frame)
{
    uint64_t offset = (uint64_t)(int64_t)rule->frame_offset;

    switch (rule->frame) {
    case ORC_BASE_SP:
        *frame = w->now.sp + offset;
        return true;
    case ORC_BASE_BP:
        *frame = w->now.bp + offset;
        return true;
    case ORC_BASE_AT_SP:
        if (!read_word(w, w->now.sp, frame))
            return false;
        *frame += offset;
        return true;
    case ORC_BASE_AT_BP:
        return read_word(w, w->now.bp + offset, frame);
    /* Of these registers the offset is not a part. */
    case ORC_BASE_AX:
        return take_other(w, w->now.ax, frame);
    case ORC_BASE_DX:
        return take_other(w, w->now.dx, frame);
    case ORC_BASE_DI:
        return take_other(w, w->now.di, frame);
    case ORC_BASE_R10:
        return take_other(w, w->now.r10, frame);
    case ORC_BASE_R13:
        return take_other(w, w->now.r13, frame);
    case ORC_BASE_NONE:
    case ORC_BASE_CALLER_SP:
        break;
    }
    return cut(w, GUEST_CUT_NO_RULE);
}

static bool find_bp(struct orc_walk *w, const struct orc_rule *rule, uint64_t frame,
                    uint64_t *bp)
{
    uint64_t offset = (uint64_t)(int64_t)rule->bp_offset;

    *bp = w->now.bp;
    if (rule->bp == ORC_BASE_CALLER_SP)
        return read_word(w, frame + offset, bp);
    if (rule->bp == ORC_BASE_BP)
        return read_word(w, w->now.bp + offset, bp);
    if (rule->bp == ORC_BASE_NONE && rule->type == ORC_REGISTERS)
        return read_word(w, frame + SAVED_BP, bp);
    return true;
}

static bool take_others(struct orc_walk *w, uint64_t saved)
{
    w->now.has_others = true;
    return read_word(w, saved + SAVED_AX, &w->now.ax) &&
           read_word(w, saved + SAVED_DX, &w->now.dx) &&
           read_word(w, saved + SAVED_DI, &w->now.di) &&
           read_word(w, saved + SAVED_R10, &w->now.r10) &&
           read_word(w, saved + SAVED_R13, &w->now.r13);
}

/* Of the user's registers, the stack and the frame pointer are enough for most walks. */
static bool return_from_interrupt(struct orc_walk *w, const struct orc_rule *rule,
                                  uint64_t saved)
{
    uint64_t at = saved;
    uint64_t cs;

    if (rule->type == ORC_REGISTERS)
        at += SAVED_BY_PROCESSOR;
    if (!read_word(w, at + SAVED_PC, &w->now.pc) || !read_word(w, at + SAVED_CS, &cs))
        return false;
    w->is_user = (cs & USER_PRIVILEGE) == USER_PRIVILEGE;
    w->now.has_others = w->now.has_others && !w->is_user;
    if (!read_word(w, at + SAVED_SP, &w->now.sp))
        return w->is_user;
    return w->is_user || rule->type != ORC_REGISTERS || take_others(w, saved);
}

/* An interrupt's stack may be above that of what it interrupted; where a rule reads the
 * frame's address from memory, a stack may be switched as well. */
static bool return_from_call(struct orc_walk *w, const struct orc_rule *rule,
                             uint64_t frame)
{
    if ((rule->frame == ORC_BASE_SP || rule->frame == ORC_BASE_BP) && frame <= w->now.sp)
        return cut(w, GUEST_CUT_BACKWARDS);
    w->now.has_others = false;
    w->now.sp = frame;
    return read_word(w, frame - sizeof(frame), &w->now.pc);
}

/* Whether an address follows a call, whose last bytes are in the word before it: E8 and
 * 4 bytes, or FF and what is called. */
static bool follows_call(struct orc_walk *w, uint64_t pc)
{
    uint64_t first;
    uint64_t second;
    unsigned char bytes[16];

    if (guest_is_user(pc) ||
        !w->source->read(w->source->context, (pc & ~7ull) - 8, &first) ||
        !w->source->read(w->source->context, pc & ~7ull, &second))
        return false;
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(first >> 8 * i);
        bytes[i + 8] = (unsigned char)(second >> 8 * i);
    }
    return bytes[pc % 8 + 3] == 0xe8 || bytes[pc % 8 + 6] == 0xff;
}

/* Code by which the kernel calls pointers (retpolines) has no rules, or is marked as the
 * outermost frame, as is that which enters the kernel, where SP is still the user's. If
 * the CPU is in it, what is at SP is mostly the caller's return address. Else the stack
 * ends.
 */
static bool leave_thunk(struct orc_walk *w, enum guest_end end)
{
    struct orc_rule rule;
    uint64_t pc;

    if (!w->is_leaf || guest_is_user(w->now.sp) ||
        !w->source->read(w->source->context, w->now.sp, &pc) ||
        !w->source->find(w->source->context, pc - 1, &rule) || rule.type != ORC_CALL ||
        !follows_call(w, pc))
        return cut(w, w->is_leaf && !guest_is_user(w->now.sp) ? GUEST_CUT_NO_RULE : end);
    w->now.pc = pc;
    w->now.sp += sizeof(pc);
    w->is_exact = false;
    return true;
}

/* The rule for the PC, which is no user's unless the kernel was entered there. */
static bool find_rule(struct orc_walk *w)
{
    return (!guest_is_user(w->now.pc) &&
            w->source->find(w->source->context, w->now.pc - !w->is_exact, &w->rule)) ||
           cut(w, GUEST_CUT_NO_RULE);
}

/* To the caller. Returns false at the end. */
static bool take_step(struct orc_walk *w)
{
    const struct orc_rule rule = w->rule;
    uint64_t frame;
    uint64_t bp;

    if (rule.type == ORC_NOTHING)
        return leave_thunk(w, GUEST_CUT_NO_RULE);
    if (rule.type == ORC_END)
        return leave_thunk(w, GUEST_AT_END);
    if (!find_frame(w, &rule, &frame) || !find_bp(w, &rule, frame, &bp))
        return false;
    w->is_exact = rule.is_signal;
    if (rule.type == ORC_CALL ? !return_from_call(w, &rule, frame)
                              : !return_from_interrupt(w, &rule, frame))
        return false;
    w->now.bp = bp;
    return true;
}

uint64_t orc_walk(const struct orc_source *source, struct orc_registers *registers,
                  uint64_t *pcs, uint64_t max_pcs, enum guest_end *end)
{
    struct orc_walk w = {.source = source,
                         .now = *registers,
                         .is_exact = true,
                         .is_leaf = true,
                         .is_user = guest_is_user(registers->pc),
                         .end = GUEST_AT_USER};
    bool goes_on;
    uint64_t n = 0;

    pcs[n++] = w.now.pc;
    goes_on = !w.is_user && find_rule(&w);
    while (goes_on && take_step(&w)) {
        w.is_leaf = false;
        /* A kernel thread's first frame. */
        if (w.now.pc == 0) {
            w.end = GUEST_AT_END;
            break;
        }
        if (!w.is_user && !find_rule(&w))
            break;
        if (n == max_pcs) {
            w.end = GUEST_CUT_LONG;
            break;
        }
        pcs[n++] = w.now.pc;
        goes_on = !w.is_user;
    }
    *registers = w.now;
    *end = w.end;
    return n;
}
