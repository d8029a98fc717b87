/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_candidates.h. */
#include "elf_candidates.h"

#include <elf.h>
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
    struct candidate_names *names;
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
 * better. __GI_ is glibc's prefix for names that only it calls. */
static uint32_t count_underscores(const char *name)
{
    uint32_t n = 0;

    while (n < 15 && name[n] == '_')
        n++;
    return strncmp(name, "__GI_", 5) == 0 ? 16 + n : n;
}

/* The rest of a name is ignored: many symbols could share one long name. */
enum { NAME_SIZE_MAX = 4096 };

/* If they cannot be read, they are all "". */
static void read_names(struct candidate_names *names)
{
    names->bytes = elf_bytes_read(names->headers, names->offset, names->size);
    if (names->bytes == NULL)
        *names = (struct candidate_names){.bytes = (unsigned char *)memory_allocate(1),
                                          .is_broken = true};
}

static char *name_at(struct candidate_names *names, uint32_t at)
{
    if (names->bytes == NULL)
        read_names(names);
    return (char *)names->bytes + (at < names->size ? at : names->size);
}

const char *candidate_name(struct candidates *c, const struct candidate *candidate)
{
    return name_at(&c->names[candidate->is_dynamic], candidate->name);
}

/* ---- Ranks ------------------------------------------------------------------------- */

/* Functions before labels, sized before unsized; and of those the name that a programmer
 * would write. Whether programs that are linked now get this version of the symbol is its
 * scope: other versions are as good as local, except in a program, where it does not
 * matter. */
enum {
    RANK_WEAK = 1,
    RANK_UNDERSCORE = RANK_WEAK << 1,
    RANK_OTHER_VERSION = RANK_UNDERSCORE << 5,
    RANK_LOCAL = RANK_OTHER_VERSION << 1,
    RANK_UNSIZED = RANK_LOCAL << 1,
    RANK_LABEL = RANK_UNSIZED << 1,
    RANK_NAMELESS = RANK_LABEL << 1,
};

bool candidate_is_public(const struct candidate *candidate)
{
    return (candidate->rank & (RANK_OTHER_VERSION | RANK_LOCAL)) == 0;
}

/* Adds what a candidate's name says. A version is after the name; a default one has a
 * second @. */
static void take_name(struct candidates *c, struct candidate *of)
{
    const char *name = candidate_name(c, of);
    size_t size = strnlen(name, NAME_SIZE_MAX);
    const char *version = NULL;

    if (size > 0 && !of->is_dynamic)
        version = (const char *)memchr(name + 1, '@', size - 1);
    of->has_version = version != NULL;
    of->name_size = (uint16_t)(version != NULL ? version - name : (ptrdiff_t)size);
    if (version != NULL && version[1] != '@' && !of->is_local)
        of->rank |= RANK_OTHER_VERSION;
    of->rank += count_underscores(name) * RANK_UNDERSCORE;
    if (size == 0)
        of->rank |= RANK_NAMELESS;
}

/* ---- Reading ----------------------------------------------------------------------- */

/* The lowest bit of an ARM function's address selects its instruction set. */
static uint64_t address_of(const struct elf_headers *h, const struct elf_entry *entry)
{
    return h->machine == EM_ARM && entry->type == STT_FUNC ? entry->value & ~UINT64_C(1)
                                                           : entry->value;
}

static bool is_function(const struct symbol_table *t, const struct elf_entry *entry)
{
    if (entry->name == 0 || entry->name >= t->names->size || entry->section == SHN_UNDEF)
        return false;
    if (entry->type == STT_NOTYPE)
        return entry->section < t->sections.n &&
               t->sections.items[entry->section].is_code &&
               !is_made_up(name_at(t->names, entry->name));
    return entry->type == STT_FUNC || entry->type == STT_GNU_IFUNC;
}

static bool is_hidden(const struct symbol_table *t, uint64_t index)
{
    return index < t->n_versions &&
           elf_half_get(t->headers, t->versions + 2 * index) >> 15 != 0;
}

static uint32_t rank_entry(const struct symbol_table *t, const struct elf_entry *entry,
                           uint64_t index)
{
    uint32_t rank = entry->binding == STB_WEAK ? RANK_WEAK : 0;

    if (entry->binding == STB_LOCAL)
        rank |= RANK_LOCAL;
    else if (is_hidden(t, index))
        rank |= RANK_OTHER_VERSION;
    return rank | (entry->size > 0 ? 0u : RANK_UNSIZED) |
           (entry->type == STT_NOTYPE ? RANK_LABEL : 0u);
}

