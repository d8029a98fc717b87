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
    /* Of several at one address the lowest rank is chosen, and of those the first line.
     */
    uint8_t rank;
    /* Another function of the module has its name. Known once they are sorted. */
    bool is_repeated;
    uint32_t line;
    /* Where it begins in `names`, and its module's number; the kernel's own is 0. */
    size_t name;
    uint32_t module;
    /* Of a function's name and module. */
    uint32_t hash;
};

/* All zero is none. */
struct kernel_symbols {
    struct kernel_symbol *all;
    size_t n;
    size_t capacity;
    /* Those of functions, each with a NUL. */
    struct text names;
    struct string_table modules;
    /* By the modules' numbers, where their first functions begin, once they are sorted.
     */
    uint64_t *starts;
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

/* Adds all but the labels that assemblers make. */
void kernel_symbols_add(struct kernel_symbols *symbols,
                        const struct kernel_symbol_line *line);

/* Sorts by address, and leaves the best of those at one address. Whoever
 * adds more sorts them again. */
void kernel_symbols_sort(struct kernel_symbols *symbols);

/* Only the kernel's own stay, of which all were added before those of modules; they are
 * to be sorted again. */
void kernel_symbols_drop_modules(struct kernel_symbols *symbols);

/* Others are only where functions end. */
bool kernel_symbol_is_function(const struct kernel_symbol *symbol);

/* The end of a sorted symbol: the next one of its module, or else at most the end of its
 * page, since it is not known what is between modules. */
uint64_t kernel_symbols_end(const struct kernel_symbols *symbols, size_t i);

/* What tells a sorted function from others of its name in its module, as one that is
 * local to a source file: where it begins there, as in "[kernel]+0x1129" or
 * "[ext4]+0x1a0", which is the same in every boot. Adds nothing for other functions, nor
 * for code that the kernel generates, whose names are those of what it was made for. */
void kernel_symbols_place(const struct kernel_symbols *symbols, size_t i,
                          struct text *place);

/* "[kernel.kallsyms]", as perf calls it, or "[module]", for the caller to release. */
char *kernel_symbols_module_name(const struct kernel_symbols *symbols, uint32_t module);

void kernel_symbols_free(struct kernel_symbols *symbols);

#endif
