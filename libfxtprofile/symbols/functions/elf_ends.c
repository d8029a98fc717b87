/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_starts.h: how far code reaches that is surely of one function: up to its first
 * instruction after which execution goes on elsewhere. Without a table the code after
 * that could be of another function that nothing names, such as one in assembly. */
#include "elf_starts.h"

#include "elf_code.h"

/* How much of a function is read. */
enum { CODE_MAX = 256 };

/* The size of what is surely of the function that begins at `at` in a segment. */
static uint64_t sure_size(const struct elf_headers *headers, const struct elf_code *code,
                          uint64_t at)
{
    unsigned char bytes[CODE_MAX + ELF_INSTRUCTION_MAX] = {0};
    uint64_t left = code->limit - code->vaddr - at;
    size_t n = left < CODE_MAX ? (size_t)left : CODE_MAX;
    size_t size = 1;
    bool is_last = false;
    size_t i = 0;

    if (!file_read(headers->file, code->offset + at, bytes, n))
        return 0;
    while (i < n && size > 0 && !is_last) {
        size = elf_code_size(headers->machine, bytes + i, &is_last);
        i += size;
    }
    return i < n ? i : n;
}

uint64_t elf_end_find(const struct elf_start *start, const struct elf_headers *headers,
                      const struct elf_image *image)
{
    const struct elf_code *code = elf_image_find_code(image, start->start);

    if (code == NULL)
        return start->start;
    if (start->limit == 0)
        return start->start + sure_size(headers, code, start->start - code->vaddr);
    return start->limit < code->limit ? start->limit : code->limit;
}
