/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_step.h: steps by rules. */
#include "unwind_step.h"
#include "unwind_table.h"

/* ---- What all have in common ------------------------------------------------------- */

/* The row of table->saved that an address is in. */
static uint32_t find_saved(const struct unwind_table *table, uint64_t address)
{
    if (address < table->base)
        return UNWIND_SAVED_UNKNOWN;
    return unwind_rows_find(table->saved, table->n_saved, address - table->base,
                            UNWIND_SAVED_UNKNOWN);
}

/* In modules that have no such rows the register may be changed. */
static void follow_saved(struct unwind_state *s, const struct unwind_module *module,
                         uint64_t cfa)
{
    uint32_t words = UNWIND_SAVED_UNKNOWN;
    uint64_t at;

    if (!s->has_saved)
        return;
    if (module->table && module->table->n_saved > 0)
        words = find_saved(module->table, state_lookup_pc(s) - module->bias);
    at = cfa - (uint64_t)words * UNWIND_WORD;
    if (words == UNWIND_SAVED_SAME || (s->is_exact && at < s->sp && at < cfa))
        return;
    s->has_saved = words != UNWIND_SAVED_UNKNOWN && state_load(s, at, &s->saved);
}

bool step_to(struct unwind_state *s, const struct unwind_module *module,
             const struct unwind_caller *caller)
{
    uint64_t ra = unwind_strip(s->signature_bits, caller->ra);

    if (ra == 0)
        return state_end(s, UNWIND_END_OUTERMOST, 0);
    if (caller->sp < s->sp || (caller->sp == s->sp && !caller->in_register))
        return state_end(s, UNWIND_END_NO_PROGRESS, caller->sp);
    follow_saved(s, module, caller->sp);
    s->sp = caller->sp;
    s->fp = caller->fp;
    s->pc = ra;
    s->is_exact = false;
    return true;
}

/* A function that has not stored its return address yet, or no longer has: its own frame
 * is the first one, or one that a signal interrupted. */
static bool take_link(struct unwind_state *s, struct unwind_caller *caller)
{
    caller->in_register = true;
    if (s->is_exact && state_register(s, s->columns.link, &caller->ra))
        return true;
    return state_end(s, UNWIND_END_SPECIAL_RULE, 0);
}

/* ---- Simple rules ------------------------------------------------------------------ */

/* A slot below the stack pointer no longer has anything in it: compilers omit the row
 * that says that the register was restored, where the function returns soon. */
static bool is_popped(const struct unwind_state *s, uint64_t slot)
{
    return s->is_exact && slot < s->sp;
}

static bool load_return(struct unwind_state *s, uint32_t rule, uint64_t cfa,
                        struct unwind_caller *caller)
{
    uint64_t slot = cfa - unwind_rule_slot_bytes(rule);

    switch (unwind_rule_return(rule)) {
    case UNWIND_RETURN_LINK:
        return take_link(s, caller);
    case UNWIND_RETURN_ABOVE_FRAME:
        slot += UNWIND_WORD;
        break;
    case UNWIND_RETURN_SLOT:
        break;
    case UNWIND_RETURN_TOP:
        slot = cfa - UNWIND_WORD;
        break;
    }
    if (is_popped(s, slot) && s->columns.link != UNWIND_NO_REGISTER)
        return take_link(s, caller);
    return state_load(s, slot, &caller->ra);
}

bool step_simple(struct unwind_state *s, const struct unwind_module *module,
                 uint32_t rule)
{
    uint64_t base = (rule & UNWIND_RULE_FROM_FRAME) != 0 ? s->fp : s->sp;
    uint64_t cfa = base + unwind_rule_cfa_bytes(rule);
    uint64_t slot = cfa - unwind_rule_slot_bytes(rule);
    struct unwind_caller caller = {cfa, s->fp, 0, false};

    if (!load_return(s, rule, cfa, &caller))
        return false;
    if (slot != cfa && unwind_rule_return(rule) != UNWIND_RETURN_SLOT &&
        !is_popped(s, slot) && !state_load(s, slot, &caller.fp))
        return false;
    return step_to(s, module, &caller);
}

/* ---- Odd rules --------------------------------------------------------------------- */

/* `*result` is the value of what is unchanged. */
static bool compute(struct unwind_state *s, const struct unwind_table *table,
                    const struct unwind_value *value, const uint64_t *cfa,
                    uint64_t *result)
{
    uint64_t at = (cfa ? *cfa : 0) + (uint64_t)(int64_t)value->offset;

    switch (value->kind) {
    case UNWIND_SAME:
        return true;
    case UNWIND_AT_CFA:
        return is_popped(s, at) || state_load(s, at, result);
    case UNWIND_IS_CFA:
        *result = at;
        return true;
    case UNWIND_REGISTER:
        if (!state_register(s, value->number, result))
            return state_end(s, UNWIND_END_SPECIAL_RULE, 0);
        *result += (uint64_t)(int64_t)value->offset;
        return true;
    case UNWIND_AT_EXPRESSION:
        return expression_evaluate(s, table, value, cfa, &at) &&
               state_load(s, at, result);
    case UNWIND_IS_EXPRESSION:
        return expression_evaluate(s, table, value, cfa, result);
    default:
        return state_end(s, UNWIND_END_SPECIAL_RULE, 0);
    }
}

