/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_rows.h. */
#include "unwind_rows.h"

enum { FIRST_CAPACITY = 4096, SAME_ODD_MAX = 64, EXPRESSION_MAX = 255 };

/* ---- Buffers ----------------------------------------------------------------------- */

/* In words where it can, without calling anything. */
void unwind_copy_bytes(unsigned char *to, const unsigned char *from, size_t size)
{
    size_t i = 0;

    for (; size - i >= 8; i += 8)
        __builtin_memcpy(to + i, from + i, 8);
    for (; i < size; i++)
        to[i] = from[i];
}

static bool enlarge(struct unwind_buffer *buffer, size_t size)
{
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    unsigned char *bytes;

    while (capacity - buffer->size < size) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    bytes = (unsigned char *)buffer->allocator->allocate(buffer->allocator->context,
                                                         capacity);
    if (!bytes)
        return false;
    unwind_copy_bytes(bytes, buffer->bytes, buffer->size);
    size = buffer->size;
    unwind_buffer_free(buffer);
    buffer->bytes = bytes;
    buffer->size = size;
    buffer->capacity = capacity;
    return true;
}

void *unwind_buffer_add(struct unwind_buffer *buffer, size_t size)
{
    void *added;

    if (buffer->capacity - buffer->size < size && !enlarge(buffer, size)) {
        buffer->failed = true;
        return NULL;
    }
    added = buffer->bytes + buffer->size;
    buffer->size += size;
    return added;
}

void unwind_buffer_free(struct unwind_buffer *buffer)
{
    if (buffer->bytes)
        buffer->allocator->release(buffer->allocator->context, buffer->bytes,
                                   buffer->capacity);
    buffer->bytes = NULL;
    buffer->size = 0;
    buffer->capacity = 0;
}

/* ---- Rows -------------------------------------------------------------------------- */

static void add_row(struct unwind_buffer *rows, uint32_t offset, uint32_t rule)
{
    struct unwind_row *all = (struct unwind_row *)(void *)rows->bytes;
    size_t n = rows->size / sizeof(*all);
    struct unwind_row *row;

    /* A row without addresses is replaced; then two may be the same. */
    if (n > 0 && all[n - 1].offset == offset) {
        rows->size -= sizeof(*all);
        n--;
    }
    if (n > 0 && all[n - 1].rule == rule)
        return;
    row = (struct unwind_row *)unwind_buffer_add(rows, sizeof(*row));
    if (row)
        *row = (struct unwind_row){offset, rule};
}

void builder_add_rule(struct unwind_builder *b, uint64_t address, uint32_t rule)
{
    if (b->rows.size > 0 || rule != UNWIND_RULE_NONE)
        add_row(&b->rows, (uint32_t)(address - b->base), rule);
}

void builder_add_saved(struct unwind_builder *b, uint64_t address, uint32_t rule)
{
    add_row(&b->saved, (uint32_t)(address - b->base), rule);
}

/* ---- Simple rules ------------------------------------------------------------------ */

/* How many words below the CFA; 0 if it cannot be in a rule. */
static uint32_t slot_words(const struct cfi_value *value)
{
    if (value->kind != UNWIND_AT_CFA || value->value >= 0 ||
        value->value % UNWIND_WORD != 0 ||
        value->value < -(int64_t)UNWIND_SLOT_WORDS_MAX * UNWIND_WORD)
        return 0;
    return (uint32_t)(-value->value / UNWIND_WORD);
}

static bool is_unchanged(const struct cfi_value *value)
{
    return value->kind == UNWIND_SAME || value->kind == UNWIND_UNDEFINED;
}

