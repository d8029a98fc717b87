/* SPDX-License-Identifier: BSD-2-Clause */
/* See kallsyms.h. */
#include "kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/io/input.h"

/* How long a line may be, and how many pieces of modules there may be. */
enum { LINE_MAX_SIZE = 4096, PIECES_MAX = 4096 };

enum { PAGE = 4096 };

/* A symbol; names are where they begin in `names`, and the kernel's own module is 0. */
struct entry {
    uint64_t address;
    /* Of several at one address the lowest is chosen, and of those the first. */
    uint32_t rank;
    uint32_t line;
    size_t name;
    uint32_t module;
};

/* Not a function, but the end of one. */
enum { RANK_DATA = 9 };

struct table_of_symbols {
    struct entry *entries;
    size_t n;
    size_t capacity;
    struct text names;
    struct string_table modules;
};

/* ---- Reading ----------------------------------------------------------------------- */

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

static bool take_line(struct table_of_symbols *t, const char *at, const char *end)
{
    struct entry entry = {.line = (uint32_t)t->n};
    struct string type;
    struct string name;
    struct string module;

    if (!take_hex(&at, end, &entry.address) || t->n == UINT32_MAX)
        return false;
    type = take_word(&at, end);
    name = take_word(&at, end);
    module = take_word(&at, end);
    if (type.size != 1 || name.size == 0 || memchr(name.data, '\0', name.size) != NULL)
        return false;
    entry.rank = rank_of(type.data[0]);
    entry.name = t->names.size;
    entry.module = string_table_add(&t->modules, module.data, module.size);
    text_add(&t->names, name.data, name.size);
    text_char(&t->names, '\0');
    t->entries =
        (struct entry *)memory_grow(t->entries, t->n, &t->capacity, sizeof(*t->entries));
    t->entries[t->n++] = entry;
    return true;
}

static bool read_lines(struct table_of_symbols *t, struct input *input, struct text *why)
{
    while (input_want(input, 1)) {
        const char *line;
        const char *end;
        size_t size;

        input_want(input, LINE_MAX_SIZE);
        line = (const char *)input_data(input);
        size = input_size(input) < LINE_MAX_SIZE ? input_size(input) : LINE_MAX_SIZE;
        end = (const char *)memchr(line, '\n', size);
        if (end == NULL || !take_line(t, line, end)) {
            text_printf(why, "line %zu is not in the format of /proc/kallsyms", t->n + 1);
            return false;
        }
        input_consume(input, (size_t)(end + 1 - line));
    }
    if (input_error(input) != NULL)
        text_str(why, input_error(input));
    return input_error(input) == NULL;
}

/* ---- Order ------------------------------------------------------------------------- */

static int order_entries(const void *left, const void *right)
{
    const struct entry *a = (const struct entry *)left;
    const struct entry *b = (const struct entry *)right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Sorts by address and leaves the best of those at one address. */
static void choose_symbols(struct table_of_symbols *t)
{
    size_t n = 0;

    if (t->n > 0)
        qsort(t->entries, t->n, sizeof(*t->entries), order_entries);
    for (size_t i = 0; i < t->n; i++) {
        if (n == 0 || t->entries[n - 1].address != t->entries[i].address)
            t->entries[n++] = t->entries[i];
    }
    t->n = n;
}

/* The end of a symbol: the next one of its module, or else at most the end of its page,
 * since it is not known what is between modules. */
static uint64_t limit_of(const struct table_of_symbols *t, size_t i)
{
    const struct entry *entry = &t->entries[i];
    const struct entry *next = i + 1 < t->n ? entry + 1 : NULL;
    uint64_t limit = entry->address / PAGE * PAGE + (PAGE - 1);

    if (limit < UINT64_MAX)
        limit++;
    if (next != NULL && (next->module == entry->module || next->address < limit))
        limit = next->address;
    return limit;
}

/* ---- Images ------------------------------------------------------------------------ */

/* "[kernel.kallsyms]", as perf calls it, or "[module]". */
static char *name_piece(const struct table_of_symbols *t, uint32_t module)
{
    struct string name = string_table_get(&t->modules, module);
    struct text text = {NULL, 0, 0};

    if (name.size > 0)
        text_add(&text, name.data, name.size);
    else
        text_str(&text, "[kernel.kallsyms]");
    text_char(&text, '\0');
    return text.data;
}

/* The functions from entry `first` up to `end`, which are of one module. */
static struct binary *make_piece(const struct table_of_symbols *t, size_t first,
                                 size_t end)
{
    struct binary *piece = binary_make(name_piece(t, t->entries[first].module));
    struct elf *elf = &piece->elf;
    struct elf_symbols *symbols = &elf->symbols;
    size_t capacity = 0;

    for (size_t i = first; i < end; i++) {
        if (t->entries[i].rank == RANK_DATA)
            continue;
        symbols->all = (struct elf_symbol *)memory_grow(symbols->all, symbols->n,
                                                        &capacity, sizeof(*symbols->all));
        symbols->all[symbols->n++] = (struct elf_symbol){
            .start = t->entries[i].address,
            .limit = limit_of(t, i),
            .name = t->names.data + t->entries[i].name,
        };
    }
    elf->has_code = true;
    elf->image.code[0] =
        (struct elf_code){symbols->all[0].start, symbols->all[symbols->n - 1].limit, 0};
    elf->image.n_code = 1;
    return piece;
}

/* The next function from an entry on, or the end. */
static size_t find_next_function(const struct table_of_symbols *t, size_t i)
{
    while (i < t->n && t->entries[i].rank == RANK_DATA)
        i++;
    return i;
}

/* Modules can be interleaved: such a module is several pieces. */
static bool add_pieces(struct symbolizer *s, const struct table_of_symbols *t,
                       struct text *why)
{
    size_t n = 0;
    size_t end;

    for (size_t i = find_next_function(t, 0); i < t->n; i = end) {
        uint32_t module = t->entries[i].module;

        for (end = i; end < t->n && t->entries[end].module == module;)
            end = find_next_function(t, end + 1);
        if (++n > PIECES_MAX) {
            text_str(why, "the symbols of modules are not grouped by module");
            return false;
        }
        if (!symbolizer_add_binary(s, make_piece(t, i, end), 0, true, why))
            return false;
    }
    if (n == 0)
        text_str(why, "it has no functions");
    return n > 0;
}

/* A kernel that hides its addresses (kptr_restrict) prints them all as 0. */
static bool is_hidden(const struct table_of_symbols *t)
{
    return t->n == 1 && t->entries[0].address == 0;
}

bool kallsyms_add(struct symbolizer *s, const char *name, struct text *why)
{
    struct table_of_symbols t = {.n = 0};
    struct input *input = input_open(name, why);
    bool ok;

    if (input == NULL)
        return false;
    string_table_add(&t.modules, "", 0);
    ok = read_lines(&t, input, why);
    input_close(input);
    choose_symbols(&t);
    if (ok && is_hidden(&t)) {
        text_str(why, "all addresses are 0: the kernel shows them to root only");
        ok = false;
    }
    ok = ok && add_pieces(s, &t, why);
    /* The pieces refer to these names. */
    memory_release(s->kernel_names);
    s->kernel_names = t.names.data;
    memory_release(t.entries);
    string_table_free(&t.modules);
    return ok;
}
