/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_code.h. */
#include "unwind_code.h"

#include "unwind_cursor.h"

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

/* bl; blr, and its forms that authenticate the pointer. */
static bool is_aarch64_call(uint32_t code)
{
    return code >> 26 == 0x25 || (code & 0xfefff000u) == 0xd63f0000u;
}

/* jal and jalr that set ra; in the upper half, c.jalr. */
static bool is_riscv64_call(uint32_t code)
{
    uint32_t half = code >> 16;

    return (code & 0xfff) == 0xef || (code & 0x7fff) == 0xe7 ||
           ((half & 0xf07f) == 0x9002 && (half & 0xf80) != 0);
}

static bool is_link_call(const struct unwind_start *start,
                         const struct unwind_module *module, uint32_t machine,
                         uint64_t pc)
{
    unsigned char bytes[4];
    uint32_t code;

    if (!read_code(start, module, pc - sizeof(bytes), bytes, sizeof(bytes)))
        return false;
    code = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
    return machine == UNWIND_AARCH64 ? is_aarch64_call(code) : is_riscv64_call(code);
}

bool code_is_after_call(const struct unwind_start *start,
                        const struct unwind_module *module, uint32_t machine, uint64_t pc)
{
    unsigned char bytes[CALL_MAX];

    if (machine != UNWIND_X86_64)
        return is_link_call(start, module, machine, pc);
    return read_code(start, module, pc - CALL_MAX, bytes, CALL_MAX) &&
           is_x86_64_call(bytes);
}

/* ---- Returns ----------------------------------------------------------------------- */

enum { RETURN_MAX = 32, WORD = 8, POP_RSP = 4, POP_RBP = 5 };

/* add $n, %rsp. */
static bool take_add(struct unwind_cursor *c, struct unwind_return *code)
{
    uint8_t how = cursor_byte(c);
    uint8_t to = cursor_byte(c);
    int64_t bytes = -1;

    if (how == 0x83)
        bytes = cursor_signed(c, 1);
    else if (how == 0x81)
        bytes = cursor_signed(c, 4);
    code->words += (uint64_t)bytes / WORD;
    return !c->failed && to == 0xc4 && bytes >= 0 && bytes % WORD == 0;
}

static bool take_pop(unsigned number, struct unwind_return *code)
{
    if (number == POP_RSP)
        return false;
    if (number == POP_RBP) {
        code->has_fp = true;
        code->fp_word = code->words;
    }
    code->words++;
    return true;
}

/* Returns whether it is an instruction of a kind that is understood. */
static bool take_instruction(struct unwind_cursor *c, struct unwind_return *code,
                             bool *is_return)
{
    uint8_t first = cursor_byte(c);

    *is_return = first == 0xc3;
    if (*is_return || c->failed)
        return !c->failed;
    if (first == 0x48)
        return take_add(c, code);
    if (first == 0x41) {
        first = cursor_byte(c);
        code->words++;
        return !c->failed && (first & 0xf8u) == 0x58;
    }
    return (first & 0xf8u) == 0x58 && take_pop(first & 7u, code);
}

bool code_find_return(const struct unwind_start *start,
                      const struct unwind_module *module, uint32_t machine, uint64_t pc,
                      struct unwind_return *code)
{
    unsigned char bytes[RETURN_MAX];
    uint64_t left = pc < module->limit ? module->limit - pc : 0;
    struct unwind_bytes all = {bytes, left < RETURN_MAX ? left : RETURN_MAX, pc};
    struct unwind_cursor c = cursor_at(&all, 0, all.size);
    bool is_return = false;

    *code = (struct unwind_return){0, false, 0};
    if (machine != UNWIND_X86_64 || all.size == 0 ||
        !read_code(start, module, pc, bytes, (size_t)all.size))
        return false;
    while (!is_return) {
        if (!take_instruction(&c, code, &is_return))
            return false;
    }
    return true;
}

/* ---- Frame records ----------------------------------------------------------------- */

/* What sets up a record: push %rbp, then mov %rsp, %rbp, with little between. In
 * __do_global_dtors_aux, which most programs have, there is more between: that is taken
 * for a set-up only in this function, which is small. */
enum {
    PUSH_RBP = 0x55,
    MOV_BYTES = 3,
    BETWEEN_MAX = 7,
    BETWEEN_MAX_NEAR = 8,
    NEAR = 48,
    PART_BYTES = 512,
    OVERLAP = BETWEEN_MAX_NEAR + MOV_BYTES,
    REACH = 16384
};

static bool is_push_before(const unsigned char *mov, uint64_t n_before,
                           unsigned between_max)
{
    for (uint64_t i = 1; i <= n_before && i <= between_max + 1; i++) {
        if (mov[-(ptrdiff_t)i] == PUSH_RBP)
            return true;
    }
    return false;
}

static bool has_setup(const unsigned char *bytes, uint64_t n, unsigned between_max)
{
    static const unsigned char mov[MOV_BYTES] = {0x48, 0x89, 0xe5};

    for (uint64_t i = 1; i + MOV_BYTES <= n; i++) {
        if (is_equal(bytes + i, mov, MOV_BYTES) &&
            is_push_before(bytes + i, i, between_max))
            return true;
    }
    return false;
}

static bool is_near_setup(const struct unwind_start *start,
                          const struct unwind_module *module, uint64_t pc)
{
    unsigned char bytes[NEAR];

    return read_code(start, module, pc - NEAR, bytes, NEAR) &&
           has_setup(bytes, NEAR, BETWEEN_MAX_NEAR);
}

bool code_may_keep_record(const struct unwind_start *start,
                          const struct unwind_module *module, uint32_t machine,
                          uint64_t pc)
{
    unsigned char bytes[PART_BYTES];
    uint64_t left = pc - module->start < REACH ? pc - module->start : REACH;

    if (machine != UNWIND_X86_64 || !start->read_code || is_near_setup(start, module, pc))
        return true;
    while (left > MOV_BYTES) {
        uint64_t n = left < PART_BYTES ? left : PART_BYTES;

        if (!read_code(start, module, pc - n, bytes, (size_t)n) ||
            has_setup(bytes, n, BETWEEN_MAX))
            return true;
        /* The parts overlap by less than what is looked for. */
        n -= n < left ? OVERLAP : 0;
        pc -= n;
        left -= n;
    }
    return false;
}
