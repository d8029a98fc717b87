/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#include "elf_symbols.h"

#include <elf.h>
#include <string.h>

#include "common/elf/elf_debugdata.h"
#include "common/base/memory.h"
#include "common/base/table.h"
#include "elf_candidates.h"
#include "elf_stubs.h"

/* ---- Names ------------------------------------------------------------------------- */

/* A limit on generated names, as a multiple of the size of the string tables: a malicious
 * file could have one long name generated for each symbol. */
enum { MADE_NAMES_PER_BYTE = 4, MADE_NAMES_LEAST = 1 << 16 };

static const char STUB_SUFFIX[] = "@plt";

/* A stub is named after the resolver of its target, if there is one; else as objdump
 * names it. */
static void add_stub_name(struct text *names, const struct candidates *all,
                          const struct candidate *c)
{
    const struct candidate *resolver = candidates_at(all, c->resolver);

    if (c->kind == CANDIDATE_STUB)
        text_add(names, c->name, candidate_name_size(c));
    else if (resolver != NULL && resolver->kind <= CANDIDATE_VERSIONED)
        text_add(names, resolver->name, candidate_name_size(resolver));
    else
        text_printf(names, "*ABS*+0x%llx", (unsigned long long)c->resolver);
    text_str(names, STUB_SUFFIX);
}

/* Generates the names that are in no string table, up to the limit; beyond it a symbol
 * keeps its version, and a stub has no name. */
static void make_names(struct elf_symbols *symbols, struct candidates *all,
                       uint64_t max_bytes)
{
    struct text names = {NULL, 0, 0};
    size_t *starts = (size_t *)memory_allocate(all->n * sizeof(*starts));
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct candidate *c = &all->items[i];

        starts[i] = names.size;
        if (c->kind == CANDIDATE_WHOLE || names.size >= max_bytes)
            continue;
        if (c->kind == CANDIDATE_VERSIONED)
            text_add(&names, c->name, candidate_name_size(c));
        else
            add_stub_name(&names, all, c);
        text_char(&names, '\0');
    }
    for (size_t i = 0; i < all->n; i++) {
        struct candidate c = all->items[i];
        size_t limit = i + 1 < all->n ? starts[i + 1] : names.size;

        if (limit > starts[i])
            c.name = names.data + starts[i];
        if (limit > starts[i] || c.kind <= CANDIDATE_VERSIONED)
            all->items[n++] = c;
    }
    all->n = n;
    symbols->made_names = names.data;
    memory_release(starts);
}

/* ---- Ranges ------------------------------------------------------------------------ */

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
    struct range_sweep sweep = {.at = 0};

    symbols->all = (struct elf_symbol *)memory_allocate(c->n * sizeof(*symbols->all));
    for (size_t i = 0; i < c->n; i++) {
        const struct candidate *next = &c->items[i];

        range_sweep_to(&sweep, next->start);
        if (!next->is_sized && sweep.open.n > 0)
            continue;
        ranges_add(&sweep.open, next->start, limit_of(c, i), (uint32_t)symbols->n);
        symbols->all[symbols->n++] =
            (struct elf_symbol){.name = next->name,
                                .start = next->start,
                                .source = next->source,
                                .is_public = candidate_is_public(next),
                                .is_local = candidate_is_local(next),
                                .is_sized = next->is_sized};
    }
    symbols->ranges = range_sweep_end(&sweep);
}

/* ---- Reading ----------------------------------------------------------------------- */

/* The tables that were read, and the size of their names. */
struct symbol_reader {
    struct elf_symbols *symbols;
    const struct elf_headers *headers;
    const struct elf_image *image;
    struct candidates candidates;
    uint64_t names_size[2];
};

static const uint32_t table_types[] = {SHT_SYMTAB, SHT_DYNSYM};

/* Symbols that are not in the file may be in a separate debug file. */
static void read_table(struct symbol_reader *r, size_t t)
{
    bool is_full = table_types[t] == SHT_SYMTAB;

    if (!candidates_read(&r->candidates, r->headers, r->image, table_types[t],
                         &r->symbols->names[t], &r->names_size[t]))
        return;
    if (is_full)
        r->symbols->has_full_table = r->symbols->names[t] != NULL;
    if (r->symbols->names[t] == NULL && r->symbols->damage == NULL)
        r->symbols->damage = "a symbol table is not within the file, or is broken";
}

