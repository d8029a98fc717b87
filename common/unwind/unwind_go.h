/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a program in Go, by .gopclntab, which the Go runtime itself needs and
 * which stripping leaves: how far the stack pointer is below where it was at the entry,
 * for each instruction, and which functions are the outermost ones or switch stacks. Of
 * Go 1.16 and later; older forms have no functions here.
 */
#ifndef FXTUNWIND_UNWIND_GO_H
#define FXTUNWIND_UNWIND_GO_H

#include "unwind_cursor.h"

struct go_table {
    struct unwind_bytes bytes;
    uint32_t machine;
    /* What the addresses of functions count from: 0 before Go 1.18. */
    uint64_t text;
    uint64_t n_functions;
    /* Offsets of the names, of the tables by PC, and of the functions. */
    uint64_t names;
    uint64_t pc_tables;
    uint64_t functions;
    /* Of a field of the functions' index, and of the first field of a function. */
    unsigned field_bytes;
    /* Where a function's flags are, from the end of its first field. */
    unsigned flags_at;
    unsigned instruction_bytes;
    /* Steps through tables that are left: functions that are real have few. */
    uint64_t budget;
};

/* Starts to read; without functions if the form is not known. The address of `bytes` is
 * that of Go's code, for tables that do not say it; 0 if it is unknown. */
void go_table_init(struct go_table *table, const struct unwind_bytes *bytes,
                   uint32_t machine);

enum go_kind {
    GO_NORMAL = 0,
    /* Begins a goroutine or a thread. */
    GO_OUTERMOST = 1,
    /* Changes the stack pointer in ways that its table does not tell. */
    GO_SWITCHES = 2,
    /* What signal handlers return to. */
    GO_SIGRETURN = 3
};

struct go_function {
    uint64_t start;
    uint64_t limit;
    enum go_kind kind;
    uint64_t pc_table;
    /* Where its name begins, from `names` of the table on. */
    uint64_t name;
};

/* Returns false if the function is damaged. */
bool go_function_read(const struct go_table *table, uint64_t index,
                      struct go_function *function);

/* Far longer than any name. */
enum { GO_NAME_MAX = 4096 };

/* A function's name, which is in the table's bytes and ends in zero; NULL if it is not in
 * them, or too long. */
const char *go_function_name(const struct go_table *table,
                             const struct go_function *function);

/* Returns false when no more rows are wanted. */
typedef bool go_row_fn(void *context, uint64_t address, uint32_t rule);

/* Calls `row` for each address from which on there is another rule. Returns false if the
 * function is damaged: then there were rows up to the damage. */
bool go_function_run(struct go_table *table, const struct go_function *function,
                     go_row_fn *row, void *context);

#endif
