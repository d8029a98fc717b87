/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_cfi.h: programs. */
#include "unwind_cfi.h"

enum { REMEMBERED_MAX = 8 };

enum {
    DW_CFA_advance_loc = 0x40,
    DW_CFA_offset = 0x80,
    DW_CFA_restore = 0xc0,
    DW_CFA_nop = 0x00,
    DW_CFA_set_loc = 0x01,
    DW_CFA_advance_loc1 = 0x02,
    DW_CFA_advance_loc2 = 0x03,
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_offset_extended = 0x05,
    DW_CFA_restore_extended = 0x06,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_register = 0x09,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa = 0x0c,
    DW_CFA_def_cfa_register = 0x0d,
    DW_CFA_def_cfa_offset = 0x0e,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_offset_extended_sf = 0x11,
    DW_CFA_def_cfa_sf = 0x12,
    DW_CFA_def_cfa_offset_sf = 0x13,
    DW_CFA_val_offset = 0x14,
    DW_CFA_val_offset_sf = 0x15,
    DW_CFA_val_expression = 0x16,
    DW_CFA_MIPS_advance_loc8 = 0x1d,
    DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c,
    DW_CFA_AARCH64_negate_ra_state = 0x2d,
    DW_CFA_GNU_args_size = 0x2e,
    DW_CFA_GNU_negative_offset_extended = 0x2f
};

/* The program that runs. */
struct cfi_run {
    const struct cfi_section *section;
    const struct cfi_cie *cie;
    struct unwind_columns columns;
    struct unwind_cursor c;
    struct cfi_state state;
    struct cfi_state remembered[REMEMBERED_MAX];
    unsigned n_remembered;
    bool failed;
    uint64_t address;
    uint64_t limit;
    /* NULL in a CIE's program, which has no addresses. */
    cfi_row_fn *row;
    void *context;
};

/* ---- Registers --------------------------------------------------------------------- */

/* Which column a register is, if it is of interest; else CFI_COLUMNS. */
static unsigned find_column(const struct cfi_run *run, uint64_t number)
{
    if (number == run->columns.fp)
        return CFI_FP;
    if (number == run->cie->ra_column)
        return CFI_RA;
    if (number == run->columns.sp)
        return CFI_SP;
    return number == run->columns.saved ? CFI_SAVED : CFI_COLUMNS;
}

static void set_column(struct cfi_run *run, uint64_t number, enum unwind_value_kind kind,
                       int64_t value)
{
    unsigned column = find_column(run, number);

    if (column < CFI_COLUMNS)
        run->state.columns[column] = (struct cfi_value){kind, value};
}

static void restore_column(struct cfi_run *run, uint64_t number)
{
    unsigned column = find_column(run, number);

    if (column < CFI_COLUMNS)
        run->state.columns[column] = run->cie->initial.columns[column];
}

/* A product that wraps is wrong, but does no harm: it is an offset like any other. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t factored(const struct cfi_run *run, uint64_t offset)
{
    return times((int64_t)offset, run->cie->data_align);
}

/* ---- The CFA ----------------------------------------------------------------------- */

static void set_cfa_register(struct cfi_run *run, uint64_t number)
{
    run->failed = run->failed || number > UINT32_MAX;
    run->state.cfa_kind = UNWIND_REGISTER;
    run->state.cfa_register = (uint32_t)number;
}

static void set_cfa(struct cfi_run *run, uint64_t number, int64_t offset)
{
    set_cfa_register(run, number);
    run->state.cfa_offset = offset;
}

/* Where the expression is: its size, and then its bytes. */
static int64_t take_expression(struct cfi_run *run)
{
    int64_t at = (int64_t)run->c.at;

    cursor_skip(&run->c, cursor_uleb(&run->c));
    return at;
}

/* The offset is kept: the CFA may become that of a register again. */
static void set_cfa_expression(struct cfi_run *run)
{
    run->state.cfa_kind = UNWIND_IS_EXPRESSION;
    run->state.cfa_expression = take_expression(run);
}

/* ---- Addresses --------------------------------------------------------------------- */

