/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_names.h. */
#include "kernel_names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "code_names.h"
#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "proc_file.h"

/* The kernel's half of the addresses begins here. */
#define UPPER_HALF ((uint64_t)1 << 63)

#define NS_BETWEEN_READS ((uint64_t)10000000000)

enum { PATH_SIZE = 4096, CODE_MAX = 1 << 20 };

/* ---- Samples ----------------------------------------------------------------------- */

void kernel_names_take(struct kernel_names *k, struct fxt_words pcs)
{
    for (uint64_t i = 0; i < pcs.count; i++) {
        uint64_t pc = fxt_words_get(pcs, i);

        if (pc >= UPPER_HALF && k->code.n < CODE_MAX)
            sampled_code_add_pc(&k->code, pc);
    }
}

/* ---- Reading ----------------------------------------------------------------------- */

/* Symbols at 0 are not of this kernel's code, or their addresses are hidden. */
static void take_line(struct kernel_symbols *symbols, const char *at)
{
    struct kernel_symbol_line line;

    if (symbols->names.size <= UINT32_MAX / 2 && symbols->n < UINT32_MAX &&
        kernel_symbol_line_parse(&line, at, at + strlen(at)) && line.address != 0)
        kernel_symbols_add(symbols, &line);
}

static void forget_symbols(struct kernel_names *k)
{
    kernel_symbols_free(&k->symbols);
    memory_release(k->is_needed);
    k->is_needed = NULL;
    k->n_functions = 0;
}

void kernel_names_read(struct kernel_names *k, const char *root, uint64_t now_ns)
{
    char path[PATH_SIZE];
    struct proc_file *file;
    char *line;

    k->next_read_ns = now_ns + NS_BETWEEN_READS;
    if (snprintf(path, sizeof(path), "%s/proc/kallsyms", root) >= (int)sizeof(path))
        return;
    file = proc_file_open(path);
    if (file == NULL)
        return;
    forget_symbols(k);
    while ((line = proc_file_line(file)) != NULL)
        take_line(&k->symbols, line);
    proc_file_close(file);
    kernel_symbols_sort(&k->symbols);
    k->is_needed = memory_allocate(k->symbols.n * sizeof(*k->is_needed));
}

/* ---- Finding ----------------------------------------------------------------------- */

static void need_symbol(struct kernel_names *k, size_t symbol)
{
    if (k->is_needed[symbol])
        return;
    k->is_needed[symbol] = true;
    MEMORY_ADD(k->functions, k->n_functions, k->capacity,
               (struct kernel_function){k->symbols.all[symbol].module, (uint32_t)symbol});
}

static bool need_address(struct kernel_names *k, uint64_t address)
{
    size_t n = search_up_to(k->symbols.all, k->symbols.n, sizeof(*k->symbols.all),
                            offsetof(struct kernel_symbol, address), address);

    if (n == 0 || address >= kernel_symbols_end(&k->symbols, n - 1) ||
        !kernel_symbol_is_function(&k->symbols.all[n - 1]))
        return false;
    need_symbol(k, n - 1);
    return true;
}

/* What returns to a function's end is in it, too. Returns whether all were found. */
static bool look_up(struct kernel_names *k, size_t first)
{
    bool are_known = true;

    for (size_t i = first; i < k->code.n; i++) {
        bool is_known = need_address(k, k->code.pcs[i]);

        is_known |= need_address(k, k->code.pcs[i] - 1);
        are_known &= is_known;
    }
    return are_known;
}

/* What was not found is looked for again when the file may be read, once. */
void kernel_names_find(struct kernel_names *k, const char *root, uint64_t now_ns,
                       bool is_last)
{
    if (k->n_looked_up == k->code.n)
        return;
    if (!look_up(k, k->n_looked_up)) {
        if (now_ns < k->next_read_ns && !is_last)
            return;
        kernel_names_read(k, root, now_ns);
        look_up(k, k->n_looked_up);
    }
    k->n_looked_up = k->code.n;
}

void kernel_names_set(struct kernel_names *k, struct kernel_symbols symbols)
{
    forget_symbols(k);
    k->symbols = symbols;
    k->is_needed = memory_allocate(symbols.n * sizeof(*k->is_needed));
    k->n_looked_up = 0;
}

void kernel_names_look_up(struct kernel_names *k)
{
    look_up(k, k->n_looked_up);
    k->n_looked_up = k->code.n;
}

/* ---- Writing ----------------------------------------------------------------------- */

SORT_ORDER(compare_functions, struct kernel_function, BY(module) || BY(symbol));

static void add_function(struct code_names *to, struct kernel_names *k, uint32_t i)
{
    const struct kernel_symbol *symbol = &k->symbols.all[i];
    const char *name = k->symbols.names.data + symbol->name;
    struct code_name function = {
        .start = symbol->address,
        .size = kernel_symbols_end(&k->symbols, i) - symbol->address,
        .name = string_table_add(&to->names, name, strlen(name)),
    };
    struct text place = {NULL, 0, 0};

    kernel_symbols_place(&k->symbols, i, &place);
    function.has_home = place.size > 0;
    if (function.has_home)
        function.home = string_table_add(&to->names, place.data, place.size);
    text_free(&place);
    MEMORY_ADD(to->all, to->n, to->capacity, function);
}

/* Writes the functions of a module, from the first one on. Returns how many they are. */
static size_t write_module(struct kernel_names *k, const struct kernel_function *first,
                           size_t n, struct fxt_writer *writer, uint64_t time_ns)
{
    char *source = kernel_symbols_module_name(&k->symbols, first->module);
    struct code_names functions = {0};
    size_t i = 0;

    for (; i < n && first[i].module == first->module; i++)
        add_function(&functions, k, first[i].symbol);
    symbol_records_write(writer, 0, time_ns, source, &functions);
    code_names_free(&functions);
    memory_release(source);
    return i;
}

void kernel_names_write(struct kernel_names *k, struct fxt_writer *writer,
                        uint64_t time_ns)
{
    size_t i = 0;

    SORT(k->functions, k->n_functions, compare_functions);
    while (i < k->n_functions)
        i += write_module(k, &k->functions[i], k->n_functions - i, writer, time_ns);
    k->n_functions = 0;
}

/* ---- Another archive --------------------------------------------------------------- */

void kernel_names_start_archive(struct kernel_names *k)
{
    if (k->symbols.n > 0)
        memset(k->is_needed, 0, k->symbols.n * sizeof(*k->is_needed));
    k->n_functions = 0;
    sampled_code_free(&k->code);
    k->n_looked_up = 0;
}
