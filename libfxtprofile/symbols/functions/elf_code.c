/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_code.h. */
#include "elf_code.h"

#include <elf.h>
#include <string.h>

/* ---- Instructions ------------------------------------------------------------------ */

bool elf_code_is_known(const struct elf_headers *headers)
{
    return headers->is_64 && !headers->swapped &&
           (headers->machine == EM_X86_64 || headers->machine == EM_AARCH64 ||
            headers->machine == EM_RISCV);
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
    uint32_t word = elf_code_load(bytes, 4);
    bool is_by_register = (word & 0xfe000000) == 0xd6000000;
    bool is_call = (word >> 21 & 7) == 1;

    *is_last = (word & 0xfc000000) == 0x14000000 || (is_by_register && !is_call) ||
               (word & 0xffe0001f) == 0xd4200000;
    return 4;
}

/* JAL and JALR that keep no return address, C.J, C.JR and C.EBREAK. */
static size_t size_of_riscv(const unsigned char *bytes, bool *is_last)
{
    uint32_t word = elf_code_load(bytes, 4);
    bool is_jump = (word & 0xfff) == 0x06f || (word & 0xfff) == 0x067;
    bool is_short_jump = (word & 0xe003) == 0xa001 || (word & 0xf07f) == 0x8002;

    if ((word & 3) == 3) {
        *is_last = is_jump;
        return 4;
    }
    *is_last = is_short_jump || (word & 0xffff) == 0x9002;
    return 2;
}

size_t elf_code_size(uint16_t machine, const unsigned char *bytes, bool *is_last)
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

/* ---- Padding ----------------------------------------------------------------------- */

/* INT3, and NOP of all sizes: with prefixes, and with an address. */
static size_t padding_of_x86_64(const unsigned char *bytes)
{
    static const unsigned char address_sizes[] = {0, 1, 4, 0};
    size_t n = 0;

    if (bytes[0] == 0xcc)
        return 1;
    while (n < ELF_PADDING_MAX - 4 && (bytes[n] == 0x66 || bytes[n] == 0x2e))
        n++;
    if (bytes[n] == 0x90)
        return n + 1;
    if (bytes[n] != 0x0f || bytes[n + 1] != 0x1f)
        return 0;
    return n + 3 + ((bytes[n + 2] & 7) == 4) + address_sizes[bytes[n + 2] >> 6];
}

size_t elf_code_padding(uint16_t machine, const unsigned char *bytes)
{
    uint32_t word = elf_code_load(bytes, 4);

    switch (machine) {
    case EM_X86_64:
        return padding_of_x86_64(bytes);
    case EM_AARCH64:
        return word == 0 || word == 0xd503201f ? 4 : 0;
    case EM_RISCV:
        if ((word & 0xffff) == 0 || (word & 0xffff) == 1)
            return 2;
        return word == 0x13 ? 4 : 0;
    default:
        return 0;
    }
}

/* ---- Pieces ------------------------------------------------------------------------ */

struct elf_code elf_code_in_file(const struct elf_headers *headers, struct elf_code code)
{
    uint64_t size = file_size(headers->file);
    uint64_t left = code.offset < size ? size - code.offset : 0;

    if (code.limit - code.vaddr > left)
        code.limit = code.vaddr + left;
    return code;
}

void elf_code_read(const struct elf_headers *headers, const struct elf_code *code,
                   void (*take)(void *context, const struct elf_code_piece *piece),
                   void *context)
{
    enum { PIECE = 1 << 14 };
    unsigned char bytes[PIECE + ELF_INSTRUCTION_MAX];

    for (uint64_t at = 0; at < code->limit - code->vaddr; at += PIECE) {
        uint64_t left = code->limit - code->vaddr - at;
        size_t n = left < PIECE ? (size_t)left : PIECE;
        size_t more =
            left - n < ELF_INSTRUCTION_MAX ? (size_t)(left - n) : ELF_INSTRUCTION_MAX;

        if (!file_read(headers->file, code->offset + at, bytes, n + more))
            return;
        memset(bytes + n + more, 0, ELF_INSTRUCTION_MAX - more);
        take(context, &(struct elf_code_piece){bytes, n, code->vaddr + at});
    }
}