static void add_candidate(struct candidates *to, const struct symbol_table *t,
                          const struct elf_entry *entry, uint64_t index)
{
    uint64_t start = address_of(t->headers, entry);
    const struct elf_code *code = elf_image_find_code(t->image, start);
    uint64_t limit;

    if (code == NULL || !is_function(t, entry))
        return;
    limit = entry->size > code->limit - start ? code->limit : start + entry->size;
    if (entry->size == 0)
        limit = reach_in_section(&t->sections, entry->section, start);
    if (limit == start)
        return;
    MEMORY_ADD(to->items, to->n, to->capacity,
               (struct candidate){
                   .start = start,
                   .limit = limit < code->limit ? limit : code->limit,
                   .source = entry->binding == STB_LOCAL ? t->source : NULL,
                   .name = entry->name,
                   .is_dynamic = t->is_dynamic,
                   .is_sized = entry->size > 0,
                   .is_local = entry->binding == STB_LOCAL,
                   .rank = rank_entry(t, entry, index),
               });
    /* While it is near those of the entries before. */
    if (!t->is_dynamic)
        take_name(to, &to->items[to->n - 1]);
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

static void take_entry(struct candidates *to, struct symbol_table *t,
                       const struct elf_entry *entry, uint64_t index)
{
    if (entry->type == STT_FILE) {
        const char *name = name_at(t->names, entry->name);

        t->source = is_source(name) ? name : NULL;
    } else {
        add_candidate(to, t, entry, index);
    }
}

/* In pieces, which stay in the processor's cache. Returns false if they cannot be read.
 */
static bool take_entries(struct candidates *to, struct symbol_table *t, uint64_t offset,
                         uint64_t n)
{
    unsigned char bytes[1 << 14];
    size_t size = elf_entry_size(t->headers);
    uint64_t room = sizeof(bytes) / size;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t taken = n - i < room ? n - i : room;
        struct elf_entry entry;

        if (i % room == 0 &&
            !file_read(t->headers->file, offset + i * size, bytes, taken * size))
            return false;
        entry = elf_entry_get(t->headers, bytes + i % room * size);
        take_entry(to, t, &entry, i);
    }
    return true;
}

static bool read_entries(struct candidates *to, struct symbol_table *t,
                         const struct elf_section *section)
{
    uint64_t n = section->size / elf_entry_size(t->headers);
    bool is_read;

    if (to->items == NULL) {
        to->items = memory_reserve(n * sizeof(*to->items));
        to->capacity = n;
    }
    read_code_sections(&t->sections, t->headers);
    read_versions(t);
    is_read = take_entries(to, t, section->offset, n);
    memory_release(t->versions);
    memory_release(t->sections.items);
    memory_release(t->sections.bounds);
    return is_read;
}

static bool is_in_file(const struct elf_headers *h, const struct elf_section *section)
{
    uint64_t size = file_size(h->file);

    return section->size <= size && section->offset <= size - section->size;
}

bool candidates_read(struct candidates *to, const struct elf_headers *h,
                     const struct elf_image *image, uint32_t type)
{
    struct symbol_table t = {h, image, .is_dynamic = type == SHT_DYNSYM};
    struct elf_section names;
    struct elf_section section;

    if (!find_section(h, type, &section))
        return true;
    if (!elf_section_read(h, section.link, &names) || names.type != SHT_STRTAB ||
        !is_in_file(h, &names) || !is_in_file(h, &section))
        return false;
    t.names = &to->names[t.is_dynamic];
    *t.names = (struct candidate_names){h, names.offset, names.size, NULL, false};
    if (!t.is_dynamic)
        t.names->bytes = elf_bytes_read(h, names.offset, names.size);
    return (t.is_dynamic || t.names->bytes != NULL) && read_entries(to, &t, &section);
}

/* ---- Choosing ---------------------------------------------------------------------- */

/* Whether a candidate is better than the one that is before it in the tables. Of exported
 * names the shortest is chosen (read, not read64); of others the longest, as in perf. */
static bool is_better(struct candidates *c, const struct candidate *a,
                      const struct candidate *than)
{
    if (a->rank != than->rank)
        return a->rank < than->rank;
    if (a->limit != than->limit)
        return a->limit > than->limit;
    if (a->name_size != than->name_size)
        return (a->name_size < than->name_size) != a->is_local;
    return memcmp(candidate_name(c, a), candidate_name(c, than), a->name_size) < 0;
}

/* How many of the `n` candidates at an address to choose from, which are in the order of
 * the tables. A linker puts each symbol of .dynsym into .symtab, too: where all are
 * there, the names of .dynsym need not be read. */
static size_t count_different(const struct candidates *c, const struct sort_row *rows,
                              size_t n)
{
    size_t n_full = 0;
    size_t n_global = 0;

    while (n_full < n && !c->items[rows[n_full].item].is_dynamic)
        n_global += !c->items[rows[n_full++].item].is_local;
    return n - n_full <= n_global ? n_full : n;
}

static uint32_t choose(struct candidates *c, const struct sort_row *rows, size_t n)
{
    const struct candidate *best = NULL;

    n = count_different(c, rows, n);
    for (size_t i = 0; i < n; i++) {
        struct candidate *next = &c->items[rows[i].item];

        if (next->is_dynamic)
            take_name(c, next);
        if (best == NULL || is_better(c, next, best))
            best = next;
    }
    return (uint32_t)(best - c->items);
}

/* Several names may share the bytes of a version. */
static void remove_versions(struct candidates *c)
{
    for (size_t i = 0; i < c->n_chosen; i++) {
        const struct candidate *chosen = &c->items[c->chosen[i]];

        if (chosen->has_version)
            name_at(&c->names[0], chosen->name)[chosen->name_size] = '\0';
    }
}

void candidates_choose(struct candidates *c)
{
    struct sort_row *rows = (struct sort_row *)memory_reserve(c->n * sizeof(*rows));
    size_t end;

    c->chosen = (uint32_t *)memory_reserve(c->n * sizeof(*c->chosen));
    for (size_t i = 0; i < c->n; i++)
        rows[i] = (struct sort_row){.key = c->items[i].start, .item = (uint32_t)i};
    sort_rows(1, rows, c->n, NULL, NULL);
    for (size_t i = 0; i < c->n; i = end) {
        uint64_t start = c->items[rows[i].item].start;

        for (end = i + 1; end < c->n && c->items[rows[end].item].start == start;)
            end++;
        c->chosen[c->n_chosen++] = choose(c, rows + i, end - i);
    }
    memory_release(rows);
    remove_versions(c);
}

void candidates_free(struct candidates *c)
{
    memory_release(c->items);
    memory_release(c->chosen);
}