static bool encode_cfa(const struct unwind_columns *columns,
                       const struct cfi_state *state, uint32_t *rule)
{
    if (state->cfa_kind != UNWIND_REGISTER || state->cfa_offset < 0 ||
        state->cfa_offset % UNWIND_WORD != 0 ||
        state->cfa_offset > (int64_t)UNWIND_CFA_WORDS_MAX * UNWIND_WORD)
        return false;
    if (state->cfa_register != columns->sp && state->cfa_register != columns->fp)
        return false;
    *rule |= UNWIND_RULE_SIMPLE | (uint32_t)(state->cfa_offset / UNWIND_WORD);
    if (state->cfa_register == columns->fp)
        *rule |= UNWIND_RULE_FROM_FRAME;
    return true;
}

static bool encode_slots(const struct cfi_state *state, uint32_t *rule)
{
    const struct cfi_value *ra = &state->columns[CFI_RA];
    const struct cfi_value *fp = &state->columns[CFI_FP];
    uint32_t fp_slot = slot_words(fp);
    uint32_t ra_slot = slot_words(ra);
    enum unwind_return_place place;

    if (fp_slot == 0 && !is_unchanged(fp))
        return false;
    if (ra->kind == UNWIND_SAME)
        place = UNWIND_RETURN_LINK;
    else if (ra_slot == 0)
        return false;
    else if (ra_slot == 1)
        place = UNWIND_RETURN_TOP;
    else if (fp_slot == ra_slot + 1)
        place = UNWIND_RETURN_ABOVE_FRAME;
    else if (fp_slot == 0)
        place = UNWIND_RETURN_SLOT;
    else
        return false;
    *rule |= (uint32_t)place << UNWIND_RETURN_SHIFT;
    *rule |= (place == UNWIND_RETURN_SLOT ? ra_slot : fp_slot) << UNWIND_SLOT_SHIFT;
    return true;
}

/* ---- Odd rules --------------------------------------------------------------------- */

