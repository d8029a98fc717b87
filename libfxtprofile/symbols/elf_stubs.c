/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_stubs.h. */
#include "elf_stubs.h"

#include <elf.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/base/text.h"
#include "stub_code.h"

/* musl's elf.h does not have these. */
#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif
#ifndef R_RISCV_IRELATIVE
#define R_RISCV_IRELATIVE 58
#endif

/* A relocation: the word of the GOT at `address` is set to the address of a dynamic
 * symbol or, if `symbol` is 0, to what the function at `resolver` returns. */
struct got_word {
    uint64_t address;
    uint32_t symbol;
    uint64_t resolver;
};

struct stub_reader {
    struct elf_symbols *to;
    const struct elf_headers *headers;
    const struct elf_image *image;
    /* The file's other symbols. */
    const struct elf_symbols *symbols;
    /* The entries of .dynsym, and their names. */
    unsigned char *entries;
    uint64_t n_entries;
    unsigned char *names;
    uint64_t names_size;
    /* At first those of the PLT, in the order of its relocations; later all, sorted. */
    struct got_word *words;
    size_t n_words;
    size_t words_capacity;
    struct got_word *calls;
    size_t n_calls;
    /* The stubs' names, one after the other. */
    struct text made;
    size_t capacity;
};

/* ---- Relocations ------------------------------------------------------------------- */

static uint32_t resolved_type(uint16_t machine)
{
    switch (machine) {
    case EM_X86_64:
        return R_X86_64_IRELATIVE;
    case EM_386:
        return R_386_IRELATIVE;
    case EM_AARCH64:
        return R_AARCH64_IRELATIVE;
    case EM_ARM:
        return R_ARM_IRELATIVE;
    default:
        return R_RISCV_IRELATIVE;
    }
}

/* Most relocations of .rela.dyn are of no symbol. Those of the PLT are numbered. */
static void take_relocations(struct stub_reader *r, const unsigned char *bytes,
                             uint64_t size, bool has_addend, bool is_numbered)
{
    uint64_t entry_size = elf_relocation_size(r->headers, has_addend);
    uint32_t resolved = resolved_type(r->headers->machine);

    for (uint64_t at = 0; entry_size <= size - at; at += entry_size) {
        struct elf_relocation from =
            elf_relocation_get(r->headers, has_addend, bytes + at);

        if (from.symbol == 0 && from.type != resolved && !is_numbered)
            continue;
        r->words = (struct got_word *)memory_grow(r->words, r->n_words,
                                                  &r->words_capacity, sizeof(*r->words));
        r->words[r->n_words++] = (struct got_word){
            .address = from.offset,
            .symbol = from.symbol,
            .resolver = from.type == resolved ? from.addend : 0,
        };
    }
}

/* Reads one section of relocations, of one of two names. */
static void read_relocations(struct stub_reader *r, const char *with_addends,
                             const char *without, bool is_numbered)
{
    bool has_addend = true;
    struct elf_section section;
    unsigned char *bytes;

    if (!elf_section_find(r->headers, with_addends, &section)) {
        has_addend = false;
        if (!elf_section_find(r->headers, without, &section))
            return;
    }
    if (section.type != (has_addend ? SHT_RELA : SHT_REL))
        return;
    bytes = elf_bytes_read(r->headers, section.offset, section.size);
    if (bytes != NULL)
        take_relocations(r, bytes, section.size, has_addend, is_numbered);
    memory_release(bytes);
}

SORT_ORDER(order_words, struct got_word, BY(address) || BY(symbol));

static void read_words(struct stub_reader *r)
{
    read_relocations(r, ".rela.plt", ".rel.plt", true);
    r->n_calls = r->n_words;
    r->calls = (struct got_word *)memory_allocate(r->n_calls * sizeof(*r->calls));
    for (size_t i = 0; i < r->n_calls; i++)
        r->calls[i] = r->words[i];
    read_relocations(r, ".rela.dyn", ".rel.dyn", false);
    SORT(r->words, r->n_words, order_words);
}

static const struct got_word *find_word(const struct stub_reader *r, uint64_t address)
{
    size_t i = search_below(r->words, r->n_words, sizeof(*r->words), 0, address);

    return i < r->n_words && r->words[i].address == address ? &r->words[i] : NULL;
}

/* ---- Names ------------------------------------------------------------------------- */

/* A limit on the names, as a multiple of the size of the string table, and on each: a
 * malicious file could have one long name generated for each stub. */
enum { NAMES_PER_BYTE = 4, NAMES_LEAST = 1 << 16, NAME_SIZE_MAX = 4096 };

static const char SUFFIX[] = "@plt";

static const char *name_of(const struct stub_reader *r, uint32_t symbol)
{
    struct elf_entry entry;

    if (symbol == 0 || symbol >= r->n_entries)
        return "";
    entry = elf_entry_get(r->headers, r->entries + symbol * elf_entry_size(r->headers));
    return entry.name < r->names_size ? (const char *)r->names + entry.name : "";
}

/* A stub is named after its target, or the resolver of it; else as objdump names it.
 * Returns false if it has no target. */
static bool add_name(struct stub_reader *r, const struct got_word *word)
{
    const struct elf_symbol *resolver = elf_symbols_find(r->symbols, word->resolver);
    const char *name = name_of(r, word->symbol);

    if (name[0] == '\0' && word->resolver == 0)
        return false;
    if (name[0] == '\0' && resolver != NULL && resolver->start == word->resolver)
        name = resolver->name;
    if (name[0] != '\0')
        text_add(&r->made, name, strnlen(name, NAME_SIZE_MAX));
    else
        text_printf(&r->made, "*ABS*+0x%llx", (unsigned long long)word->resolver);
    text_add(&r->made, SUFFIX, sizeof(SUFFIX));
    return true;
}

