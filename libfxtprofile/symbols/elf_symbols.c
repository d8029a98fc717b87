/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_symbols.h. */
#include "elf_symbols.h"

#include <elf.h>
#include <string.h>

#include "common/elf/elf_debugdata.h"
#include "common/base/memory.h"
#include "common/base/table.h"
#include "elf_candidates.h"

/* ---- Ranges ------------------------------------------------------------------------ */

/* A symbol without a size reaches to the next one. */
static uint64_t limit_of(const struct candidates *c, size_t i)
{
    const struct candidate *symbol = &c->items[c->chosen[i]];

    if (!symbol->is_sized && i + 1 < c->n_chosen &&
        c->items[c->chosen[i + 1]].start < symbol->limit)
        return c->items[c->chosen[i + 1]].start;
    return symbol->limit;
}

static void make_ranges(struct elf_symbols *symbols, struct candidates *c)
{
    struct range_sweep sweep = {.at = 0};

    symbols->all =
        (struct elf_symbol *)memory_reserve(c->n_chosen * sizeof(*symbols->all));
    sweep.flat.items = memory_reserve(c->n_chosen * sizeof(*sweep.flat.items));
    sweep.flat.capacity = c->n_chosen;
    for (size_t i = 0; i < c->n_chosen; i++) {
        const struct candidate *next = &c->items[c->chosen[i]];

        range_sweep_to(&sweep, next->start);
        /* Without its version, another name may have none of its bytes left. */
        if (candidate_name(c, next)[0] == '\0' || (!next->is_sized && sweep.open.n > 0))
            continue;
        ranges_add(&sweep.open, next->start, limit_of(c, i), (uint32_t)symbols->n);
        symbols->all[symbols->n++] =
            (struct elf_symbol){.name = candidate_name(c, next),
                                .start = next->start,
                                .source = next->source,
                                .is_public = candidate_is_public(next),
                                .is_local = next->is_local,
                                .is_sized = next->is_sized};
    }
    symbols->ranges = range_sweep_end(&sweep);
}

/* ---- Reading ----------------------------------------------------------------------- */

static const char BROKEN[] = "a symbol table is not within the file, or is broken";

static void read_table(struct elf_symbols *symbols, struct candidates *c,
                       const struct elf_headers *h, const struct elf_image *image,
                       uint32_t type)
{
    if (!candidates_read(c, h, image, type) && symbols->damage == NULL)
        symbols->damage = BROKEN;
}

/* .gnu_debugdata is used in place of .symtab, of which it is a part. */
static void read_debugdata(struct elf_symbols *symbols, struct candidates *c,
                           const struct elf_headers *h, const struct elf_image *image)
{
    const char *damage = NULL;
    size_t size = 0;
    unsigned char *data = elf_debugdata_read(h, &size, &damage);
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct file *file;

    if (data != NULL) {
        file = file_from_memory(data, size);
        if (!elf_headers_read(&headers, file, &why) ||
            !candidates_read(c, &headers, image, SHT_SYMTAB) || c->names[0].bytes == NULL)
            damage = "its section .gnu_debugdata has no symbol table";
        file_close(file);
    }
    if (symbols->damage == NULL)
        symbols->damage = damage;
    text_free(&why);
    memory_release(data);
}

/* Symbols that are not in the file may be in a separate debug file. */
void elf_symbols_read(struct elf_symbols *symbols, const struct elf_headers *h,
                      const struct elf_image *image)
{
    struct candidates c = {.n = 0};

    *symbols = (struct elf_symbols){.n = 0};
    if (h->lacks_sections)
        symbols->damage = "its section headers are broken or beyond the end of the file";
    read_table(symbols, &c, h, image, SHT_SYMTAB);
    symbols->has_full_table = c.names[0].bytes != NULL;
    if (!symbols->has_full_table)
        read_debugdata(symbols, &c, h, image);
    read_table(symbols, &c, h, image, SHT_DYNSYM);
    candidates_choose(&c);
    make_ranges(symbols, &c);
    if (c.names[1].is_broken && symbols->damage == NULL)
        symbols->damage = BROKEN;
    symbols->names[0] = c.names[0].bytes;
    symbols->names[1] = c.names[1].bytes;
    candidates_free(&c);
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
