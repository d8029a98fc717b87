/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_code.h. */
#include "unwind_code.h"

static bool read_code(const struct unwind_start *start,
                      const struct unwind_module *module, uint64_t address,
                      unsigned char *bytes, size_t n)
{
    return start->read_code && address >= module->start && address < module->limit &&
           module->limit - address >= n &&
           start->read_code(start->context, module, address, bytes, n);
}

static bool is_equal(const unsigned char *a, const unsigned char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

/* ---- Signal handlers --------------------------------------------------------------- */

/* mov $15, %rax; syscall. The same with 32 bits, which compilers make of it. */
static const unsigned char x86_64_sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                                 0,    0,    0x0f, 5};
static const unsigned char x86_64_short[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 5};
/* mov x8, 139; svc 0. */
static const unsigned char aarch64_sigreturn[] = {0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4};
/* li a7, 139; ecall. */
static const unsigned char riscv64_sigreturn[] = {0x93, 8, 0xb0, 8, 0x73, 0, 0, 0};

static bool has_code(const struct unwind_start *start, const struct unwind_module *module,
                     uint64_t pc, const unsigned char *code, size_t n)
{
    unsigned char bytes[16];

    return read_code(start, module, pc, bytes, n) && is_equal(bytes, code, n);
}

bool code_is_sigreturn(const struct unwind_start *start,
                       const struct unwind_module *module, uint32_t machine, uint64_t pc)
{
    switch (machine) {
    case UNWIND_X86_64:
        return has_code(start, module, pc, x86_64_sigreturn, sizeof(x86_64_sigreturn)) ||
               has_code(start, module, pc, x86_64_short, sizeof(x86_64_short));
    case UNWIND_AARCH64:
        return has_code(start, module, pc, aarch64_sigreturn, sizeof(aarch64_sigreturn));
    default:
        return has_code(start, module, pc, riscv64_sigreturn, sizeof(riscv64_sigreturn));
    }
}

/* ---- Calls ------------------------------------------------------------------------- */

/* How long an indirect call (ff /2) is, by its second byte and the one after. */
static size_t indirect_size(unsigned char modrm, unsigned char sib)
{
    unsigned mode = modrm >> 6;
    unsigned rm = modrm & 7u;
    size_t size = 2;

    if (mode != 3 && rm == 4) {
        size++;
        rm = mode == 0 && (sib & 7u) == 5 ? 5 : rm;
    }
    if (mode == 1)
        size += 1;
    else if (mode == 2 || (mode == 0 && rm == 5))
        size += 4;
    return size;
}

enum { CALL_MAX = 7 };

/* `bytes` end where the call does. */
static bool is_x86_64_call(const unsigned char bytes[CALL_MAX])
{
    if (bytes[CALL_MAX - 5] == 0xe8)
        return true;
    for (unsigned n = 2; n <= CALL_MAX; n++) {
        const unsigned char *at = bytes + CALL_MAX - n;

        if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
            indirect_size(at[1], n > 2 ? at[2] : 0) == n)
            return true;
    }
    return false;
}

bool code_is_after_call(const struct unwind_start *start,
                        const struct unwind_module *module, uint32_t machine, uint64_t pc)
{
    unsigned char bytes[CALL_MAX];

    return machine == UNWIND_X86_64 &&
           read_code(start, module, pc - CALL_MAX, bytes, CALL_MAX) &&
           is_x86_64_call(bytes);
}
