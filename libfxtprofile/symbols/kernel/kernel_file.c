/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_file.h. */
#include "kernel_file.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/kernel/kallsyms_table.h"

/* All relocations are read for an address, and only one is needed. */
enum { PAGE = 4096, RELOCATED_MAX = 16 };

/* Kernels have the upper half of addresses. */
#define KERNEL_START (UINT64_C(1) << 63)

struct kernel_file {
    const struct elf_headers *headers;
    const struct elf_image *image;
    struct kernel_memory memory;
    struct kernel_symbols list;
    size_t n_relocated;
};

/* ---- Memory ------------------------------------------------------------------------ */

/* Where the kernel's code begins; UINT64_MAX if there is none. */
static uint64_t find_code(const struct elf_image *image)
{
    uint64_t lowest = UINT64_MAX;

    for (size_t i = 0; i < image->n_code; i++) {
        uint64_t start = image->code[i].vaddr;

        if (start >= KERNEL_START && start < lowest)
            lowest = start;
    }
    return lowest;
}

/* The last page of a segment is filled with zeros. */
static bool read_file(void *context, uint64_t address, void *to, size_t size)
{
    const struct kernel_file *f = (const struct kernel_file *)context;
    struct elf_segment segment;
    uint64_t offset;
    uint64_t left;

    if (!elf_segment_at(f->headers, address, &segment))
        return false;
    offset = address - segment.vaddr;
    left = segment.file_size - offset;
    if (left < size && size > PAGE)
        return false;
    if (left < size) {
        memset(to, 0, size);
        size = (size_t)left;
    }
    return offset <= UINT64_MAX - segment.offset &&
           file_read(f->headers->file, segment.offset + offset, to, size);
}

static uint64_t find_relocated(void *context, uint64_t address)
{
    struct kernel_file *f = (struct kernel_file *)context;

    return f->n_relocated++ < RELOCATED_MAX ? elf_relocated_word(f->headers, address) : 0;
}

/* ---- Symbols ----------------------------------------------------------------------- */

/* Data, too: a function ends where they begin. */
static void take_symbol(void *context, uint64_t address, char type, const char *name,
                        size_t size)
{
    struct kernel_file *f = (struct kernel_file *)context;
    const struct kernel_symbol_line line = {
        .address = address, .type = type, .name = {name, size}, .module = {"", 0}};

    if (elf_image_find_code(f->image, address) != NULL)
        kernel_symbols_add(&f->list, &line);
}

/* Cuts what is beyond the code that a function begins in. */
static void confine(struct elf_symbols *symbols, const struct elf_image *image)
{
    for (size_t i = 0; i < symbols->ranges.n; i++) {
        struct range *range = &symbols->ranges.items[i];
        const struct elf_code *code = elf_image_find_code(image, range->start);

        if (range->limit > code->limit)
            range->limit = code->limit;
    }
}

static bool read_list(struct kernel_file *f)
{
    uint64_t code = find_code(f->image);
    struct kallsyms_table table;

    f->memory.read = read_file;
    f->memory.context = f;
    f->memory.relocated = find_relocated;
    f->memory.start = code - code % KERNEL_BLOCK_BYTES;
    return kallsyms_table_find(&f->memory, code, &table) &&
           kallsyms_table_each(&f->memory, &table, take_symbol, f) && f->list.n > 0;
}

bool kernel_file_is_one(const struct elf_headers *h, const struct elf_image *image)
{
    static const unsigned char one[] = {1, 0, 0, 0};

    return h->is_64 && elf_word_get(h, one) == 1 && find_code(image) != UINT64_MAX;
}

bool kernel_file_read(struct elf_symbols *symbols, const struct elf_headers *h,
                      const struct elf_image *image)
{
    struct kernel_file *f = (struct kernel_file *)memory_allocate(sizeof(*f));
    bool found;

    f->headers = h;
    f->image = image;
    found = read_list(f);
    if (found) {
        kernel_symbols_sort(&f->list);
        elf_symbols_free(symbols);
        kernel_ranges_make(symbols, &f->list, 0, f->list.n);
        confine(symbols, image);
        symbols->names[0] = (unsigned char *)f->list.names.data;
        f->list.names = (struct text){NULL, 0, 0};
    }
    kernel_symbols_free(&f->list);
    kernel_memory_free(&f->memory);
    memory_release(f);
    return found;
}
