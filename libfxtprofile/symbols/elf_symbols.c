/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#include "elf_symbols.h"

#include <elf.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

/* A symbol as it stands in a table. */
struct candidate {
    uint64_t start;
    /* Where it ends; or, if its size is not stated, how far it may reach. */
    uint64_t limit;
    bool is_sized;
    /* Of several at one address, the lowest is chosen, and of those the first. */
    uint32_t rank;
    uint32_t place;
    const char *name;
};

struct candidates {
    struct candidate *items;
    size_t n;
    size_t capacity;
};

/* A section with code, or nothing. */
struct code_section {
    bool is_code;
    uint64_t limit;
};

struct code_sections {
    /* By their numbers. */
    struct code_section *items;
    uint64_t n;
    /* Where sections with code start and end, sorted. */
    uint64_t *bounds;
    size_t n_bounds;
};

/* ---- Sections ---------------------------------------------------------------------- */

static int order_bounds(const void *left, const void *right)
{
    return order_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void read_code_sections(struct code_sections *s, const struct elf_headers *h)
{
    size_t n = (size_t)h->n_sections;
    struct elf_section section;

    *s = (struct code_sections){.n = n};
    s->items = (struct code_section *)memory_allocate(n * sizeof(*s->items));
    s->bounds = (uint64_t *)memory_allocate(2 * n * sizeof(*s->bounds));
    for (size_t i = 0; i < n; i++) {
        s->items[i] = (struct code_section){false, 0};
        if (!elf_section_read(h, i, &section) || !(section.flags & SHF_EXECINSTR))
            continue;
        if (section.size > UINT64_MAX - section.address)
            section.size = UINT64_MAX - section.address;
        s->items[i] = (struct code_section){true, section.address + section.size};
        s->bounds[s->n_bounds++] = section.address;
        s->bounds[s->n_bounds++] = section.address + section.size;
    }
    if (s->n_bounds > 0)
        qsort(s->bounds, s->n_bounds, sizeof(*s->bounds), order_bounds);
}

static void free_code_sections(struct code_sections *s)
{
    memory_release(s->items);
    memory_release(s->bounds);
}

/* Where the section ends that has an address; between sections, where the next begins. */
static uint64_t next_bound(const struct code_sections *s, uint64_t address)
{
    size_t low = 0;
    size_t high = s->n_bounds;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->bounds[middle] > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low < s->n_bounds ? s->bounds[low] : UINT64_MAX;
}

/* How far a symbol may reach that states no size: not beyond its section. Some stand at
 * the end of theirs, to mark it. */
static uint64_t reach_in_section(const struct code_sections *s, uint16_t section,
                                 uint64_t start)
{
    if (section < s->n && s->items[section].is_code && s->items[section].limit == start)
        return start;
    return next_bound(s, start);
}

/* ---- Reading ----------------------------------------------------------------------- */

/* Names that assemblers make up: marks between code and data (ARM, RISC-V), and labels.
 */
static bool is_made_up(const char *name)
{
    return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

/* Functions before labels, sized before unsized, global before weak before local. */
static uint32_t rank(const struct elf_entry *entry)
{
    uint32_t rank = 0;

    if (entry->binding != STB_GLOBAL)
        rank += entry->binding == STB_WEAK ? 1 : 2;
    if (entry->size == 0)
        rank += 4;
    if (entry->type == STT_NOTYPE)
        rank += 8;
    return rank;
}

/* The lowest bit of an ARM function's address tells its instruction set. */
static uint64_t address_of(const struct elf_headers *h, const struct elf_entry *entry)
{
    return h->machine == EM_ARM && entry->type == STT_FUNC ? entry->value & ~UINT64_C(1)
                                                           : entry->value;
}

static void add(struct candidates *to, const struct elf_image *image,
                const struct elf_headers *h, const struct code_sections *sections,
                const struct elf_entry *entry, const char *name)
{
    uint64_t start = address_of(h, entry);
    const struct elf_code *code = elf_image_find_code(image, start);
    uint64_t limit;

    if (code == NULL || name[0] == '\0' || entry->section == SHN_UNDEF)
        return;
    if (entry->type == STT_NOTYPE) {
        if (entry->section >= sections->n || !sections->items[entry->section].is_code ||
            is_made_up(name))
            return;
    } else if (entry->type != STT_FUNC && entry->type != STT_GNU_IFUNC) {
        return;
    }
    limit = entry->size > code->limit - start ? code->limit : start + entry->size;
    if (entry->size == 0)
        limit = reach_in_section(sections, entry->section, start);
    if (limit == start)
        return;
    if (limit > code->limit)
        limit = code->limit;
    to->items = (struct candidate *)memory_grow(to->items, to->n, &to->capacity,
                                                sizeof(*to->items));
    to->items[to->n] = (struct candidate){start,       limit,           entry->size > 0,
                                          rank(entry), (uint32_t)to->n, name};
    to->n++;
}

/* Takes the symbols of one table. Returns the memory of their names, or NULL if the table
 * cannot be read. */
static unsigned char *read_table(struct candidates *to, const struct elf_image *image,
                                 const struct elf_headers *h,
                                 const struct code_sections *sections,
                                 const struct elf_section *section)
{
    struct elf_section names_section;
    unsigned char *entries;
    unsigned char *names;

    if (!elf_section_read(h, section->link, &names_section) ||
        names_section.type != SHT_STRTAB)
        return NULL;
    entries = elf_bytes_read(h, section->offset, section->size);
    names = elf_bytes_read(h, names_section.offset, names_section.size);
    if (entries != NULL && names != NULL) {
        uint64_t n = section->size / elf_entry_size(h);

        for (uint64_t i = 0; i < n; i++) {
            struct elf_entry entry = elf_entry_get(h, entries + i * elf_entry_size(h));

            if (entry.name < names_section.size)
                add(to, image, h, sections, &entry, (const char *)names + entry.name);
        }
    }
    if (entries == NULL) {
        memory_release(names);
        names = NULL;
    }
    memory_release(entries);
    return names;
}

/* ---- Ranges ------------------------------------------------------------------------ */

static int order_candidates(const void *left, const void *right)
{
    const struct candidate *a = (const struct candidate *)left;
    const struct candidate *b = (const struct candidate *)right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->limit != b->limit)
        return a->limit > b->limit ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Sorts by address and leaves the best of those at one address. */
static void choose(struct candidates *c)
{
    size_t n = 0;

    if (c->n > 0)
        qsort(c->items, c->n, sizeof(*c->items), order_candidates);
    for (size_t i = 0; i < c->n; i++) {
        if (n == 0 || c->items[n - 1].start != c->items[i].start)
            c->items[n++] = c->items[i];
    }
    c->n = n;
}

/* A walk over the addresses, with the symbols that are open: each inside, or at least
 * behind the start of, the one before. */
struct range_walk {
    struct elf_symbols *symbols;
    size_t capacity;
    struct elf_symbol *open;
    size_t n_open;
    uint64_t at;
};

static void add_range(struct range_walk *w, uint64_t limit, const char *name)
{
    struct elf_symbols *s = w->symbols;

    s->all =
        (struct elf_symbol *)memory_grow(s->all, s->n, &w->capacity, sizeof(*s->all));
    s->all[s->n++] = (struct elf_symbol){w->at, limit, name};
    w->at = limit;
}

/* Adds what the open symbols have up to `to`, and closes those that end by then. */
static void walk_to(struct range_walk *w, uint64_t to)
{
    for (; w->n_open > 0; w->n_open--) {
        const struct elf_symbol *top = &w->open[w->n_open - 1];
        uint64_t limit = top->limit < to ? top->limit : to;

        if (limit > w->at)
            add_range(w, limit, top->name);
        if (top->limit > to)
            break;
    }
    w->at = to;
}

/* A symbol without a size reaches to the next one. */
static uint64_t limit_of(const struct candidates *c, size_t i)
{
    const struct candidate *symbol = &c->items[i];

    if (!symbol->is_sized && i + 1 < c->n && symbol[1].start < symbol->limit)
        return symbol[1].start;
    return symbol->limit;
}

static void make_ranges(struct elf_symbols *symbols, const struct candidates *c)
{
    struct range_walk w = {.symbols = symbols};

    w.open = (struct elf_symbol *)memory_allocate(c->n * sizeof(*w.open));
    for (size_t i = 0; i < c->n; i++) {
        const struct candidate *next = &c->items[i];

        walk_to(&w, next->start);
        if (next->is_sized || w.n_open == 0)
            w.open[w.n_open++] =
                (struct elf_symbol){next->start, limit_of(c, i), next->name};
    }
    walk_to(&w, UINT64_MAX);
    memory_release(w.open);
}

/* What is not in the file may be in another one. */
static void lose_table(struct elf_symbols *symbols, uint32_t type)
{
    if (type == SHT_SYMTAB)
        symbols->has_full_table = false;
    if (symbols->damage == NULL)
        symbols->damage = "a symbol table is not within the file, or is broken";
}

void elf_symbols_read(struct elf_symbols *symbols, const struct elf_headers *h,
                      const struct elf_image *image)
{
    struct candidates candidates = {NULL, 0, 0};
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct code_sections sections;
    struct elf_section section;

    *symbols = (struct elf_symbols){.n = 0};
    if (h->lacks_sections)
        symbols->damage = "its section headers are broken or beyond the end of the file";
    read_code_sections(&sections, h);
    /* The first table of each type: a linker makes no second one, and a forger could make
     * thousands over the same bytes. */
    for (size_t t = 0; t < 2; t++) {
        bool found = false;

        for (uint64_t i = 0; !found && elf_section_read(h, i, &section); i++)
            found = section.type == types[t];
        if (!found)
            continue;
        if (types[t] == SHT_SYMTAB)
            symbols->has_full_table = true;
        symbols->names[t] = read_table(&candidates, image, h, &sections, &section);
        if (symbols->names[t] == NULL)
            lose_table(symbols, types[t]);
    }
    choose(&candidates);
    make_ranges(symbols, &candidates);
    memory_release(candidates.items);
    free_code_sections(&sections);
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
                                          uint64_t address)
{
    size_t low = 0;
    size_t high = symbols->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (symbols->all[middle].start > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || symbols->all[low - 1].limit <= address)
        return NULL;
    return &symbols->all[low - 1];
}

void elf_symbols_free(struct elf_symbols *symbols)
{
    memory_release(symbols->all);
    memory_release(symbols->names[0]);
    memory_release(symbols->names[1]);
    *symbols = (struct elf_symbols){.n = 0};
}
