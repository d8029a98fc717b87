/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of a Linux kernel and of its modules, from lines of /proc/kallsyms: an
 * address in hex, the symbol's type, its name, and the module in brackets that it is in.
 */
#ifndef BASE_KERNEL_SYMBOLS_H
#define BASE_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

struct kernel_symbol {
    uint64_t address;
    /* Of several at one address the lowest is chosen, and of those the first. */
    uint32_t rank;
    uint32_t line;
    /* Where it begins in `names`, and its module's number; the kernel's own is 0. */
    size_t name;
    uint32_t module;
};

/* All zero is none. */
struct kernel_symbols {
    struct kernel_symbol *all;
    size_t n;
    size_t capacity;
    /* Those of functions, each with a NUL. */
    struct text names;
    struct string_table modules;
};

struct kernel_symbol_line {
    uint64_t address;
    char type;
    struct string name;
    /* Empty for the kernel itself. */
    struct string module;
};

/* Returns false if the line is in another format. */
bool kernel_symbol_line_parse(struct kernel_symbol_line *line, const char *at,
                              const char *end);

void kernel_symbols_add(struct kernel_symbols *symbols,
                        const struct kernel_symbol_line *line);

/* Sorts by address, and leaves the best of those at one address. No more can be added. */
void kernel_symbols_sort(struct kernel_symbols *symbols);

/* Others are only where functions end. */
bool kernel_symbol_is_function(const struct kernel_symbol *symbol);

/* The end of a sorted symbol: the next one of its module, or else at most the end of its
 * page, since it is not known what is between modules. */
uint64_t kernel_symbols_end(const struct kernel_symbols *symbols, size_t i);

/* "[kernel.kallsyms]", as perf calls it, or "[module]", for the caller to release. */
char *kernel_symbols_module_name(const struct kernel_symbols *symbols, uint32_t module);

void kernel_symbols_free(struct kernel_symbols *symbols);

#endif
