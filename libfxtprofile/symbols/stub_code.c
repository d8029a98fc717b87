/* SPDX-License-Identifier: BSD-2-Clause */
/* See stub_code.h. */
#include "stub_code.h"

#include <elf.h>

#include "common/base/binary.h"

/* Up to eight bytes, little-endian, as instructions are on all of these machines; what is
 * past the end counts as 0. */
static uint64_t load_bytes(const struct stub_code *c, uint64_t at, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size && at < c->size && i < c->size - at; i++)
        value |= (uint64_t)c->bytes[at + i] << 8 * i;
    return value;
}

static uint32_t load_instruction(const struct stub_code *c, uint64_t at)
{
    return (uint32_t)load_bytes(c, at, 4);
}

/* ---- x86 --------------------------------------------------------------------------- */

#define ENDBR64 0xfa1e0ff3u
#define ENDBR32 0xfb1e0ff3u

enum {
    BND = 0xf2,
    PUSH = 0x68,
    /* jmp *(disp32): of the instruction pointer in 64-bit code, absolute in 32-bit. */
    JUMP = 0x25ff,
    /* jmp *disp32(%ebx), where the GOT is. */
    JUMP_BY_EBX = 0xa3ff,
};

/* A stub for lazy binding pushes a number; with ENDBR64, and with BND, that part is a
 * separate stub. */
static bool decode_x86(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    uint32_t first = load_instruction(c, at);
    bool has_endbr = first == ENDBR64 || first == ENDBR32;
    uint64_t jump = has_endbr ? at + 4 : at;
    uint64_t displacement;
    uint64_t opcode;

    *stub = (struct stub){.size = 16, .least_size = has_endbr ? 16 : 8};
    if (load_bytes(c, jump, 1) == PUSH) {
        stub->is_numbered = true;
        stub->number = load_instruction(c, jump + 1) /
                       (c->machine == EM_386 ? sizeof(Elf32_Rel) : 1);
        stub->least_size = 16;
        return jump + 5 <= c->size;
    }
    if (load_bytes(c, jump, 1) == BND)
        jump++;
    opcode = load_bytes(c, jump, 2);
    displacement = extend_sign(load_bytes(c, jump + 2, 4), 32);
    if (load_bytes(c, jump + 6, 1) == PUSH)
        stub->least_size = 16;
    if (opcode == JUMP)
        stub->got_word =
            c->machine == EM_X86_64 ? c->address + jump + 6 + displacement : displacement;
    else if (opcode == JUMP_BY_EBX && c->machine == EM_386)
        stub->got_word = c->got + displacement;
    else
        return false;
    if (!c->is_64)
        stub->got_word &= UINT32_MAX;
    return jump + 6 <= c->size;
}

/* ---- AArch64 ----------------------------------------------------------------------- */

/* bti c, optionally; adrp x16, PAGE; ldr x17, [x16, OFFSET]; then instructions that do
 * not matter. */
static bool decode_aarch64(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    uint64_t adrp = load_instruction(c, at) == 0xd503245f ? at + 4 : at;
    uint64_t page = load_instruction(c, adrp);
    uint64_t offset = load_instruction(c, adrp + 4);
    uint64_t n_pages = extend_sign((page >> 29 & 3) | (page >> 5 & 0x7ffff) << 2, 21);
    uint64_t scale = c->is_64 ? 8 : 4;

    if ((page & 0x9f00001f) != 0x90000010 ||
        (offset & 0xffc003ff) != (c->is_64 ? 0xf9400211 : 0xb9400211))
        return false;
    *stub = (struct stub){
        .size = adrp - at + 20,
        .least_size = adrp - at + 16,
        .got_word = ((c->address + adrp) & ~UINT64_C(0xfff)) + n_pages * 0x1000 +
                    (offset >> 10 & 0xfff) * scale,
    };
    return true;
}

/* ---- RISC-V ------------------------------------------------------------------------ */

