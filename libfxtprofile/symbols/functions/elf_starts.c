/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_starts.h. */
#include "elf_starts.h"

#include <elf.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"

/* musl's elf.h does not have these. */
#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif
#ifndef R_RISCV_IRELATIVE
#define R_RISCV_IRELATIVE 58
#endif

/* Words that have addresses of functions: three arrays by .dynamic, as many by sections,
 * and the word of main; or sections of data. */
enum { WORDS_MAX = 16 };

struct word_range {
    uint64_t start;
    uint64_t size;
    const char *name;
};

struct start_reader {
    struct elf_starts *to;
    const struct elf_headers *headers;
    struct word_range words[WORDS_MAX];
    size_t n_words;
    /* Or all words are pointers, to these gaps, and at most so many. */
    struct elf_pointers *pointers;
    const struct elf_starts *gaps;
    uint64_t max_pointers;
};

void elf_starts_add(struct elf_starts *starts, struct elf_start start)
{
    MEMORY_ADD(starts->items, starts->n, starts->capacity, start);
}

const struct elf_start *elf_starts_find(const struct elf_starts *starts, uint64_t address)
{
    size_t after = search_up_to(starts->items, starts->n, sizeof(*starts->items),
                                offsetof(struct elf_start, start), address);

    return after > 0 && address < starts->items[after - 1].limit
               ? &starts->items[after - 1]
               : NULL;
}

static void add(struct start_reader *r, uint64_t start, uint64_t limit, const char *name)
{
    if (start != 0)
        elf_starts_add(r->to, (struct elf_start){start, limit, name});
}

static void add_words(struct start_reader *r, uint64_t start, uint64_t size,
                      const char *name)
{
    if (size > 0 && r->n_words < WORDS_MAX)
        r->words[r->n_words++] = (struct word_range){start, size, name};
}

/* ---- The entry --------------------------------------------------------------------- */

static void add_entry(struct start_reader *r)
{
    const struct elf_headers *h = r->headers;
    struct elf_main main;

    if (elf_entry_point(h) == 0 || (h->type != ET_EXEC && h->type != ET_DYN))
        return;
    add(r, elf_entry_point(h), 0, "_start");
    main = elf_main_find(h);
    if (main.is_in_word)
        add_words(r, main.address, sizeof(uint64_t), "main");
    else
        add(r, main.address, 0, "main");
}

/* ---- Sections and .dynamic --------------------------------------------------------- */

static void add_section(struct start_reader *r, const char *section_name,
                        const char *name)
{
    struct elf_section section;

    if (elf_section_find(r->headers, section_name, &section) && section.size > 0 &&
        section.size <= UINT64_MAX - section.address)
        add(r, section.address, section.address + section.size, name);
}

static void add_arrays(struct start_reader *r)
{
    static const char *const names[] = {".preinit_array", ".init_array", ".fini_array"};
    struct elf_section section;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (elf_section_find(r->headers, names[i], &section))
            add_words(r, section.address, section.size, NULL);
    }
}

/* The values of tags in .dynamic; the last one of each counts. */
enum { N_TAGS = DT_PREINIT_ARRAYSZ + 1 };

static bool read_tags(const struct elf_headers *h, uint64_t tags[N_TAGS])
{
    struct elf_segment segment;
    unsigned char *bytes;
    Elf64_Dyn entry;
    uint64_t i = 0;

    do {
        if (!elf_segment_read(h, i++, &segment))
            return false;
    } while (segment.type != PT_DYNAMIC);
    bytes = elf_bytes_read(h, segment.offset, segment.file_size);
    if (bytes == NULL)
        return false;
    for (uint64_t at = 0; sizeof(entry) <= segment.file_size - at; at += sizeof(entry)) {
        memcpy(&entry, bytes + at, sizeof(entry));
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag > 0 && entry.d_tag < N_TAGS)
            tags[entry.d_tag] = entry.d_un.d_val;
    }
    memory_release(bytes);
    return true;
}

