/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_step.h: the DWARF expressions that unwind tables have, such as that of PLT
 * entries: arithmetic on registers, constants and memory. There are no jumps, so that
 * each ends. */
#include "unwind_step.h"

#include "unwind_cursor.h"

enum { OPERANDS_MAX = 16 };

enum {
    DW_OP_addr = 0x03,
    DW_OP_deref = 0x06,
    DW_OP_const1u = 0x08,
    DW_OP_const1s = 0x09,
    DW_OP_const2u = 0x0a,
    DW_OP_const2s = 0x0b,
    DW_OP_const4u = 0x0c,
    DW_OP_const4s = 0x0d,
    DW_OP_const8u = 0x0e,
    DW_OP_const8s = 0x0f,
    DW_OP_constu = 0x10,
    DW_OP_consts = 0x11,
    DW_OP_dup = 0x12,
    DW_OP_drop = 0x13,
    DW_OP_over = 0x14,
    DW_OP_swap = 0x16,
    DW_OP_and = 0x1a,
    DW_OP_minus = 0x1c,
    DW_OP_mul = 0x1e,
    DW_OP_neg = 0x1f,
    DW_OP_not = 0x20,
    DW_OP_or = 0x21,
    DW_OP_plus = 0x22,
    DW_OP_plus_uconst = 0x23,
    DW_OP_shl = 0x24,
    DW_OP_shr = 0x25,
    DW_OP_shra = 0x26,
    DW_OP_xor = 0x27,
    DW_OP_eq = 0x29,
    DW_OP_ge = 0x2a,
    DW_OP_gt = 0x2b,
    DW_OP_le = 0x2c,
    DW_OP_lt = 0x2d,
    DW_OP_ne = 0x2e,
    DW_OP_lit0 = 0x30,
    DW_OP_lit31 = 0x4f,
    DW_OP_breg0 = 0x70,
    DW_OP_breg31 = 0x8f,
    DW_OP_bregx = 0x92,
    DW_OP_nop = 0x96
};

struct evaluation {
    struct unwind_state *s;
    struct unwind_cursor c;
    uint64_t operands[OPERANDS_MAX];
    unsigned n;
    bool failed;
};

static void push(struct evaluation *e, uint64_t value)
{
    if (e->n == OPERANDS_MAX)
        e->failed = true;
    else
        e->operands[e->n++] = value;
}

static uint64_t pop(struct evaluation *e)
{
    if (e->n > 0)
        return e->operands[--e->n];
    e->failed = true;
    return 0;
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
    uint64_t value = 0;

    if (!state_register(e->s, number, &value))
        e->failed = true;
    push(e, value + (uint64_t)offset);
}

static void push_memory(struct evaluation *e)
{
    uint64_t value = 0;

    if (!state_load(e->s, pop(e), &value))
        e->failed = true;
    push(e, value);
}

/* Returns false if it is another operation. */
static bool run_constant(struct evaluation *e, uint8_t op)
{
    struct unwind_cursor *c = &e->c;

    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
        push(e, op - DW_OP_lit0);
    else if (op >= DW_OP_const1u && op <= DW_OP_const8s && op % 2 == 0)
        push(e, cursor_number(c, 1u << ((op - DW_OP_const1u) / 2)));
    else if (op >= DW_OP_const1u && op <= DW_OP_const8s)
        push(e, (uint64_t)cursor_signed(c, 1u << ((op - DW_OP_const1u) / 2)));
    else if (op == DW_OP_constu)
        push(e, cursor_uleb(c));
    else if (op == DW_OP_consts)
        push(e, (uint64_t)cursor_sleb(c));
    else
        return false;
    return true;
}

static bool run_stack(struct evaluation *e, uint8_t op)
{
    uint64_t top;
    uint64_t below;

    switch (op) {
    case DW_OP_dup:
        top = pop(e);
        push(e, top);
        push(e, top);
        return true;
    case DW_OP_drop:
        pop(e);
        return true;
    case DW_OP_over:
    case DW_OP_swap:
        top = pop(e);
        below = pop(e);
        push(e, op == DW_OP_over ? below : top);
        push(e, op == DW_OP_over ? top : below);
        if (op == DW_OP_over)
            push(e, below);
        return true;
    default:
        return false;
    }
}

static bool run_unary(struct evaluation *e, uint8_t op)
{
    switch (op) {
    case DW_OP_deref:
        push_memory(e);
        return true;
    case DW_OP_neg:
        push(e, 0 - pop(e));
        return true;
    case DW_OP_not:
        push(e, ~pop(e));
        return true;
    case DW_OP_plus_uconst:
        push(e, pop(e) + cursor_uleb(&e->c));
        return true;
    case DW_OP_nop:
        return true;
    default:
        return false;
    }
}

/* Shifts by more bits than there are leave none. */
static uint64_t shift(uint8_t op, uint64_t a, uint64_t n)
{
    if (op == DW_OP_shra)
        return (uint64_t)((int64_t)a >> (n < 64 ? n : 63));
    if (n >= 64)
        return 0;
    return op == DW_OP_shl ? a << n : a >> n;
}

static bool compute(uint8_t op, uint64_t a, uint64_t b, uint64_t *result)
{
    int64_t left = (int64_t)a;
    int64_t right = (int64_t)b;

    switch (op) {
    case DW_OP_and:
        *result = a & b;
        return true;
    case DW_OP_minus:
        *result = a - b;
        return true;
    case DW_OP_mul:
        *result = a * b;
        return true;
    case DW_OP_or:
        *result = a | b;
        return true;
    case DW_OP_plus:
        *result = a + b;
        return true;
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
        *result = shift(op, a, b);
        return true;
    case DW_OP_xor:
        *result = a ^ b;
        return true;
    case DW_OP_eq:
        *result = left == right;
        return true;
    case DW_OP_ge:
        *result = left >= right;
        return true;
    case DW_OP_gt:
        *result = left > right;
        return true;
    case DW_OP_le:
        *result = left <= right;
        return true;
    case DW_OP_lt:
        *result = left < right;
        return true;
    case DW_OP_ne:
        *result = left != right;
        return true;
    default:
        return false;
    }
}

static bool run_binary(struct evaluation *e, uint8_t op)
{
    uint64_t b = pop(e);
    uint64_t a = pop(e);
    uint64_t result;

    if (!compute(op, a, b, &result))
        return false;
    push(e, result);
    return true;
}

static bool run_one(struct evaluation *e)
{
    uint8_t op = cursor_byte(&e->c);

    if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
        push_register(e, op - DW_OP_breg0, cursor_sleb(&e->c));
    else if (op == DW_OP_bregx) {
        uint64_t number = cursor_uleb(&e->c);

        push_register(e, number, cursor_sleb(&e->c));
    } else
        return run_constant(e, op) || run_stack(e, op) || run_unary(e, op) ||
               run_binary(e, op);
    return true;
}

bool expression_evaluate(struct unwind_state *s, const struct unwind_table *table,
                         const struct unwind_value *expression, const uint64_t *first,
                         uint64_t *value)
{
    struct unwind_bytes all = {table->expressions, table->n_expression_bytes, 0};
    uint64_t at = (uint64_t)expression->offset;
    struct evaluation e;

    e.s = s;
    e.c = cursor_at(&all, at, at + expression->size);
    e.n = 0;
    e.failed = false;
    s->end = UNWIND_END_SPECIAL_RULE;
    if (first)
        push(&e, *first);
    while (e.c.at < e.c.end && !e.c.failed && !e.failed) {
        if (!run_one(&e))
            return false;
    }
    *value = pop(&e);
    return !e.failed && !e.c.failed;
}