/* The rules so far hold up to an address; returns false at the end of the function. */
static bool go_to(struct cfi_run *run, uint64_t address)
{
    if (!run->row || address < run->address) {
        run->failed = true;
        return false;
    }
    if (address == run->address)
        return true;
    if (!run->row(run->context, run->address, &run->state))
        return false;
    run->address = address;
    return address < run->limit;
}

static bool advance(struct cfi_run *run, uint64_t n)
{
    uint64_t left = UINT64_MAX - run->address;
    uint64_t align = run->cie->code_align;

    if (run->c.failed || (n > 0 && align > left / n)) {
        run->failed = true;
        return false;
    }
    return go_to(run, run->address + n * align);
}

static bool set_address(struct cfi_run *run)
{
    uint64_t address = cursor_encoded(&run->c, run->cie->encoding,
                                      run->section->bytes.address, UINT64_MAX);

    return !run->c.failed && go_to(run, address);
}

/* ---- Instructions ------------------------------------------------------------------ */

static void remember(struct cfi_run *run)
{
    if (run->n_remembered == REMEMBERED_MAX)
        run->failed = true;
    else
        run->remembered[run->n_remembered++] = run->state;
}

static void restore_state(struct cfi_run *run)
{
    if (run->n_remembered == 0)
        run->failed = true;
    else
        run->state = run->remembered[--run->n_remembered];
}

/* Those that set the rule of one register. Returns false if it is another one. */
static bool run_register(struct cfi_run *run, uint8_t op)
{
    struct unwind_cursor *c = &run->c;
    uint64_t number;

    switch (op) {
    case DW_CFA_offset_extended:
    case DW_CFA_val_offset:
        number = cursor_uleb(c);
        set_column(run, number, op == DW_CFA_val_offset ? UNWIND_IS_CFA : UNWIND_AT_CFA,
                   factored(run, cursor_uleb(c)));
        return true;
    case DW_CFA_offset_extended_sf:
    case DW_CFA_val_offset_sf:
        number = cursor_uleb(c);
        set_column(run, number,
                   op == DW_CFA_val_offset_sf ? UNWIND_IS_CFA : UNWIND_AT_CFA,
                   times(cursor_sleb(c), run->cie->data_align));
        return true;
    case DW_CFA_GNU_negative_offset_extended:
        number = cursor_uleb(c);
        set_column(run, number, UNWIND_AT_CFA, times(factored(run, cursor_uleb(c)), -1));
        return true;
    case DW_CFA_restore_extended:
        restore_column(run, cursor_uleb(c));
        return true;
    case DW_CFA_undefined:
        set_column(run, cursor_uleb(c), UNWIND_UNDEFINED, 0);
        return true;
    case DW_CFA_same_value:
        set_column(run, cursor_uleb(c), UNWIND_SAME, 0);
        return true;
    case DW_CFA_register:
        number = cursor_uleb(c);
        set_column(run, number, UNWIND_REGISTER, (int64_t)cursor_uleb(c));
        return true;
    case DW_CFA_expression:
    case DW_CFA_val_expression:
        number = cursor_uleb(c);
        set_column(run, number,
                   op == DW_CFA_expression ? UNWIND_AT_EXPRESSION : UNWIND_IS_EXPRESSION,
                   take_expression(run));
        return true;
    default:
        return false;
    }
}

/* Those that set the CFA. */
static bool run_cfa(struct cfi_run *run, uint8_t op)
{
    struct unwind_cursor *c = &run->c;
    uint64_t number;

    switch (op) {
    case DW_CFA_def_cfa:
        number = cursor_uleb(c);
        set_cfa(run, number, (int64_t)cursor_uleb(c));
        return true;
    case DW_CFA_def_cfa_sf:
        number = cursor_uleb(c);
        set_cfa(run, number, times(cursor_sleb(c), run->cie->data_align));
        return true;
    case DW_CFA_def_cfa_register:
        set_cfa_register(run, cursor_uleb(c));
        return true;
    case DW_CFA_def_cfa_offset:
        run->state.cfa_offset = (int64_t)cursor_uleb(c);
        return true;
    case DW_CFA_def_cfa_offset_sf:
        run->state.cfa_offset = times(cursor_sleb(c), run->cie->data_align);
        return true;
    case DW_CFA_def_cfa_expression:
        set_cfa_expression(run);
        return true;
    default:
        return false;
    }
}

