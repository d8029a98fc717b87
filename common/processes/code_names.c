/* SPDX-License-Identifier: BSD-2-Clause */
/* See code_names.h. */
#include "code_names.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/base/table_items.h"

/* ---- Samples ----------------------------------------------------------------------- */

void sampled_code_add_pc(struct sampled_code *code, uint64_t pc)
{
    TABLE_PUT_NUMBER(&code->table, code->pcs, code->n, code->capacity, pc);
}

void sampled_code_add(struct sampled_code *code, struct fxt_words pcs)
{
    for (uint64_t i = 0; i < pcs.count; i++)
        sampled_code_add_pc(code, fxt_words_get(pcs, i));
}

struct sampled_code sampled_code_sort(const struct sampled_code *code)
{
    struct sampled_code sorted = {.n = code->n};

    if (code->n == 0)
        return sorted;
    sorted.pcs = memory_reserve(code->n * sizeof(*code->pcs));
    memcpy(sorted.pcs, code->pcs, code->n * sizeof(*code->pcs));
    sort_numbers(sorted.pcs, sorted.n);
    sorted.is_named = memory_allocate(code->n * sizeof(*sorted.is_named));
    return sorted;
}

void sampled_code_free(struct sampled_code *code)
{
    memory_release(code->pcs);
    memory_release(code->is_named);
    table_free(&code->table);
    *code = (struct sampled_code){0};
}

/* ---- Functions --------------------------------------------------------------------- */

/* The first PC that is not below an address. */
static size_t find_pc(const struct sampled_code *code, uint64_t address)
{
    return search_below(code->pcs, code->n, sizeof(*code->pcs), 0, address);
}

/* Whether a sample needs a function: what returns to its end is in it, too. */
static bool is_needed(struct sampled_code *code, const struct code_name *function)
{
    bool found = false;

    for (size_t i = find_pc(code, function->start);
         i < code->n && code->pcs[i] - function->start <= function->size; i++) {
        if (function->time_ns == 0 && code->is_named[i])
            continue;
        found = true;
        if (function->time_ns == 0)
            break;
        code->is_named[i] |= code->pcs[i] - function->start < function->size;
    }
    return found;
}

void code_names_add(struct code_names *names, struct sampled_code *code,
                    struct code_name function, struct string name)
{
    if (!is_needed(code, &function))
        return;
    function.name = string_table_add(&names->names, name.data, name.size);
    MEMORY_ADD(names->all, names->n, names->capacity, function);
}

void code_names_free(struct code_names *names)
{
    memory_release(names->all);
    string_table_free(&names->names);
    *names = (struct code_names){0};
}
