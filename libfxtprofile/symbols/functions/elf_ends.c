/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_ends.h. */
#include "elf_ends.h"

#include <elf.h>
#include <string.h>

/* How much of a function is read, and its longest instruction. */
enum { CODE_MAX = 256, INSTRUCTION_MAX = 5 };

/* ---- Instructions ------------------------------------------------------------------ */

static uint32_t load(const unsigned char *bytes, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

/* RET, JMP and UD2, at any byte, as where instructions begin is not known: what looks
 * like one and is none makes the function shorter, never too long. */
static size_t size_of_x86_64(const unsigned char *bytes, bool *is_last)
{
    bool is_indirect = bytes[0] == 0xff && (bytes[1] >> 3 & 7) == 4;
    bool is_ud2 = bytes[0] == 0x0f && bytes[1] == 0x0b;

    *is_last = true;
    if (bytes[0] == 0xe9)
        return 5;
    if (bytes[0] == 0xeb || is_indirect || is_ud2)
        return 2;
    *is_last = bytes[0] == 0xc3;
    return 1;
}

/* B, BR and RET, also with authentication, and BRK. */
static size_t size_of_aarch64(const unsigned char *bytes, bool *is_last)
{
    uint32_t word = load(bytes, 4);
    bool is_by_register = (word & 0xfe000000) == 0xd6000000;
    bool is_call = (word >> 21 & 7) == 1;

    *is_last = (word & 0xfc000000) == 0x14000000 || (is_by_register && !is_call) ||
               (word & 0xffe0001f) == 0xd4200000;
    return 4;
}

/* JAL and JALR that keep no return address, C.J, C.JR and C.EBREAK. */
static size_t size_of_riscv(const unsigned char *bytes, bool *is_last)
{
    uint32_t word = load(bytes, 4);
    bool is_jump = (word & 0xfff) == 0x06f || (word & 0xfff) == 0x067;
    bool is_short_jump = (word & 0xe003) == 0xa001 || (word & 0xf07f) == 0x8002;

    if ((word & 3) == 3) {
        *is_last = is_jump;
        return 4;
    }
    *is_last = is_short_jump || (word & 0xffff) == 0x9002;
    return 2;
}

/* ---- Functions --------------------------------------------------------------------- */

/* The size of the instruction there, and whether it is the last; 0 for machines that are
 * not known. */
static size_t size_of(uint16_t machine, const unsigned char *bytes, bool *is_last)
{
    switch (machine) {
    case EM_X86_64:
        return size_of_x86_64(bytes, is_last);
    case EM_AARCH64:
        return size_of_aarch64(bytes, is_last);
    case EM_RISCV:
        return size_of_riscv(bytes, is_last);
    default:
        return 0;
    }
}

/* The size of what is surely of the function that begins at `at` in a segment. */
static uint64_t sure_size(const struct elf_headers *headers, const struct elf_code *code,
                          uint64_t at)
{
    unsigned char bytes[CODE_MAX + INSTRUCTION_MAX] = {0};
    uint64_t left = code->limit - code->vaddr - at;
    size_t n = left < CODE_MAX ? (size_t)left : CODE_MAX;
    size_t size = 1;
    bool is_last = false;
    size_t i = 0;

    if (!file_read(headers->file, code->offset + at, bytes, n))
        return 0;
    while (i < n && size > 0 && !is_last) {
        size = size_of(headers->machine, bytes + i, &is_last);
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
