/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_candidates.h. */
#include "elf_candidates.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"

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

/* A table that is being read. */
struct symbol_table {
    const struct elf_headers *headers;
    const struct elf_image *image;
    struct code_sections sections;
    /* It is .dynsym; and the versions of its symbols, or NULL. */
    bool is_dynamic;
    unsigned char *versions;
    uint64_t n_versions;
    /* The source file of the local symbols that follow, or NULL. */
    const char *source;
};

/* ---- Sections ---------------------------------------------------------------------- */

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
    sort_numbers(s->bounds, s->n_bounds);
}

/* Where the section ends that has an address; between sections, where the next begins. */
static uint64_t next_bound(const struct code_sections *s, uint64_t address)
{
    size_t i = search_up_to(s->bounds, s->n_bounds, sizeof(*s->bounds), 0, address);

    return i < s->n_bounds ? s->bounds[i] : UINT64_MAX;
}

/* The limit of a symbol without a size: the end of its section. Some symbols are at the
 * end of theirs, to mark it. */
static uint64_t reach_in_section(const struct code_sections *s, uint16_t section,
                                 uint64_t start)
{
    if (section < s->n && s->items[section].is_code && s->items[section].limit == start)
        return start;
    return next_bound(s, start);
}

/* ---- Names ------------------------------------------------------------------------- */