static void set_names(struct elf_symbols *stubs, char *names)
{
    const char *at = names;

    stubs->made_names = names;
    for (size_t i = 0; i < stubs->n; i++) {
        stubs->all[i].name = at;
        at += strlen(at) + 1;
    }
}

/* ---- Stubs ------------------------------------------------------------------------- */

/* The word that a stub loads its target from; NULL for what is no stub of a function. */
static const struct got_word *word_of(const struct stub_reader *r,
                                      const struct stub *stub)
{
    if (!stub->is_numbered)
        return find_word(r, stub->got_word);
    return stub->number < r->n_calls ? &r->calls[stub->number] : NULL;
}

/* A stub at `at` in a section, that ends at `limit` there at the latest. */
static void add_stub(struct stub_reader *r, const struct stub_code *section,
                     const struct stub *stub, uint64_t at, uint64_t limit)
{
    uint64_t start = section->address + at;
    uint64_t size = stub->size < limit - at ? stub->size : limit - at;
    const struct got_word *word = word_of(r, stub);
    const struct elf_code *code = elf_image_find_code(r->image, start);

    if (word == NULL || code == NULL ||
        r->made.size >= NAMES_LEAST + NAMES_PER_BYTE * r->names_size ||
        !add_name(r, word))
        return;
    if (size > code->limit - start)
        size = code->limit - start;
    ranges_add(&r->to->ranges, start, start + size, (uint32_t)r->to->n);
    MEMORY_ADD(r->to->all, r->to->n, r->capacity,
               (struct elf_symbol){.start = start, .is_sized = true});
}

/* A stub ends where the next one begins, or the section ends. */
static void read_stubs(struct stub_reader *r, struct stub_code *code)
{
    struct stub next;
    struct stub last;
    uint64_t last_at = 0;
    bool has_last = false;

    for (uint64_t at = 0; at < code->size;) {
        if (!stub_decode(code, at, &next)) {
            at += code->step;
            continue;
        }
        if (has_last)
            add_stub(r, code, &last, last_at, at);
        last = next;
        last_at = at;
        has_last = true;
        at += next.least_size;
    }
    if (has_last)
        add_stub(r, code, &last, last_at, code->size);
}

static void read_section(struct stub_reader *r, const struct elf_section *section)
{
    struct stub_code code;
    unsigned char *bytes = elf_bytes_read(r->headers, section->offset, section->size);

    if (bytes != NULL &&
        stub_code_init(&code, r->headers, bytes, section->size, section->address))
        read_stubs(r, &code);
    memory_release(bytes);
}

static void read_entries(struct stub_reader *r)
{
    struct elf_section section;
    struct elf_section names;

    if (!elf_section_find(r->headers, ".dynsym", &section) ||
        section.type != SHT_DYNSYM ||
        !elf_section_read(r->headers, section.link, &names) || names.type != SHT_STRTAB)
        return;
    r->entries = elf_bytes_read(r->headers, section.offset, section.size);
    if (r->entries != NULL)
        r->n_entries = section.size / elf_entry_size(r->headers);
    r->names = elf_bytes_read(r->headers, names.offset, names.size);
    if (r->names != NULL)
        r->names_size = names.size;
}

/* ---- The whole --------------------------------------------------------------------- */

static const char *const sections[] = {".plt", ".plt.got", ".plt.sec", ".plt.bnd",
                                       ".iplt"};

enum { N_SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* Finds a section of stubs by its number. */
static bool find_stubs(const struct elf_headers *headers, size_t i,
                       struct elf_section *section)
{
    return elf_section_find(headers, sections[i], section) &&
           section->type == SHT_PROGBITS && (section->flags & SHF_EXECINSTR) != 0 &&
           section->size <= UINT64_MAX - section->address;
}

static void locate(struct elf_stubs *stubs, const struct elf_headers *headers)
{
    struct elf_section section;

    for (size_t i = 0; i < N_SECTIONS; i++) {
        if (find_stubs(headers, i, &section))
            ranges_add(&stubs->sections, section.address, section.address + section.size,
                       (uint32_t)i);
    }
    ranges_finish(&stubs->sections);
    stubs->is_located = true;
}

static void read_all(struct stub_reader *r)
{
    struct elf_section section;

    read_entries(r);
    read_words(r);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        if (find_stubs(r->headers, i, &section))
            read_section(r, &section);
    }
    ranges_finish(&r->to->ranges);
    set_names(r->to, r->made.data);
    memory_release(r->entries);
    memory_release(r->names);
    memory_release(r->words);
    memory_release(r->calls);
}

static bool is_in_section(const struct elf_stubs *stubs, uint64_t address)
{
    return ranges_find(&stubs->sections, address) != RANGES_NONE;
}

bool elf_stubs_may_be_at(const struct elf_stubs *stubs, uint64_t address)
{
    return !stubs->is_read && (!stubs->is_located || is_in_section(stubs, address));
}

void elf_stubs_read_at(struct elf_stubs *stubs, uint64_t address,
                       const struct elf_headers *headers, const struct elf_image *image,
                       const struct elf_symbols *symbols)
{
    struct stub_reader r = {&stubs->symbols, headers, image, symbols, .n_entries = 0};

    if (!stubs->is_located)
        locate(stubs, headers);
    if (stubs->is_read || !is_in_section(stubs, address))
        return;
    stubs->is_read = true;
    read_all(&r);
}

void elf_stubs_free(struct elf_stubs *stubs)
{
    elf_symbols_free(&stubs->symbols);
    ranges_free(&stubs->sections);
    *stubs = (struct elf_stubs){.is_located = false};
}