static void add_dynamic(struct start_reader *r, bool named_only)
{
    uint64_t tags[N_TAGS] = {0};

    if (!read_tags(r->headers, tags))
        return;
    add(r, tags[DT_INIT], 0, "_init");
    add(r, tags[DT_FINI], 0, "_fini");
    if (named_only)
        return;
    add_words(r, tags[DT_PREINIT_ARRAY], tags[DT_PREINIT_ARRAYSZ], NULL);
    add_words(r, tags[DT_INIT_ARRAY], tags[DT_INIT_ARRAYSZ], NULL);
    add_words(r, tags[DT_FINI_ARRAY], tags[DT_FINI_ARRAYSZ], NULL);
}

/* ---- Words ------------------------------------------------------------------------- */

static bool is_relative(uint16_t machine, uint32_t type)
{
    return (machine == EM_X86_64 && type == R_X86_64_RELATIVE) ||
           (machine == EM_AARCH64 && type == R_AARCH64_RELATIVE) ||
           (machine == EM_RISCV && type == R_RISCV_RELATIVE);
}

static bool is_resolved(uint16_t machine, uint32_t type)
{
    return (machine == EM_X86_64 && type == R_X86_64_IRELATIVE) ||
           (machine == EM_AARCH64 && type == R_AARCH64_IRELATIVE) ||
           (machine == EM_RISCV && type == R_RISCV_IRELATIVE);
}

/* The range that has the word at an address, or NULL. */
static const struct word_range *find_range(const struct start_reader *r, uint64_t address)
{
    for (size_t i = 0; i < r->n_words; i++) {
        if (address - r->words[i].start < r->words[i].size)
            return &r->words[i];
    }
    return NULL;
}

static void take_word(struct start_reader *r, uint64_t address, uint64_t value,
                      const char *name)
{
    struct elf_pointers *pointers = r->pointers;

    if (pointers == NULL)
        add(r, value, 0, name);
    else if (pointers->n < r->max_pointers && elf_starts_find(r->gaps, value) != NULL)
        MEMORY_ADD(pointers->items, pointers->n, pointers->capacity,
                   ((struct elf_pointer){address, value}));
}

static void take_relocation(struct start_reader *r, struct elf_relocation from)
{
    const struct word_range *range;

    if (r->gaps != NULL && elf_starts_find(r->gaps, from.addend) == NULL)
        return;
    if (is_resolved(r->headers->machine, from.type))
        take_word(r, from.offset, from.addend, NULL);
    if (!is_relative(r->headers->machine, from.type))
        return;
    range = find_range(r, from.offset);
    if (range != NULL)
        take_word(r, from.offset, from.addend, range->name);
}

/* A buffer for some of what is read, which can be megabytes. */
struct piece {
    /* Where it is in what is read. */
    uint64_t at;
    size_t size;
    unsigned char bytes[1 << 14];
};

/* Reads the next piece of `size` bytes at an offset, as many items as it has room for:
 * false after the last. */
static bool read_piece(const struct elf_headers *h, uint64_t offset, uint64_t size,
                       size_t item, struct piece *piece)
{
    size_t room = sizeof(piece->bytes) / item * item;
    uint64_t left;

    piece->at += piece->size;
    left = size - piece->at;
    piece->size = left < room ? (size_t)(left / item * item) : room;
    return piece->size > 0 && offset <= UINT64_MAX - size &&
           file_read(h->file, offset + piece->at, piece->bytes, piece->size);
}

/* Where the loader sets words. */
static void read_relocations(struct start_reader *r, const char *name)
{
    const struct elf_headers *h = r->headers;
    size_t entry_size = elf_relocation_size(h, true);
    struct elf_section section;
    struct piece piece;

    if (!elf_section_find(h, name, &section) || section.type != SHT_RELA)
        return;
    piece.at = piece.size = 0;
    while (read_piece(h, section.offset, section.size, entry_size, &piece)) {
        for (size_t i = 0; i < piece.size; i += entry_size)
            take_relocation(r, elf_relocation_get(h, true, piece.bytes + i));
    }
}

