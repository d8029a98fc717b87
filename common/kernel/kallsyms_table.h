/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols that a Linux kernel has in its image (kallsyms), found without any address
 * but that of some code. There are tables, each aligned to 8 bytes and after the one
 * before, in one of two orders:
 *
 *     up to 6.4: offsets, base, count, names, markers, sequence, tokens, token index
 *     later:     count, names, markers, tokens, token index, offsets, base, sequence
 *
 * offsets     a number of 32 bits for each symbol, sorted: its address less the base, or,
 *             where some symbols are absolute, the base less the address less 1, and the
 *             absolute symbols come first, with their values
 * names       for each symbol a length, and as many numbers of tokens; the first
 *             character is the symbol's type
 * markers     where the names of each 256th symbol begin
 * sequence    3 bytes for each symbol; not before 6.2
 * tokens      256 strings
 *
 * The offsets are recognised first, from samples of memory, since they are sorted;
 * whatever else is found from there has to agree.
 */
#ifndef COMMON_KERNEL_KALLSYMS_TABLE_H
#define COMMON_KERNEL_KALLSYMS_TABLE_H

#include "kernel_memory.h"

enum { KALLSYMS_TOKENS = 256, KALLSYMS_NAME_MAX = 512 };

struct kallsyms_table {
    uint32_t n;
    uint64_t base;
    /* Offsets are negative, and others are absolute values. */
    bool has_absolute;
    uint64_t offsets;
    uint64_t names;
    uint64_t tokens;
    uint16_t token_index[KALLSYMS_TOKENS];
};

/* Looks for the tables above `pc`. */
bool kallsyms_table_find(struct kernel_memory *memory, uint64_t pc,
                         struct kallsyms_table *symbols);

/* Calls a function for each symbol that has no absolute value: its address, its type and
 * its name. Returns false if the names cannot be read. */
typedef void kallsyms_symbol_fn(void *context, uint64_t address, char type,
                                const char *name, size_t size);
bool kallsyms_table_each(struct kernel_memory *memory,
                         const struct kallsyms_table *symbols, kallsyms_symbol_fn *take,
                         void *context);

#endif