static bool compute_return(struct unwind_state *s, const struct unwind_table *table,
                           const struct unwind_odd *odd, struct unwind_caller *caller)
{
    if (odd->ra.kind == UNWIND_SAME)
        return take_link(s, caller);
    caller->in_register = odd->ra.kind == UNWIND_REGISTER;
    return compute(s, table, &odd->ra, &caller->sp, &caller->ra);
}

bool step_odd(struct unwind_state *s, const struct unwind_module *module, uint32_t rule)
{
    const struct unwind_table *table = module->table;
    const struct unwind_odd *odd = &table->odd[rule & ~UNWIND_RULE_ODD];
    struct unwind_caller caller = {0, s->fp, 0, false};
    uint64_t unchanged = s->fp;

    if (!compute(s, table, &odd->cfa, NULL, &caller.sp) ||
        !compute_return(s, table, odd, &caller))
        return false;
    if (odd->fp.kind != UNWIND_UNDEFINED &&
        !compute(s, table, &odd->fp, &caller.sp, &unchanged))
        return false;
    caller.fp = unchanged;
    if (!step_to(s, module, &caller))
        return false;
    s->is_exact = odd->is_signal != 0;
    s->registers = NULL;
    return true;
}

/* ---- Signals ----------------------------------------------------------------------- */

/* Where the registers are above the stack pointer, in the order of the kernel's struct,
 * by their DWARF numbers; 16 is x86-64's PC. */
static const uint8_t x86_64_order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5,
                                       4, 6, 3,  1,  0,  2,  7,  16};

enum {
    X86_64_REGISTERS = 40,
    /* After a siginfo_t of 128 bytes. */
    AARCH64_REGISTERS = 128 + 184,
    RISCV64_PC = 128 + 176
};

static bool load_x86_64(struct unwind_state *s, struct unwind_registers *to)
{
    for (uint32_t i = 0; i < sizeof(x86_64_order); i++) {
        uint64_t at = s->sp + X86_64_REGISTERS + (uint64_t)i * UNWIND_WORD;
        uint8_t number = x86_64_order[i];

        if (!state_load(s, at, number < 16 ? &to->r[number] : &to->pc))
            return false;
    }
    to->known = 0xffff;
    return true;
}

/* x0 to x30, sp, pc. */
static bool load_aarch64(struct unwind_state *s, struct unwind_registers *to)
{
    for (uint32_t i = 0; i <= 32; i++) {
        uint64_t at = s->sp + AARCH64_REGISTERS + (uint64_t)i * UNWIND_WORD;

        if (!state_load(s, at, i < 32 ? &to->r[i] : &to->pc))
            return false;
    }
    to->known = UINT32_MAX;
    return true;
}

/* pc, x1 to x31. */
static bool load_riscv64(struct unwind_state *s, struct unwind_registers *to)
{
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t at = s->sp + RISCV64_PC + (uint64_t)i * UNWIND_WORD;

        if (!state_load(s, at, i > 0 ? &to->r[i] : &to->pc))
            return false;
    }
    to->known = ~UINT32_C(1);
    return true;
}

static bool load_interrupted(struct unwind_state *s, struct unwind_registers *to)
{
    switch (s->space->machine) {
    case UNWIND_X86_64:
        return load_x86_64(s, to);
    case UNWIND_AARCH64:
        return load_aarch64(s, to);
    case UNWIND_RISCV64:
        return load_riscv64(s, to);
    }
    return state_end(s, UNWIND_END_SPECIAL_RULE, 0);
}

/* The handler may have run on a separate stack, so that the stack pointer may go either
 * way. This ends all the same, as there is a PC for each step. */
bool step_signal(struct unwind_state *s)
{
    struct unwind_registers *from = &s->interrupted;

    if (!load_interrupted(s, from))
        return false;
    if (!unwind_space_find(s->space, from->pc))
        return state_end(s, UNWIND_END_NOT_CODE, from->pc);
    s->pc = from->pc;
    s->sp = from->r[s->columns.sp];
    s->fp = from->r[s->columns.fp];
    s->has_saved = s->columns.saved != UNWIND_NO_REGISTER;
    s->saved = s->has_saved ? from->r[s->columns.saved] : 0;
    s->registers = from;
    s->is_exact = true;
    s->is_elsewhere = !state_find_chunk(s, s->sp);
    return true;
}
