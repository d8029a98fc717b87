/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_symbols.h. */
#include "kernel_symbols.h"

#include <assert.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/base/table.h"

enum { PAGE = 4096 };

/* Local to a source file; and not a function, but the end of one. */
enum { RANK_LOCAL = 2, RANK_DATA = 9 };

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

static uint8_t rank_of(char type)
{
    switch (type) {
    case 'T':
        return 0;
    case 'W':
        return 1;
    case 't':
        return RANK_LOCAL;
    case 'w':
        return 3;
    default:
        return RANK_DATA;
    }
}

/* Labels of assemblers (ARM, RISC-V), which the lists of modules have. */
static bool is_label(struct string name)
{
    return name.size > 0 &&
           (name.data[0] == '$' ||
            (name.size > 1 && name.data[0] == '.' && name.data[1] == 'L'));
}

void kernel_symbols_add(struct kernel_symbols *s, const struct kernel_symbol_line *line)
{
    struct kernel_symbol symbol = {.address = line->address,
                                   .rank = rank_of(line->type),
                                   .line = (uint32_t)s->n,
                                   .name = s->names.size};

    assert(s->n < UINT32_MAX);
    if (is_label(line->name))
        return;
    if (s->n == 0)
        string_table_add(&s->modules, "", 0);
    if (line->module.size > 0)
        symbol.module =
            string_table_add(&s->modules, line->module.data, line->module.size);
    if (symbol.rank != RANK_DATA) {
        symbol.hash = table_hash(
            hash_word(hash_bytes(line->name.data, line->name.size), symbol.module));
        text_add(&s->names, line->name.data, line->name.size);
        text_char(&s->names, '\0');
    }
    MEMORY_ADD(s->all, s->n, s->capacity, symbol);
}

SORT_ORDER(order_symbols, struct kernel_symbol, BY(address) || BY(rank) || BY(line));

/* As the kernel lists its own. */
static bool are_by_address(const struct kernel_symbols *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (s->all[i - 1].address > s->all[i].address)
            return false;
    }
    return true;
}

/* By the hashes of names, whether none, one or several functions have it, in two bits
 * each. */
enum { COUNTS_SIZE = 1 << 18, ONE = 1, SEVERAL = 2, COUNT_MASK = 3 };

static unsigned count_shift(uint32_t hash)
{
    return hash / COUNTS_SIZE % 4 * 2;
}

static void count_name(unsigned char *counts, uint32_t hash)
{
    unsigned char *count = &counts[hash % COUNTS_SIZE];
    unsigned shift = count_shift(hash);

    *count |= (unsigned char)((*count >> shift & COUNT_MASK) == 0 ? ONE << shift
                                                                  : SEVERAL << shift);
}

static void mark_repeated(struct kernel_symbols *s, struct table *names, size_t i)
{
    struct kernel_symbol *symbol = &s->all[i];
    uint64_t hash = (uint64_t)symbol->hash << 32;
    struct table_probe probe = table_probe(names, hash);
    uint32_t number;

    while (table_next(names, &probe, &number)) {
        struct kernel_symbol *other = &s->all[number];

        if (other->module == symbol->module &&
            strcmp(s->names.data + other->name, s->names.data + symbol->name) == 0) {
            symbol->is_repeated = other->is_repeated = true;
            return;
        }
    }
    table_add(names, hash, i);
}

/* Most names are those of one function, and need no place in a table. */
static void find_repeated(struct kernel_symbols *s)
{
    unsigned char *counts = memory_allocate(COUNTS_SIZE);
    struct table names = {.n_used = 0};

    for (size_t i = 0; i < s->n; i++) {
        if (kernel_symbol_is_function(&s->all[i]))
            count_name(counts, s->all[i].hash);
    }
    for (size_t i = 0; i < s->n; i++) {
        uint32_t hash = s->all[i].hash;

        if (kernel_symbol_is_function(&s->all[i]) &&
            (counts[hash % COUNTS_SIZE] >> count_shift(hash) & SEVERAL) != 0)
            mark_repeated(s, &names, i);
    }
    table_free(&names);
    memory_release(counts);
}

static void find_starts(struct kernel_symbols *s)
{
    memory_release(s->starts);
    s->starts = memory_allocate(s->modules.n * sizeof(*s->starts));
    for (size_t i = s->n; i-- > 0;) {
        if (kernel_symbol_is_function(&s->all[i]))
            s->starts[s->all[i].module] = s->all[i].address;
    }
}

void kernel_symbols_sort(struct kernel_symbols *s)
{
    size_t n = 0;

    if (!are_by_address(s))
        SORT(s->all, s->n, order_symbols);
    for (size_t i = 0; i < s->n; i++) {
        if (n == 0 || s->all[n - 1].address != s->all[i].address)
            s->all[n++] = s->all[i];
        else if (order_symbols(&s->all[n - 1], &s->all[i]) > 0)
            s->all[n - 1] = s->all[i];
    }
    s->n = n;
    find_starts(s);
    find_repeated(s);
}

void kernel_symbols_drop_modules(struct kernel_symbols *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (s->all[i].module == 0)
            s->all[n++] = s->all[i];
        else if (kernel_symbol_is_function(&s->all[i]) && s->all[i].name < s->names.size)
            s->names.size = s->all[i].name;
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

/* Of BPF and of probes. */
static bool is_generated(struct string module)
{
    static const char *const starts[] = {"[bpf]", "[__builtin__"};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t size = strlen(starts[i]);

        if (module.size >= size && memcmp(module.data, starts[i], size) == 0)
            return true;
    }
    return false;
}

void kernel_symbols_place(const struct kernel_symbols *s, size_t i, struct text *place)
{
    const struct kernel_symbol *symbol = &s->all[i];
    struct string module = string_table_get(&s->modules, symbol->module);

    if (!symbol->is_repeated || symbol->rank != RANK_LOCAL || is_generated(module))
        return;
    if (module.size > 0)
        text_add(place, module.data, module.size);
    else
        text_str(place, "[kernel]");
    text_str(place, "+0x");
    text_hex(place, symbol->address - s->starts[symbol->module], 1);
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
    memory_release(s->starts);
    *s = (struct kernel_symbols){.n = 0};
}
