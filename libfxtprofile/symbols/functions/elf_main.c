/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_starts.h: where main is, by the code at a program's entry point, which passes
 * it to the C library. */
#include "elf_starts.h"

#include <elf.h>
#include <string.h>

#include "common/base/binary.h"

/* ---- Code -------------------------------------------------------------------------- */

/* As much as the longest _start. */
enum { ENTRY_CODE = 64 };

/* What is past the end of it counts as 0. */
struct entry_code {
    uint64_t address;
    unsigned char bytes[ENTRY_CODE + 8];
};

static struct entry_code load_code(const struct elf_headers *h, uint64_t address)
{
    struct entry_code code = {address, {0}};
    struct elf_segment segment;
    uint64_t at;
    uint64_t left;

    if (!elf_segment_at(h, address, &segment))
        return code;
    at = address - segment.vaddr;
    left = segment.file_size - at;
    file_read(h->file, segment.offset + at, code.bytes,
              left < ENTRY_CODE ? (size_t)left : ENTRY_CODE);
    return code;
}

static uint32_t word_at(const struct entry_code *code, size_t at)
{
    const unsigned char *bytes = code->bytes + at;

    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* ---- x86-64 ------------------------------------------------------------------------ */

/* In RDI: by an address relative to the instruction, or in programs at fixed addresses as
 * it is. */
static struct elf_main find_x86_64(const struct entry_code *code)
{
    static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    /* xor %ebp, %ebp; mov %rdx, %r9; pop %rsi; mov %rsp, %rdx; and $-16, %rsp */
    static const unsigned char begin[] = {0x31, 0xed, 0x49, 0x89, 0xd1, 0x5e, 0x48,
                                          0x89, 0xe2, 0x48, 0x83, 0xe4, 0xf0};
    size_t i = memcmp(code->bytes, endbr, sizeof(endbr)) == 0 ? sizeof(endbr) : 0;

    if (memcmp(code->bytes + i, begin, sizeof(begin)) != 0)
        return (struct elf_main){0, false};
    for (i += sizeof(begin); i + 7 <= ENTRY_CODE; i++) {
        uint32_t opcode = word_at(code, i) & 0xffffff;
        uint64_t value = extend_sign(word_at(code, i + 3), 32);

        if (opcode == 0x3d8d48) /* lea VALUE(%rip), %rdi */
            return (struct elf_main){code->address + i + 7 + value, false};
        if (opcode == 0xc7c748) /* mov $VALUE, %rdi */
            return (struct elf_main){value, false};
    }
    return (struct elf_main){0, false};
}

/* ---- AArch64 ----------------------------------------------------------------------- */

/* A jump to main, in programs that are not position-independent: nop or bti c; b main. */
static uint64_t follow_aarch64(const struct elf_headers *h, uint64_t address)
{
    struct entry_code code = load_code(h, address);
    uint32_t first = word_at(&code, 0);
    uint32_t jump = word_at(&code, 4);

    if ((first != 0xd503201f && first != 0xd503245f) || (jump & 0xfc000000) != 0x14000000)
        return address;
    return address + 4 + 4 * extend_sign(jump & 0x3ffffff, 26);
}

/* In X0: adrp x0, PAGE, and then add x0, x0, OFFSET or ldr x0, [x0, OFFSET]. */
static struct elf_main find_aarch64(const struct elf_headers *h,
                                    const struct entry_code *code)
{
    for (size_t i = 0; i + 8 <= ENTRY_CODE; i += 4) {
        uint64_t page = word_at(code, i);
        uint32_t next = word_at(code, i + 4);
        uint64_t number = (page >> 29 & 3) | (page >> 5 & 0x7ffff) << 2;
        uint64_t address =
            ((code->address + i) & ~UINT64_C(0xfff)) + extend_sign(number, 21) * 0x1000;

        if ((page & 0x9f00001f) != 0x90000000)
            continue;
        if ((next & 0xffc003ff) == 0x91000000)
            return (struct elf_main){follow_aarch64(h, address + (next >> 10 & 0xfff)),
                                     false};
        if ((next & 0xffc003ff) == 0xf9400000)
            return (struct elf_main){address + (next >> 10 & 0xfff) * 8, true};
    }
    return (struct elf_main){0, false};
}

/* ---- RISC-V ------------------------------------------------------------------------ */

/* In a0: auipc a0, PAGE, and then addi a0, a0, OFFSET or ld a0, OFFSET(a0). */
static struct elf_main find_riscv(const struct entry_code *code)
{
    for (size_t i = 0; i + 8 <= ENTRY_CODE; i += 2) {
        uint32_t page = word_at(code, i);
        uint32_t next = word_at(code, i + 4);
        uint64_t address = code->address + i + extend_sign(page & 0xfffff000, 32) +
                           extend_sign(next >> 20, 12);

        if ((page & 0xfff) != 0x517)
            continue;
        if ((next & 0xfffff) == 0x50513)
            return (struct elf_main){address, false};
        if ((next & 0xfffff) == 0x53503)
            return (struct elf_main){address, true};
    }
    return (struct elf_main){0, false};
}

/* ---- The whole --------------------------------------------------------------------- */

struct elf_main elf_main_find(const struct elf_headers *h)
{
    struct entry_code code = load_code(h, elf_entry_point(h));

    switch (h->machine) {
    case EM_X86_64:
        return find_x86_64(&code);
    case EM_AARCH64:
        return find_aarch64(h, &code);
    case EM_RISCV:
        return find_riscv(&code);
    default:
        return (struct elf_main){0, false};
    }
}