/* Those that set nothing of interest: a signature on return addresses, which is removed
 * from all of them, and the size of arguments. */
static bool run_other(struct cfi_run *run, uint8_t op)
{
    switch (op) {
    case DW_CFA_nop:
        return true;
    case DW_CFA_remember_state:
        remember(run);
        return true;
    case DW_CFA_restore_state:
        restore_state(run);
        return true;
    case DW_CFA_AARCH64_negate_ra_state:
    case DW_CFA_AARCH64_negate_ra_state_with_pc:
        return run->section->machine == UNWIND_AARCH64;
    case DW_CFA_GNU_args_size:
        cursor_uleb(&run->c);
        return true;
    default:
        return false;
    }
}

/* Returns false at the end of the function, or after a failure. */
static bool run_extended(struct cfi_run *run, uint8_t op)
{
    switch (op) {
    case DW_CFA_set_loc:
        return set_address(run);
    case DW_CFA_advance_loc1:
        return advance(run, cursor_byte(&run->c));
    case DW_CFA_advance_loc2:
        return advance(run, cursor_number(&run->c, 2));
    case DW_CFA_advance_loc4:
        return advance(run, cursor_number(&run->c, 4));
    case DW_CFA_MIPS_advance_loc8:
        return advance(run, cursor_number(&run->c, 8));
    default:
        if (!run_register(run, op) && !run_cfa(run, op) && !run_other(run, op))
            run->failed = true;
        return !run->failed;
    }
}

static bool run_one(struct cfi_run *run)
{
    uint8_t byte = cursor_byte(&run->c);
    uint8_t low = byte & 0x3fu;

    switch (byte & 0xc0u) {
    case DW_CFA_advance_loc:
        return advance(run, low);
    case DW_CFA_offset:
        set_column(run, low, UNWIND_AT_CFA, factored(run, cursor_uleb(&run->c)));
        return true;
    case DW_CFA_restore:
        restore_column(run, low);
        return true;
    default:
        return run_extended(run, byte);
    }
}

/* Returns whether it ran to its end, or to the function's. */
static bool run_all(struct cfi_run *run)
{
    bool more = true;

    while (more && run->c.at < run->c.end && !run->c.failed)
        more = run_one(run);
    return !run->failed && !run->c.failed;
}

bool cfi_initial_run(const struct cfi_section *section, struct cfi_cie *cie,
                     struct unwind_cursor program)
{
    struct cfi_run run;

    run.section = section;
    run.cie = cie;
    run.columns = unwind_columns_of(section->machine);
    run.c = program;
    /* Of no register, which is not to be used; but a program may begin with a part. */
    run.state =
        (struct cfi_state){.cfa_kind = UNWIND_REGISTER, .cfa_register = UINT32_MAX};
    run.n_remembered = 0;
    run.failed = false;
    run.row = NULL;
    cie->initial = run.state;
    if (!run_all(&run))
        return false;
    cie->initial = run.state;
    return true;
}

bool cfi_fde_run(struct cfi_section *section, const struct cfi_fde *fde, cfi_row_fn *row,
                 void *context)
{
    uint64_t size = fde->program.end - fde->program.at;
    struct cfi_run run;

    if (size > section->budget)
        return false;
    section->budget -= size;
    run.section = section;
    run.cie = fde->cie;
    run.columns = unwind_columns_of(section->machine);
    run.c = fde->program;
    run.state = fde->cie->initial;
    run.n_remembered = 0;
    run.failed = false;
    run.address = fde->start;
    run.limit = fde->limit;
    run.row = row;
    run.context = context;
    if (!run_all(&run)) {
        row(context, run.address, NULL);
        return false;
    }
    if (run.address < run.limit)
        row(context, run.address, &run.state);
    return true;
}
