/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_go.h. The form is that of Go's src/runtime/symtab.go. */
#include "unwind_go.h"

#include "unwind_rule.h"

/* The first word, by the version of Go that began to write it. */
#define MAGIC_1_16 UINT32_C(0xfffffffa)
#define MAGIC_1_18 UINT32_C(0xfffffff0)
#define MAGIC_1_20 UINT32_C(0xfffffff1)

enum {
    WORD = 8,
    FLAG_OUTERMOST = 1,
    FLAG_SWITCHES = 2,
    /* Where the table by PC is, and the flags, from the end of a function's first field;
     * Go 1.20 put a field between the two. */
    PC_TABLE_AT = 12,
    FLAGS_AT = 33,
    LATER_FLAGS_AT = 37,
    STEPS_MIN = 65536
};

/* ---- The header -------------------------------------------------------------------- */

/* After the magic: two zero bytes, the size of instructions, and the size of a word. */
static bool read_form(struct go_table *t, struct unwind_cursor *c)
{
    uint32_t magic = (uint32_t)cursor_number(c, 4);
    bool is_good = cursor_number(c, 2) == 0;

    t->instruction_bytes = cursor_byte(c);
    is_good = is_good && cursor_byte(c) == WORD && t->instruction_bytes != 0;
    t->field_bytes = magic == MAGIC_1_16 ? WORD : 4;
    t->flags_at = magic == MAGIC_1_20 ? LATER_FLAGS_AT : FLAGS_AT;
    return is_good && !c->failed &&
           (magic == MAGIC_1_16 || magic == MAGIC_1_18 || magic == MAGIC_1_20);
}

static bool read_header(struct go_table *t, const struct unwind_bytes *bytes)
{
    struct unwind_cursor c = cursor_at(bytes, 0, bytes->size);
    bool is_good = read_form(t, &c);
    bool is_relative = t->field_bytes == 4;

    t->n_functions = cursor_number(&c, WORD);
    cursor_skip(&c, WORD);
    t->text = is_relative ? cursor_number(&c, WORD) : 0;
    if (is_relative && t->text == 0)
        t->text = bytes->address;
    t->names = cursor_number(&c, WORD);
    cursor_skip(&c, WORD);
    cursor_skip(&c, WORD);
    t->pc_tables = cursor_number(&c, WORD);
    t->functions = cursor_number(&c, WORD);
    return is_good && !c.failed && (t->text != 0 || !is_relative) &&
           t->names < bytes->size && t->pc_tables < bytes->size &&
           t->functions < bytes->size &&
           t->n_functions < (bytes->size - t->functions) / (2 * t->field_bytes);
}

void go_table_init(struct go_table *table, const struct unwind_bytes *bytes,
                   uint32_t machine)
{
    *table = (struct go_table){.bytes = *bytes, .machine = machine};
    if (!read_header(table, bytes))
        table->n_functions = 0;
    table->budget = bytes->size < UINT64_MAX - STEPS_MIN ? bytes->size + STEPS_MIN : 0;
}

/* ---- Functions --------------------------------------------------------------------- */

static struct unwind_cursor cursor_in(const struct go_table *t, uint64_t base,
                                      uint64_t offset)
{
    uint64_t left = t->bytes.size - base;

    return cursor_at(&t->bytes, base + (offset < left ? offset : left), t->bytes.size);
}

static bool begins_with(const struct go_table *t, uint64_t name, const char *with)
{
    struct unwind_cursor c = cursor_in(t, t->names, name);

    while (*with != '\0' && cursor_byte(&c) == (unsigned char)*with)
        with++;
    return *with == '\0' && !c.failed;
}

static enum go_kind kind_of(const struct go_table *t, uint64_t name, unsigned flags)
{
    if (begins_with(t, name, "runtime.sigreturn"))
        return GO_SIGRETURN;
    /* For the runtime a signal handler is the outermost function. */
    if ((flags & FLAG_OUTERMOST) != 0 && !begins_with(t, name, "runtime.sigtramp"))
        return GO_OUTERMOST;
    return (flags & FLAG_SWITCHES) != 0 ? GO_SWITCHES : GO_NORMAL;
}

bool go_function_read(const struct go_table *t, uint64_t index,
                      struct go_function *function)
{
    struct unwind_cursor entry = cursor_in(t, t->functions, index * 2 * t->field_bytes);
    struct unwind_cursor fields;
    uint64_t offset;
    unsigned flags;

