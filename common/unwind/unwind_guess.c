/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps for code without rows, in the order in which they are least likely to be wrong:
 * what returns from signal handlers, the entry of a program or of a context, .init and
 * .fini, a leaf function with little on the stack, code that is about to return, and
 * frame records.
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

/* Whether nothing has called: the return address is the first instruction of a function,
 * with no function and no call before it. Whatever made the stack has put it there, as
 * makecontext does. */
static bool is_made_up(const struct unwind_state *s, const struct unwind_module *module)
{
    return !s->is_exact && module->table && s->start->read_code &&
           unwind_table_find(module->table, s->pc - module->bias) != UNWIND_RULE_NONE &&
           !code_is_after_call(s->start, module, s->space->machine, s->pc);
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

/* A function without rows that has called would have a link register that leads to
 * itself: one that leads to code with rows is the caller's. The function's own locals, if
 * it has any on the stack, are not known. */
static bool is_linked(struct unwind_state *s, const struct unwind_module *module,
                      struct unwind_caller *caller)
{
    const struct unwind_module *to;

    *caller = (struct unwind_caller){s->sp, s->fp, 0, true};
    if (s->columns.link == UNWIND_NO_REGISTER || !s->is_exact ||
        (module->flags & UNWIND_KEEPS_FRAMES) != 0 ||
        !state_register(s, s->columns.link, &caller->ra))
        return false;
    caller->ra = unwind_strip(s->signature_bits, caller->ra);
    to = unwind_space_find(s->space, caller->ra - 1);
    return to && code_is_after_call(s->start, to, s->space->machine, caller->ra) &&
           to->table &&
           unwind_table_find(to->table, caller->ra - 1 - to->bias) != UNWIND_RULE_NONE;
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

/* Code that was made at run time may also not keep frame records, and have zero in the
 * register by chance, if no record has led to it. */
static bool end_of_zero(struct unwind_state *s, const struct unwind_module *module)
{
    bool is_after_record = s->n_at_record != UINT32_MAX && s->n == s->n_at_record + 1;

    if (!module->table && !is_after_record)
        return state_end(s, UNWIND_END_NO_RULE, 0);
    return end_of_records(s, module);
}

/* The frame that a frame record leads to, if it leads to code; otherwise how the stack
 * ends is in the state. */
static bool find_record(struct unwind_state *s, const struct unwind_module *module,
                        struct unwind_caller *caller)
{
    bool keeps = (module->flags & UNWIND_KEEPS_FRAMES) != 0;
    uint64_t record = record_of(s);

    *caller = (struct unwind_caller){record + RECORD_BYTES, 0, 0, false};
    if (s->fp == 0)
        return end_of_zero(s, module);
    if (record % UNWIND_WORD != 0 || record < s->sp)
        return state_end(s, UNWIND_END_NO_RULE, 0);
    if (!state_load(s, record, &caller->fp) ||
        !state_load(s, record + UNWIND_WORD, &caller->ra))
        return keeps ? false : state_end(s, UNWIND_END_NO_RULE, 0);
    caller->ra = unwind_strip(s->signature_bits, caller->ra);
    if (caller->ra == 0)
        return end_of_records(s, module);
    return unwind_space_find(s->space, caller->ra - 1) != NULL ||
           state_end(s, UNWIND_END_NO_RULE, 0);
}

/* ---- Code that returns ------------------------------------------------------------- */

/* Where a function that has called returns right afterwards, as trampolines do, its code
 * says where the return address is. */
static bool step_return(struct unwind_state *s, const struct unwind_module *module,
                        const struct unwind_return *code)
{
    struct unwind_caller caller = {s->sp + code->words * UNWIND_WORD + UNWIND_WORD, s->fp,
                                   0, false};

    if (!state_load(s, caller.sp - UNWIND_WORD, &caller.ra) ||
        (code->has_fp && !state_load(s, s->sp + code->fp_word * UNWIND_WORD, &caller.fp)))
        return false;
    if (!unwind_space_find(s->space, caller.ra - 1))
        return state_end(s, UNWIND_END_NO_RULE, 0);
    return guess(s, module, &caller);
}

/* Code that keeps frame records needs to be read only where there is none; in other code
 * the register may hold anything, also the record of a caller further up. */
static bool step_by_code_or_record(struct unwind_state *s,
                                   const struct unwind_module *module)
{
    bool keeps = (module->flags & UNWIND_KEEPS_FRAMES) != 0;
    struct unwind_caller caller;
    struct unwind_return code;
    bool has_record = find_record(s, module, &caller);

    if ((!has_record || !keeps) &&
        code_find_return(s->start, module, s->space->machine, s->pc, &code))
        return step_return(s, module, &code);
    if (!has_record)
        return false;
    if (!keeps && !code_may_keep_record(s->start, module, s->space->machine, s->pc))
        return state_end(s, UNWIND_END_NO_RULE, 0);
    s->n_at_record = s->n;
    return guess(s, module, &caller);
}

/* The register was stored before the stack was switched. The other stack may be in the
 * same memory, below; where it is elsewhere, it may have changed since. */
bool step_switch(struct unwind_state *s, const struct unwind_module *module)
{
    struct unwind_caller caller = {s->fp + RECORD_BYTES, 0, 0, false};

    if (s->space->machine == UNWIND_RISCV64 || s->fp % UNWIND_WORD != 0 ||
        s->fp < s->sp || !state_find_chunk(s, s->fp) ||
        !state_find_chunk(s, s->fp + UNWIND_WORD))
        return state_end(s, UNWIND_END_STACK_SWITCH, 0);
    if (!state_load(s, s->fp, &caller.fp) ||
        !state_load(s, s->fp + UNWIND_WORD, &caller.ra))
        return false;
    caller.ra = unwind_strip(s->signature_bits, caller.ra);
    if (caller.ra == 0 || !unwind_space_find(s->space, caller.ra - 1))
        return state_end(s, UNWIND_END_STACK_SWITCH, 0);
    return guess(s, module, &caller);
}

bool step_without_rule(struct unwind_state *s, const struct unwind_module *module)
{
    bool is_made_at_run_time =
        !module->table && (module->flags & UNWIND_KEEPS_FRAMES) != 0;
    struct unwind_caller caller;

    if (!is_made_at_run_time &&
        code_is_sigreturn(s->start, module, s->space->machine, s->pc))
        return step_signal(s);
    if (is_entry(module, s->pc - module->bias) || is_made_up(s, module))
        return state_end(s, UNWIND_END_OUTERMOST, 0);
    if (is_init(s, module))
        return step_init(s, module);
    if (is_shallow(s, module, &caller) || is_linked(s, module, &caller))
        return guess(s, module, &caller);
    return step_by_code_or_record(s, module);
}