/* Words as they are in the file, which most linkers set, too. */
static void read_words(struct start_reader *r, const struct word_range *range)
{
    struct elf_segment segment;
    struct piece piece;
    uint64_t value;
    uint64_t left;
    uint64_t at;

    if (!elf_segment_at(r->headers, range->start, &segment))
        return;
    at = range->start - segment.vaddr;
    left = segment.file_size - at;
    if (range->size < left)
        left = range->size;
    piece.at = piece.size = 0;
    while (read_piece(r->headers, segment.offset + at, left, sizeof(value), &piece)) {
        for (size_t i = 0; i < piece.size; i += sizeof(value)) {
            memcpy(&value, piece.bytes + i, sizeof(value));
            take_word(r, range->start + piece.at + i, value, range->name);
        }
    }
}

/* ---- The whole --------------------------------------------------------------------- */

/* At one address, those with a name come first, then those with a limit. */
SORT_ORDER(order_starts, struct elf_start,
           BY(start) || BY_ORDER((a->name == NULL) - (b->name == NULL)) ||
               BY_DESCENDING(limit));

void elf_starts_sort(struct elf_starts *starts)
{
    size_t n = 0;

    SORT(starts->items, starts->n, order_starts);
    for (size_t i = 0; i < starts->n; i++) {
        if (n == 0 || starts->items[n - 1].start != starts->items[i].start)
            starts->items[n++] = starts->items[i];
    }
    starts->n = n;
}

/* The words of the ranges: as they are, and as the loader sets them. */
static void take_words(struct start_reader *r)
{
    read_relocations(r, ".rela.dyn");
    read_relocations(r, ".rela.plt");
    for (size_t i = 0; i < r->n_words; i++)
        read_words(r, &r->words[i]);
}

/* Only of files of 64 bits in this machine's byte order, as those that have unwind
 * tables. */
void elf_starts_read(struct elf_starts *starts, const struct elf_headers *h,
                     bool named_only)
{
    struct start_reader r = {starts, h, .n_words = 0};

    if (!h->is_64 || h->swapped)
        return;
    add_entry(&r);
    add_section(&r, ".init", "_init");
    add_section(&r, ".fini", "_fini");
    add_dynamic(&r, named_only);
    if (!named_only)
        add_arrays(&r);
    if (!named_only || r.n_words > 0)
        take_words(&r);
    elf_starts_sort(starts);
}

void elf_starts_free(struct elf_starts *starts)
{
    memory_release(starts->items);
    *starts = (struct elf_starts){.n = 0};
}

/* ---- Pointers ---------------------------------------------------------------------- */

SORT_ORDER(order_pointers, struct elf_pointer, BY(address) || BY(target));

static void sort_pointers(struct elf_pointers *pointers)
{
    size_t n = 0;

    SORT(pointers->items, pointers->n, order_pointers);
    for (size_t i = 0; i < pointers->n; i++) {
        if (n == 0 || pointers->items[n - 1].address != pointers->items[i].address)
            pointers->items[n++] = pointers->items[i];
    }
    pointers->n = n;
}

/* Whether the loader sets all words that are pointers, and the file says nothing. */
static bool are_relocated(const struct elf_headers *h)
{
    struct elf_section section;

    return h->type == ET_DYN && elf_section_find(h, ".rela.dyn", &section) &&
           !elf_section_find(h, ".relr.dyn", &section);
}

/* There is one at most for each word of the file, but if sections share bytes. */
void elf_pointers_read(struct elf_pointers *pointers, const struct elf_headers *h,
                       const struct elf_starts *gaps)
{
    struct start_reader r = {.headers = h, .pointers = pointers, .gaps = gaps};
    struct elf_section section;

    r.max_pointers = file_size(h->file) / sizeof(uint64_t);
    for (uint64_t i = 0; elf_section_read(h, i, &section); i++) {
        if ((section.flags & SHF_WRITE) != 0 && section.type == SHT_PROGBITS)
            add_words(&r, section.address, section.size, NULL);
    }
    read_relocations(&r, ".rela.dyn");
    if (!are_relocated(h)) {
        for (size_t i = 0; i < r.n_words; i++)
            read_words(&r, &r.words[i]);
    }
    sort_pointers(pointers);
}
