/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_gaps.h. */
#include "elf_gaps.h"

#include <elf.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "elf_code.h"

enum { WINDOW = 4096 };

/* ---- Code -------------------------------------------------------------------------- */

static void add_code(struct elf_gap_finder *finder, struct elf_code code)
{
    code = elf_code_in_file(finder->headers, code);
    if (code.limit > code.vaddr)
        MEMORY_ADD(finder->code, finder->n, finder->capacity, code);
}

/* As far as it is in a segment. */
static void add_section(struct elf_gap_finder *finder, const struct elf_image *image,
                        const struct elf_section *section)
{
    const struct elf_code *segment = elf_image_find_code(image, section->address);
    uint64_t start = section->address;
    uint64_t size = section->size;

    if (segment == NULL)
        return;
    if (size > segment->limit - start)
        size = segment->limit - start;
    add_code(finder, (struct elf_code){start, start + size,
                                       segment->offset + (start - segment->vaddr)});
}

SORT_ORDER(order_code, struct elf_code, BY(vaddr) || BY(limit));

static void sort_code(struct elf_gap_finder *finder)
{
    size_t n = 0;

    SORT(finder->code, finder->n, order_code);
    for (size_t i = 0; i < finder->n; i++) {
        if (n == 0 || finder->code[n - 1].limit <= finder->code[i].vaddr)
            finder->code[n++] = finder->code[i];
    }
    finder->n = n;
}

void elf_gap_finder_init(struct elf_gap_finder *finder, const struct elf_headers *headers,
                         const struct elf_image *image, const uint64_t *wanted,
                         size_t n_wanted)
{
    struct elf_section section;

    *finder = (struct elf_gap_finder){headers, wanted, n_wanted, .code = NULL};
    for (uint64_t i = 0; elf_section_read(headers, i, &section); i++) {
        if ((section.flags & SHF_EXECINSTR) != 0 && section.type == SHT_PROGBITS)
            add_section(finder, image, &section);
    }
    for (size_t i = 0; headers->n_sections == 0 && i < image->n_code; i++)
        add_code(finder, image->code[i]);
    sort_code(finder);
}

void elf_gap_finder_free(struct elf_gap_finder *finder)
{
    memory_release(finder->code);
    *finder = (struct elf_gap_finder){.code = NULL};
}

/* ---- Gaps -------------------------------------------------------------------------- */

/* Code of one section, which gaps are looked at in the order of. */
struct window {
    const struct elf_gap_finder *finder;
    const struct elf_code *code;
    struct elf_starts *gaps;
    uint64_t start;
    size_t n;
    unsigned char bytes[WINDOW + ELF_PADDING_MAX];
};

/* At least ELF_PADDING_MAX bytes, of which those are 0 that the file does not have. */
static const unsigned char *look_at(struct window *window, uint64_t address)
{
    const struct elf_code *code = window->code;
    uint64_t left = code->limit - address;
    size_t n = left < WINDOW + ELF_PADDING_MAX ? (size_t)left : WINDOW + ELF_PADDING_MAX;

    if (window->n == 0 || address - window->start > WINDOW) {
        memset(window->bytes, 0, sizeof(window->bytes));
        if (!file_read(window->finder->headers->file,
                       code->offset + (address - code->vaddr), window->bytes, n))
            memset(window->bytes, 0, n);
        window->start = address;
        window->n = n;
    }
    return window->bytes + (address - window->start);
}

bool elf_is_wanted(const uint64_t *wanted, size_t n, uint64_t start, uint64_t limit)
{
    size_t after = search_below(wanted, n, sizeof(*wanted), 0, limit);

    return after > 0 && wanted[after - 1] >= start;
}

static void add_gap(struct window *window, uint64_t start, uint64_t limit)
{
    const struct elf_gap_finder *finder = window->finder;
    uint16_t machine = finder->headers->machine;
    size_t padding;

    if (!elf_is_wanted(finder->wanted, finder->n_wanted, start, limit))
        return;
    while (start < limit &&
           (padding = elf_code_padding(machine, look_at(window, start))) > 0)
        start += padding;
    if (elf_is_wanted(finder->wanted, finder->n_wanted, start, limit))
        elf_starts_add(window->gaps, (struct elf_start){start, limit, NULL});
}

void elf_gaps_find(const struct elf_gap_finder *finder,
                   const struct unwind_function_list *list, struct elf_starts *gaps)
{
    for (size_t i = 0; i < finder->n; i++) {
        struct window window = {finder, &finder->code[i], gaps, .n = 0};
        uint64_t at = window.code->vaddr;
        /* Limits ascend, too. */
        size_t f = search_up_to(list->items, list->n, sizeof(*list->items),
                                offsetof(struct unwind_listed, limit), at);

        for (; f < list->n && list->items[f].start < window.code->limit; f++) {
            add_gap(&window, at, list->items[f].start);
            at = list->items[f].limit;
        }
        if (at < window.code->limit)
            add_gap(&window, at, window.code->limit);
    }
}