/* auipc t3, PAGE; ld t3, OFFSET(t3); jalr t1, t3; nop. */
static bool decode_riscv(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    uint32_t page = load_instruction(c, at);
    uint32_t offset = load_instruction(c, at + 4);

    if ((page & 0xfff) != 0xe17 || (offset & 0xfffff) != (c->is_64 ? 0xe3e03 : 0xe2e03))
        return false;
    *stub = (struct stub){
        .size = 16,
        .least_size = 16,
        .got_word = c->address + at + extend_sign(page & 0xfffff000, 32) +
                    extend_sign(offset >> 20, 12),
    };
    if (!c->is_64)
        stub->got_word &= UINT32_MAX;
    return true;
}

/* ---- ARM --------------------------------------------------------------------------- */

/* A byte, rotated right by twice the number before it. */
static uint32_t rotated_immediate(uint32_t instruction)
{
    uint32_t byte = instruction & 0xff;
    unsigned by = 2 * (instruction >> 8 & 0xf);

    return by == 0 ? byte : byte >> by | byte << (32 - by);
}

/* add ip, pc, N; add ip, ip, N; ldr pc, [ip, N]!: one or two additions. */
static bool decode_arm_sum(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    uint32_t sum =
        (uint32_t)(c->address + at) + 8 + rotated_immediate(load_instruction(c, at));
    uint64_t next = at + 4;

    if ((load_instruction(c, at) & 0xfffff000) != 0xe28fc000)
        return false;
    for (; (load_instruction(c, next) & 0xfffff000) == 0xe28cc000 && next < at + 12;
         next += 4)
        sum += rotated_immediate(load_instruction(c, next));
    if ((load_instruction(c, next) & 0xfffff000) != 0xe5bcf000)
        return false;
    stub->got_word = (uint32_t)(sum + (load_instruction(c, next) & 0xfff));
    stub->least_size = next + 4 - at;
    stub->size = 16;
    return true;
}

/* ldr ip, WORD; add ip, ip, pc; ldr pc, [ip]; WORD. */
static bool decode_arm_word(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    if (load_instruction(c, at) != 0xe59fc004 ||
        load_instruction(c, at + 4) != 0xe08cc00f ||
        load_instruction(c, at + 8) != 0xe59cf000)
        return false;
    stub->got_word = (uint32_t)(c->address + at + 12 + load_instruction(c, at + 12));
    stub->least_size = 16;
    stub->size = 16;
    return true;
}

/* Callers in Thumb code enter by two more instructions: bx pc; nop, or a jump to itself.
 */
static bool decode_arm(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    uint32_t first = load_instruction(c, at);
    uint64_t extra = first == 0x46c04778 || first == 0xe7fd4778 ? 4 : 0;

    *stub = (struct stub){.size = 0};
    if (!decode_arm_sum(c, at + extra, stub) && !decode_arm_word(c, at + extra, stub))
        return false;
    stub->least_size += extra;
    stub->size += extra;
    return true;
}

/* ---- The whole --------------------------------------------------------------------- */

static bool is_big(const struct elf_headers *h)
{
    const union {
        uint16_t half;
        unsigned char first;
    } here = {.half = 1};

    return (here.first == 0) != h->swapped;
}

bool stub_code_init(struct stub_code *c, const struct elf_headers *h,
                    const unsigned char *bytes, uint64_t size, uint64_t address)
{
    bool is_x86 = h->machine == EM_X86_64 || h->machine == EM_386;
    struct elf_section got;

    *c = (struct stub_code){
        .bytes = bytes,
        .size = size,
        .address = address,
        .machine = h->machine,
        .is_64 = h->is_64,
        .step = is_x86 ? 8 : 4,
    };
    if (h->machine == EM_386 &&
        (elf_section_find(h, ".got.plt", &got) || elf_section_find(h, ".got", &got)))
        c->got = got.address;
    return is_x86 || h->machine == EM_AARCH64 || h->machine == EM_RISCV ||
           (h->machine == EM_ARM && !is_big(h));
}

bool stub_decode(const struct stub_code *c, uint64_t at, struct stub *stub)
{
    switch (c->machine) {
    case EM_X86_64:
    case EM_386:
        return decode_x86(c, at, stub);
    case EM_AARCH64:
        return decode_aarch64(c, at, stub);
    case EM_RISCV:
        return decode_riscv(c, at, stub);
    default:
        return decode_arm(c, at, stub);
    }
}
