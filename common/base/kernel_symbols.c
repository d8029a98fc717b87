/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_symbols.h. */
#include "kernel_symbols.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

enum { PAGE = 4096 };

/* Not a function, but the end of one. */
enum { RANK_DATA = 9 };

/* ---- Lines ------------------------------------------------------------------------- */

static bool take_hex(const char **at, const char *end, uint64_t *value)
{
    const char *start = *at;

    for (*value = 0; *at < end; ++*at) {
        char c = **at;

        if (c >= '0' && c <= '9')
            *value = *value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            *value = *value << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    return *at > start && *at - start <= 16;
}

static struct string take_word(const char **at, const char *end)
{
    const char *start;

    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    start = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    return (struct string){start, (size_t)(*at - start)};
}

bool kernel_symbol_line_parse(struct kernel_symbol_line *line, const char *at,
                              const char *end)
{
    struct string type;

    if (!take_hex(&at, end, &line->address))
        return false;
    type = take_word(&at, end);
    line->name = take_word(&at, end);
    line->module = take_word(&at, end);
    if (type.size != 1 || line->name.size == 0 ||
        memchr(line->name.data, '\0', line->name.size) != NULL)
        return false;
    line->type = type.data[0];
    return true;
}

/* ---- Symbols ----------------------------------------------------------------------- */

static uint32_t rank_of(char type)
{
    switch (type) {
    case 'T':
        return 0;
    case 'W':
        return 1;
    case 't':
        return 2;
    case 'w':
        return 3;
    default:
        return RANK_DATA;
    }
}

void kernel_symbols_add(struct kernel_symbols *s, const struct kernel_symbol_line *line)
{
    struct kernel_symbol symbol = {.address = line->address,
                                   .rank = rank_of(line->type),
                                   .line = (uint32_t)s->n,
                                   .name = s->names.size};

    assert(s->n < UINT32_MAX);
    if (s->n == 0)
        string_table_add(&s->modules, "", 0);
    symbol.module = string_table_add(&s->modules, line->module.data, line->module.size);
    if (symbol.rank != RANK_DATA) {
        text_add(&s->names, line->name.data, line->name.size);
        text_char(&s->names, '\0');
    }
    MEMORY_ADD(s->all, s->n, s->capacity, symbol);
}

static int order_symbols(const void *left, const void *right)
{
    const struct kernel_symbol *a = (const struct kernel_symbol *)left;
    const struct kernel_symbol *b = (const struct kernel_symbol *)right;

    if (a->address != b->address)
        return order_numbers(a->address, b->address);
    if (a->rank != b->rank)
        return order_numbers(a->rank, b->rank);
    return order_numbers(a->line, b->line);
}

/* As the kernel lists its own. */
static bool are_by_address(const struct kernel_symbols *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (s->all[i - 1].address > s->all[i].address)
            return false;
    }
    return true;
}

void kernel_symbols_sort(struct kernel_symbols *s)
{
    size_t n = 0;

    if (!are_by_address(s))
        qsort(s->all, s->n, sizeof(*s->all), order_symbols);
    for (size_t i = 0; i < s->n; i++) {
        if (n == 0 || s->all[n - 1].address != s->all[i].address)
            s->all[n++] = s->all[i];
        else if (order_symbols(&s->all[n - 1], &s->all[i]) > 0)
            s->all[n - 1] = s->all[i];
    }
    s->n = n;
}

bool kernel_symbol_is_function(const struct kernel_symbol *symbol)
{
    return symbol->rank != RANK_DATA;
}

uint64_t kernel_symbols_end(const struct kernel_symbols *s, size_t i)
{
    const struct kernel_symbol *symbol = &s->all[i];
    const struct kernel_symbol *next = i + 1 < s->n ? symbol + 1 : NULL;
    uint64_t end = symbol->address | (PAGE - 1);

    if (end < UINT64_MAX)
        end++;
    if (next != NULL && (next->module == symbol->module || next->address < end))
        end = next->address;
    return end;
}

char *kernel_symbols_module_name(const struct kernel_symbols *s, uint32_t module)
{
    struct string name = string_table_get(&s->modules, module);
    struct text text = {NULL, 0, 0};

    if (name.size > 0)
        text_add(&text, name.data, name.size);
    else
        text_str(&text, "[kernel.kallsyms]");
    text_char(&text, '\0');
    return text.data;
}

void kernel_symbols_free(struct kernel_symbols *s)
{
    memory_release(s->all);
    text_free(&s->names);
    string_table_free(&s->modules);
    *s = (struct kernel_symbols){.n = 0};
}