/* .gnu_debugdata is used in place of .symtab, of which it is a part. */
static void read_debugdata(struct symbol_reader *r)
{
    const char *damage = NULL;
    size_t size = 0;
    unsigned char *data = elf_debugdata_read(r->headers, &size, &damage);
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct file *file;

    if (data != NULL) {
        file = file_from_memory(data, size);
        if (!elf_headers_read(&headers, file, &why) ||
            !candidates_read(&r->candidates, &headers, r->image, SHT_SYMTAB,
                             &r->symbols->names[0], &r->names_size[0]) ||
            r->symbols->names[0] == NULL)
            damage = "its section .gnu_debugdata has no symbol table";
        file_close(file);
    }
    if (r->symbols->damage == NULL)
        r->symbols->damage = damage;
    text_free(&why);
    memory_release(data);
}

void elf_symbols_read(struct elf_symbols *symbols, const struct elf_headers *h,
                      const struct elf_image *image)
{
    struct symbol_reader r = {symbols, h, image, .names_size = {0, 0}};

    *symbols = (struct elf_symbols){.n = 0};
    if (h->lacks_sections)
        symbols->damage = "its section headers are broken or beyond the end of the file";
    for (size_t t = 0; t < 2; t++)
        read_table(&r, t);
    if (symbols->names[0] == NULL)
        read_debugdata(&r);
    elf_stubs_read(&r.candidates, h, image,
                   (struct stub_names){(const char *)symbols->names[1], r.names_size[1]});
    candidates_choose(&r.candidates);
    make_names(symbols, &r.candidates,
               MADE_NAMES_LEAST +
                   MADE_NAMES_PER_BYTE * (r.names_size[0] + r.names_size[1]));
    make_ranges(symbols, &r.candidates);
    memory_release(r.candidates.items);
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
                                          uint64_t address)
{
    uint32_t number = ranges_find(&symbols->ranges, address);

    return number != RANGES_NONE ? &symbols->all[number] : NULL;
}

/* ---- Symbols of one name and source ------------------------------------------------ */

/* Longer names are not compared: many symbols could have one. */
enum { REPEATED_SIZE_MAX = 1023 };

static bool same_source(const struct elf_symbol *a, const struct elf_symbol *b)
{
    return a->source == b->source ||
           (a->source != NULL && b->source != NULL && strcmp(a->source, b->source) == 0);
}

static void mark_repeated(struct elf_symbols *symbols, struct table *names, size_t i)
{
    struct elf_symbol *symbol = &symbols->all[i];
    const char *source = symbol->source != NULL ? symbol->source : "";
    size_t name_size = strnlen(symbol->name, REPEATED_SIZE_MAX + 1);
    size_t source_size = strnlen(source, REPEATED_SIZE_MAX + 1);
    uint64_t hash =
        hash_word(hash_bytes(symbol->name, name_size), hash_bytes(source, source_size));
    struct table_probe probe = table_probe(names, hash);
    uint32_t number;

    if (name_size > REPEATED_SIZE_MAX || source_size > REPEATED_SIZE_MAX)
        return;
    while (table_next(names, &probe, &number)) {
        struct elf_symbol *other = &symbols->all[number];

        if (strcmp(other->name, symbol->name) == 0 && same_source(other, symbol)) {
            symbol->is_repeated = other->is_repeated = true;
            return;
        }
    }
    table_add(names, hash, i);
}

void elf_symbols_find_repeated(struct elf_symbols *symbols)
{
    struct table names = {.n_used = 0};

    if (symbols->knows_repeated)
        return;
    symbols->knows_repeated = true;
    for (size_t i = 0; i < symbols->n; i++)
        mark_repeated(symbols, &names, i);
    table_free(&names);
}

void elf_symbols_free(struct elf_symbols *symbols)
{
    ranges_free(&symbols->ranges);
    memory_release(symbols->all);
    memory_release(symbols->names[0]);
    memory_release(symbols->names[1]);
    memory_release(symbols->made_names);
    *symbols = (struct elf_symbols){.n = 0};
}