static bool is_same_bytes(const unsigned char *a, const unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/* Where the expression is in the table, to which it is added. Expressions that are the
 * same mostly follow each other: the last one is used again. */
static bool place_expression(struct unwind_builder *b, const unsigned char *bytes,
                             size_t size, struct unwind_value *value)
{
    struct unwind_buffer *all = &b->expressions;
    unsigned char *added;

    value->size = (uint16_t)size;
    value->offset = 0;
    if (size == 0)
        return true;
    if (all->size >= size && is_same_bytes(all->bytes + all->size - size, bytes, size)) {
        value->offset = (int32_t)(all->size - size);
        return true;
    }
    if (all->size > INT32_MAX - size)
        return false;
    value->offset = (int32_t)all->size;
    added = (unsigned char *)unwind_buffer_add(all, size);
    if (!added)
        return false;
    for (size_t i = 0; i < size; i++)
        added[i] = bytes[i];
    return true;
}

static bool take_expression(struct unwind_builder *b, int64_t at,
                            struct unwind_value *value)
{
    struct unwind_cursor c = cursor_at(b->section, (uint64_t)at, b->section->size);
    uint64_t size = cursor_uleb(&c);

    if (c.failed || size > EXPRESSION_MAX || size > c.end - c.at)
        return false;
    return place_expression(b, c.bytes + c.at, (size_t)size, value);
}

static bool take_value(struct unwind_builder *b, enum unwind_value_kind kind,
                       uint64_t number, int64_t offset, struct unwind_value *value)
{
    *value = (struct unwind_value){.kind = (uint8_t)kind};
    if (kind == UNWIND_SAME || kind == UNWIND_UNDEFINED)
        return true;
    if (kind == UNWIND_AT_EXPRESSION || kind == UNWIND_IS_EXPRESSION)
        return take_expression(b, offset, value);
    if (number > UINT8_MAX || offset < INT32_MIN || offset > INT32_MAX)
        return false;
    value->number = (uint8_t)number;
    value->offset = (int32_t)offset;
    return true;
}

static bool take_column(struct unwind_builder *b, const struct cfi_value *from,
                        struct unwind_value *value)
{
    if (from->kind == UNWIND_REGISTER)
        return take_value(b, from->kind, (uint64_t)from->value, 0, value);
    return take_value(b, from->kind, 0, from->value, value);
}

static bool is_same_odd(const struct unwind_odd *a, const struct unwind_odd *b)
{
    return is_same_bytes((const unsigned char *)a, (const unsigned char *)b, sizeof(*a));
}

static uint32_t add_odd(struct unwind_builder *b, const struct unwind_odd *odd)
{
    const struct unwind_odd *all = (const struct unwind_odd *)(void *)b->odd.bytes;
    size_t n = b->odd.size / sizeof(*odd);
    struct unwind_odd *added;

    for (size_t i = n; i > 0 && n - i < SAME_ODD_MAX; i--) {
        if (is_same_odd(&all[i - 1], odd))
            return UNWIND_RULE_ODD | (uint32_t)(i - 1);
    }
    if (n >= UNWIND_RULE_ODD)
        return UNWIND_RULE_REFUSED;
    added = (struct unwind_odd *)unwind_buffer_add(&b->odd, sizeof(*odd));
    if (!added)
        return UNWIND_RULE_REFUSED;
    *added = *odd;
    return UNWIND_RULE_ODD | (uint32_t)n;
}

static uint32_t encode_odd(struct unwind_builder *b, const struct cfi_state *state)
{
    struct unwind_columns columns = unwind_columns_of(b->machine);
    struct unwind_odd odd = {.is_signal = b->cie->is_signal};

    if (!take_value(b, state->cfa_kind, state->cfa_register,
                    state->cfa_kind == UNWIND_REGISTER ? state->cfa_offset
                                                       : state->cfa_expression,
                    &odd.cfa) ||
        !take_column(b, &state->columns[CFI_FP], &odd.fp) ||
        !take_column(b, &state->columns[CFI_RA], &odd.ra))
        return UNWIND_RULE_REFUSED;
    /* What is unchanged is in the register of the CIE's column, which is another one
     * where code is called in a way that is its own. */
    if (odd.ra.kind == UNWIND_SAME && b->cie->ra_column != columns.ra) {
        odd.ra.kind = UNWIND_REGISTER;
        odd.ra.number = (uint8_t)(b->cie->ra_column & 0x1f);
    }
    if (odd.cfa.kind == UNWIND_REGISTER && odd.cfa.number == columns.saved)
        b->needs_saved = true;
    return add_odd(b, &odd);
}

/* ---- All --------------------------------------------------------------------------- */

/* The kernel's own trampolines are marked as signal frames, and so is libc's, whose CFA
 * is an expression. */
static bool is_trampoline(const struct unwind_builder *b, const struct cfi_state *state)
{
    return b->cie->is_signal &&
           (b->machine != UNWIND_X86_64 || state->cfa_kind == UNWIND_IS_EXPRESSION);
}

/* The caller's stack pointer is elsewhere, as in longjmp. */
static bool has_other_stack(const struct cfi_state *state)
{
    const struct cfi_value *sp = &state->columns[CFI_SP];

    return sp->kind != UNWIND_SAME && (sp->kind != UNWIND_IS_CFA || sp->value != 0);
}

uint32_t builder_encode(struct unwind_builder *b, const struct cfi_state *state)
{
    struct unwind_columns columns = unwind_columns_of(b->machine);
    uint32_t rule = 0;

    if (is_trampoline(b, state))
        return UNWIND_RULE_SIGNAL;
    if (state->columns[CFI_RA].kind == UNWIND_UNDEFINED)
        return UNWIND_RULE_END;
    if (has_other_stack(state))
        return UNWIND_RULE_REFUSED;
    if (!b->cie->is_signal && b->cie->ra_column == columns.ra &&
        encode_cfa(&columns, state, &rule) && encode_slots(state, &rule))
        return rule;
    return encode_odd(b, state);
}

uint32_t builder_encode_saved(const struct cfi_state *state)
{
    uint32_t words = slot_words(&state->columns[CFI_SAVED]);

    if (is_unchanged(&state->columns[CFI_SAVED]))
        return UNWIND_SAVED_SAME;
    return words > 0 ? words : UNWIND_SAVED_UNKNOWN;
}