    function->start = t->text + cursor_number(&entry, t->field_bytes);
    offset = cursor_number(&entry, t->field_bytes);
    function->limit = t->text + cursor_number(&entry, t->field_bytes);
    fields = cursor_in(t, t->functions, offset);
    cursor_skip(&fields, t->field_bytes);
    function->name = cursor_number(&fields, 4);
    cursor_skip(&fields, PC_TABLE_AT - 4);
    function->pc_table = cursor_number(&fields, 4);
    cursor_skip(&fields, t->flags_at - PC_TABLE_AT - 4);
    flags = cursor_byte(&fields);
    function->kind = kind_of(t, function->name, flags);
    return !entry.failed && !fields.failed && function->start < function->limit;
}

const char *go_function_name(const struct go_table *t, const struct go_function *function)
{
    struct unwind_cursor c = cursor_in(t, t->names, function->name);
    uint64_t start = c.at;

    if (c.end - c.at > GO_NAME_MAX)
        c.end = c.at + GO_NAME_MAX;
    while (cursor_byte(&c) != 0 && !c.failed)
        continue;
    return c.failed ? NULL : (const char *)t->bytes.bytes + start;
}

/* ---- Rules ------------------------------------------------------------------------- */

/* The return address is above what the function has on the stack. The frame pointer is
 * stored below it, before anything else. */
static uint32_t rule_of_x86_64(uint64_t words)
{
    uint32_t slot = words > 0 ? 2 : 0;

    if (words + 1 > UNWIND_CFA_WORDS_MAX)
        return UNWIND_RULE_REFUSED;
    return UNWIND_RULE_SIMPLE | (uint32_t)UNWIND_RETURN_TOP << UNWIND_RETURN_SHIFT |
           slot << UNWIND_SLOT_SHIFT | (uint32_t)(words + 1);
}

/* The return address is at the stack pointer, or still in the register. aarch64's frame
 * pointer is stored one word below the stack pointer; riscv64 has none. */
static uint32_t rule_of_link(uint64_t words, bool has_frame)
{
    enum unwind_return_place place =
        has_frame ? UNWIND_RETURN_ABOVE_FRAME : UNWIND_RETURN_SLOT;

    if (words == 0)
        return UNWIND_RULE_SIMPLE;
    if (words + has_frame > UNWIND_SLOT_WORDS_MAX)
        return UNWIND_RULE_REFUSED;
    return UNWIND_RULE_SIMPLE | (uint32_t)place << UNWIND_RETURN_SHIFT |
           (uint32_t)(words + has_frame) << UNWIND_SLOT_SHIFT | (uint32_t)words;
}

static uint32_t rule_of(const struct go_table *t, int64_t bytes)
{
    if (bytes < 0 || bytes % WORD != 0)
        return UNWIND_RULE_REFUSED;
    if (t->machine == UNWIND_X86_64)
        return rule_of_x86_64((uint64_t)bytes / WORD);
    return rule_of_link((uint64_t)bytes / WORD, t->machine == UNWIND_AARCH64);
}

/* A table by PC is pairs of the change of the value, whose lowest bit is the sign, and
 * how many instructions have it. The value begins as -1; a change of 0 that is not the
 * first is the end. */
static bool run_table(struct go_table *t, const struct go_function *function,
                      go_row_fn *row, void *context)
{
    struct unwind_cursor c = cursor_in(t, t->pc_tables, function->pc_table);
    uint64_t address = function->start;
    int64_t bytes = -1;

    while (address < function->limit) {
        uint64_t change = cursor_uleb(&c);
        uint64_t n = cursor_uleb(&c);

        if (change == 0 && address != function->start)
            return true;
        if (c.failed || n == 0 || change > UINT32_MAX || n > UINT32_MAX || t->budget == 0)
            return false;
        t->budget--;
        bytes += (change & 1) != 0 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
        if (!row(context, address, rule_of(t, bytes)))
            return true;
        address += n * t->instruction_bytes;
    }
    return true;
}

bool go_function_run(struct go_table *t, const struct go_function *function,
                     go_row_fn *row, void *context)
{
    switch (function->kind) {
    case GO_NORMAL:
        return function->pc_table == 0 || run_table(t, function, row, context);
    case GO_OUTERMOST:
        row(context, function->start, UNWIND_RULE_END);
        return true;
    case GO_SWITCHES:
        row(context, function->start, UNWIND_RULE_SWITCH);
        return true;
    case GO_SIGRETURN:
        row(context, function->start, UNWIND_RULE_SIGNAL);
        return true;
    }
    return false;
}