/* Names that assemblers generate: mapping symbols (ARM, RISC-V), and labels. */
static bool is_made_up(const char *name)
{
    return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

/* Names that begin with underscores are reserved for the implementation; fewer are
 * better.
 * __GI_ is glibc's prefix for names that only it calls. */
static uint32_t count_underscores(const char *name)
{
    uint32_t n = 0;

    while (n < 15 && name[n] == '_')
        n++;
    return strncmp(name, "__GI_", 5) == 0 ? 16 + n : n;
}

/* The rest of a name is ignored: many symbols could share one long name. */
enum { NAME_SIZE_MAX = 4096 };

/* A version is after the name; a default one has a second @. Returns the first, or NULL.
 */
static const char *find_version(const char *name)
{
    if (name[0] == '\0')
        return NULL;
    return (const char *)memchr(name + 1, '@', strnlen(name + 1, NAME_SIZE_MAX));
}

size_t candidate_name_size(const struct candidate *c)
{
    const char *version = c->kind != CANDIDATE_WHOLE ? find_version(c->name) : NULL;

    return version != NULL ? (size_t)(version - c->name)
                           : strnlen(c->name, NAME_SIZE_MAX);
}

/* Whether programs that are linked now get this version of the symbol. Other versions are
 * as good as local, except in a program, where it does not matter. */
static uint32_t rank_of_scope(const struct symbol_table *t, const struct elf_entry *entry,
                              uint64_t index, const char *version)
{
    if (entry->binding == STB_LOCAL)
        return 2;
    if (version != NULL && version[1] != '@')
        return 1;
    if (t->is_dynamic && index < t->n_versions)
        return elf_half_get(t->headers, t->versions + 2 * index) >> 15;
    return 0;
}

enum {
    RANK_WEAK = 1,
    RANK_UNDERSCORE = RANK_WEAK << 1,
    RANK_SCOPE = RANK_UNDERSCORE << 5,
    RANK_UNSIZED = CANDIDATE_RANK_STUB << 1,
    RANK_LABEL = RANK_UNSIZED << 1,
};

/* Functions before labels, sized before unsized; and of those the name that a programmer
 * would write. */
static uint32_t rank_symbol(const struct symbol_table *t, const struct elf_entry *entry,
                            uint64_t index, const char *name, const char *version)
{
    return (entry->binding == STB_WEAK ? RANK_WEAK : 0u) +
           count_underscores(name) * RANK_UNDERSCORE +
           rank_of_scope(t, entry, index, version) * RANK_SCOPE +
           (entry->size == 0 ? RANK_UNSIZED : 0u) +
           (entry->type == STT_NOTYPE ? RANK_LABEL : 0u);
}

static uint32_t scope_of(const struct candidate *c)
{
    return c->rank / RANK_SCOPE % 4;
}

bool candidate_is_public(const struct candidate *c)
{
    return c->kind <= CANDIDATE_VERSIONED && scope_of(c) == 0;
}

bool candidate_is_local(const struct candidate *c)
{
    return c->kind <= CANDIDATE_VERSIONED && scope_of(c) == 2;
}

/* ---- Reading ----------------------------------------------------------------------- */

void candidates_add(struct candidates *to, struct candidate candidate)
{
    to->items = (struct candidate *)memory_grow(to->items, to->n, &to->capacity,
                                                sizeof(*to->items));
    candidate.place = (uint32_t)to->n;
    to->items[to->n++] = candidate;
}

/* The lowest bit of an ARM function's address selects its instruction set. */
static uint64_t address_of(const struct elf_headers *h, const struct elf_entry *entry)
{
    return h->machine == EM_ARM && entry->type == STT_FUNC ? entry->value & ~UINT64_C(1)
                                                           : entry->value;
}

static bool is_function(const struct symbol_table *t, const struct elf_entry *entry,
                        const char *name)
{
    if (name[0] == '\0' || entry->section == SHN_UNDEF)
        return false;
    if (entry->type == STT_NOTYPE)
        return entry->section < t->sections.n &&
               t->sections.items[entry->section].is_code && !is_made_up(name);
    return entry->type == STT_FUNC || entry->type == STT_GNU_IFUNC;
}

static void add_candidate(struct candidates *to, const struct symbol_table *t,
                          const struct elf_entry *entry, uint64_t index, const char *name)
{
    uint64_t start = address_of(t->headers, entry);
    const struct elf_code *code = elf_image_find_code(t->image, start);
    const char *version = t->is_dynamic ? NULL : find_version(name);
    uint64_t limit;

    if (code == NULL || !is_function(t, entry, name))
        return;
    limit = entry->size > code->limit - start ? code->limit : start + entry->size;
    if (entry->size == 0)
        limit = reach_in_section(&t->sections, entry->section, start);
    if (limit == start)
        return;
    candidates_add(to,
                   (struct candidate){
                       .start = start,
                       .limit = limit < code->limit ? limit : code->limit,
                       .is_sized = entry->size > 0,
                       .kind = version != NULL ? CANDIDATE_VERSIONED : CANDIDATE_WHOLE,
                       .rank = rank_symbol(t, entry, index, name, version),
                       .name = name,
                       .source = entry->binding == STB_LOCAL ? t->source : NULL,
                   });
}

static bool find_section(const struct elf_headers *h, uint32_t type,
                         struct elf_section *section)
{
    for (uint64_t i = 0; elf_section_read(h, i, section); i++) {
        if (section->type == type)
            return true;
    }
    return false;
}

static void read_versions(struct symbol_table *t)
{
    struct elf_section section;

    if (!t->is_dynamic || !find_section(t->headers, SHT_GNU_versym, &section))
        return;
    t->versions = elf_bytes_read(t->headers, section.offset, section.size);
    if (t->versions != NULL)
        t->n_versions = section.size / 2;
}

/* Linkers call the files that they make of several, and those of the C runtime's ends,
 * by other names than a source's; so does Rust those of parts of a crate, of which
 * several can have a copy of one function. */
static bool is_source(const char *name)
{
    size_t size = strnlen(name, NAME_SIZE_MAX);
    const char *dot = (const char *)memrchr(name, '.', size);

    return dot != NULL && strcmp(dot, ".o") != 0 && strstr(name, "-cgu.") == NULL;
}

static void read_entries(struct candidates *to, struct symbol_table *t,
                         const unsigned char *entries, uint64_t n,
                         const unsigned char *names, uint64_t names_size)
{
    read_code_sections(&t->sections, t->headers);
    read_versions(t);
    for (uint64_t i = 0; i < n; i++) {
        struct elf_entry entry =
            elf_entry_get(t->headers, entries + i * elf_entry_size(t->headers));

        const char *name;

        if (entry.name >= names_size)
            continue;
        name = (const char *)names + entry.name;
        if (entry.type == STT_FILE)
            t->source = is_source(name) ? name : NULL;
        else
            add_candidate(to, t, &entry, i, name);
    }
    memory_release(t->versions);
    memory_release(t->sections.items);
    memory_release(t->sections.bounds);
}

bool candidates_read(struct candidates *to, const struct elf_headers *h,
                     const struct elf_image *image, uint32_t type, unsigned char **names,
                     uint64_t *names_size)
{
    struct symbol_table t = {h, image, .is_dynamic = type == SHT_DYNSYM};
    struct elf_section names_section;
    struct elf_section section;
    unsigned char *entries;

    *names = NULL;
    *names_size = 0;
    if (!find_section(h, type, &section))
        return false;
    if (!elf_section_read(h, section.link, &names_section) ||
        names_section.type != SHT_STRTAB)
        return true;
    entries = elf_bytes_read(h, section.offset, section.size);
    if (entries == NULL)
        return true;
    *names = elf_bytes_read(h, names_section.offset, names_section.size);
    if (*names != NULL) {
        *names_size = names_section.size;
        read_entries(to, &t, entries, section.size / elf_entry_size(h), *names,
                     *names_size);
    }
    memory_release(entries);
    return true;
}

/* ---- Choosing ---------------------------------------------------------------------- */

/* Of exported names the shortest is chosen (read, not read64); of others the longest, as
 * in perf. */
static int order_names(const struct candidate *a, const struct candidate *b)
{
    size_t size_a = candidate_name_size(a);
    size_t size_b = candidate_name_size(b);
    bool is_local = scope_of(a) == 2;

    if (size_a != size_b)
        return (size_a < size_b) != is_local ? -1 : 1;
    return memcmp(a->name, b->name, size_a);
}

static int order_candidates(const void *left, const void *right)
{
    const struct candidate *a = (const struct candidate *)left;
    const struct candidate *b = (const struct candidate *)right;
    int order = 0;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->limit != b->limit)
        return a->limit > b->limit ? -1 : 1;
    if (a->name != b->name)
        order = order_names(a, b);
    if (order != 0)
        return order;
    return a->place < b->place ? -1 : a->place > b->place;
}

void candidates_choose(struct candidates *c)
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

const struct candidate *candidates_at(const struct candidates *c, uint64_t address)
{
    size_t i = search_below(c->items, c->n, sizeof(*c->items), 0, address);

    return i < c->n && c->items[i].start == address ? &c->items[i] : NULL;
}
