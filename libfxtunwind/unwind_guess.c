/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps for code without rows, in the order in which they are least likely to be wrong:
 * what returns from signal handlers, the entry of a program, .init and .fini, a leaf
 * function with little on the stack, and frame records.
 */
#include "unwind_code.h"
#include "unwind_step.h"

enum { ENTRY_BYTES = 64, RECORD_BYTES = 16 };

static bool is_in(struct unwind_range range, uint64_t address)
{
    return address >= range.start && address < range.limit;
}

static bool is_entry(const struct unwind_module *module, uint64_t address)
{
    const struct unwind_table *table = module->table;

    return table && table->entry != 0 && address >= table->entry &&
           address - table->entry < ENTRY_BYTES;
}

/* Whether a word can be a return address: in an executable mapping, after a call. */
static bool is_return(const struct unwind_state *s, uint64_t pc)
{
    const struct unwind_module *module = unwind_space_find(s->space, pc);

    return module && code_is_after_call(s->start, module, s->space->machine, pc);
}

static bool guess(struct unwind_state *s, const struct unwind_module *module,
                  const struct unwind_caller *caller)
{
    if (!step_to(s, module, caller))
        return false;
    if (s->first_guess == UINT32_MAX)
        s->first_guess = s->n;
    return true;
}

/* .init and .fini are functions that the linker puts together from parts: x86-64's have
 * moved the stack pointer by one word where they call. */
static bool step_init(struct unwind_state *s, const struct unwind_module *module)
{
    struct unwind_caller caller = {s->sp + 2 * UNWIND_WORD, s->fp, 0, false};

    return state_load(s, s->sp + UNWIND_WORD, &caller.ra) && guess(s, module, &caller);
}

static bool is_init(const struct unwind_state *s, const struct unwind_module *module)
{
    uint64_t address = state_lookup_pc(s) - module->bias;

    return s->space->machine == UNWIND_X86_64 && !s->is_exact && module->table &&
           (is_in(module->table->init[0], address) ||
            is_in(module->table->init[1], address));
}

/* A function that has stored nothing, or only its caller's frame pointer, or has moved
 * the stack pointer by a word for the sake of alignment: the return address is the first
 * or the second word at the stack pointer. */
static bool is_shallow(struct unwind_state *s, const struct unwind_module *module,
                       struct unwind_caller *caller)
{
    if (s->space->machine != UNWIND_X86_64 || !s->is_exact ||
        (module->flags & UNWIND_KEEPS_FRAMES) != 0)
        return false;
    *caller = (struct unwind_caller){s->sp + UNWIND_WORD, s->fp, 0, false};
    if (state_load(s, s->sp, &caller->ra) && is_return(s, caller->ra))
        return true;
    caller->sp += UNWIND_WORD;
    return s->fp != s->sp && state_load(s, s->sp + UNWIND_WORD, &caller->ra) &&
           is_return(s, caller->ra);
}

/* ---- Frame records ----------------------------------------------------------------- */

static uint64_t record_of(const struct unwind_state *s)
{
    return s->space->machine == UNWIND_RISCV64 ? s->fp - RECORD_BYTES : s->fp;
}

/* Elsewhere than in code that keeps frame records the register may hold anything. */
static bool end_of_records(struct unwind_state *s, const struct unwind_module *module)
{
    bool keeps = (module->flags & UNWIND_KEEPS_FRAMES) != 0;

    return state_end(s, keeps ? UNWIND_END_OUTERMOST : UNWIND_END_NO_RULE, 0);
}

static bool step_record(struct unwind_state *s, const struct unwind_module *module)
{
    bool keeps = (module->flags & UNWIND_KEEPS_FRAMES) != 0;
    uint64_t record = record_of(s);
    struct unwind_caller caller = {record + RECORD_BYTES, 0, 0, false};

    if (s->fp == 0)
        return end_of_records(s, module);
    if (record % UNWIND_WORD != 0 || record < s->sp)
        return state_end(s, UNWIND_END_NO_RULE, 0);
    if (!state_load(s, record, &caller.fp) ||
        !state_load(s, record + UNWIND_WORD, &caller.ra))
        return keeps ? false : state_end(s, UNWIND_END_NO_RULE, 0);
    caller.ra = unwind_strip(s->signature_bits, caller.ra);
    if (caller.ra == 0)
        return end_of_records(s, module);
    if (!unwind_space_find(s->space, caller.ra - 1))
        return state_end(s, UNWIND_END_NO_RULE, 0);
    return guess(s, module, &caller);
}

bool step_without_rule(struct unwind_state *s, const struct unwind_module *module)
{
    struct unwind_caller caller;

    if (code_is_sigreturn(s->start, module, s->space->machine, s->pc))
        return step_signal(s);
    if (is_entry(module, s->pc - module->bias))
        return state_end(s, UNWIND_END_OUTERMOST, 0);
    if (is_init(s, module))
        return step_init(s, module);
    if (is_shallow(s, module, &caller))
        return guess(s, module, &caller);
    return step_record(s, module);
}
