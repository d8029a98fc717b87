/* SPDX-License-Identifier: BSD-2-Clause */
/* See blob_parse.h. */
#include "blob_parse.h"

/* ---- Machines ---------------------------------------------------------------------- */

enum {
    X86_64_BYTES = 160,
    AARCH64_BYTES = 280,
    RISCV64_BYTES = 256,
    WORD = 8,
    /* The bit of aarch64's cpsr for 32-bit code. */
    CPSR_32_BIT = 0x10
};

/* Which words of a block are registers: each word's DWARF number, or one of these. */
enum { NONE = 0xff, PC = 0xfe };

/* zx_thread_state_general_regs_t: rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15,
 * rip. */
static const uint8_t x86_64_general[] = {0, 3,  2,  1,  4,  5,  6,  7, 8,
                                         9, 10, 11, 12, 13, 14, 15, PC};

/* zx_restricted_state_t: rdi, rsi, rbp, rbx, rdx, rcx, rax, rsp, r8 to r15, ip. */
static const uint8_t x86_64_restricted[] = {5, 4,  6,  3,  1,  2,  0,  7, 8,
                                            9, 10, 11, 12, 13, 14, 15, PC};

/* Both: x0 to x30, sp, pc. */
static const uint8_t aarch64[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                  22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC};

/* Both: pc, and x1 to x31. */
static const uint8_t riscv64[] = {PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                  22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

struct blob_layout {
    enum unwind_machine machine;
    /* Of either block. */
    uint32_t bytes;
    uint32_t n_words;
    const uint8_t *general;
    const uint8_t *restricted;
};

static const struct blob_layout layouts[] = {
    {UNWIND_X86_64, X86_64_BYTES, sizeof(x86_64_general), x86_64_general,
     x86_64_restricted},
    {UNWIND_AARCH64, AARCH64_BYTES, sizeof(aarch64), aarch64, aarch64},
    {UNWIND_RISCV64, RISCV64_BYTES, sizeof(riscv64), riscv64, riscv64},
};

static const struct blob_layout *find_layout(uint64_t bytes)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        if (layouts[i].bytes == bytes)
            return &layouts[i];
    }
    return NULL;
}

/* ---- Registers --------------------------------------------------------------------- */

/* All of these machines are little-endian. */
static uint64_t load_word(const unsigned char *from)
{
    uint64_t word = 0;

    for (int i = WORD - 1; i >= 0; i--)
        word = word << 8 | from[i];
    return word;
}

static struct unwind_registers load_registers(const uint8_t *words, uint32_t n,
                                              const unsigned char *from)
{
    struct unwind_registers registers = {.known = 0};

    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = load_word(from + (size_t)i * WORD);

        if (words[i] == PC) {
            registers.pc = value;
        } else {
            registers.r[words[i]] = value;
            registers.known |= UNWIND_KNOWS(words[i]);
        }
    }
    return registers;
}

/* ---- Restricted mode --------------------------------------------------------------- */

/* After the pc, aarch64's restricted state has tpidr_el0 and cpsr. */
static bool is_32_bit(const struct blob_layout *layout, const unsigned char *state)
{
    return layout->machine == UNWIND_AARCH64 &&
           (load_word(state + (size_t)(layout->n_words + 1) * WORD) & CPSR_32_BIT) != 0;
}

/* A chunk of the size of such a state that is not the start of the stack. If another one
 * follows, that is the stack which the state says. */
static bool is_state(const struct blob *blob, const struct blob_layout *layout,
                     const struct unwind_registers *state, uint32_t i)
{
    uint8_t sp = unwind_numbers_of(layout->machine).sp;

    if (blob->chunks[i].address == blob->parts[0].registers.r[sp])
        return false;
    return i + 1 == blob->n_chunks || blob->chunks[i + 1].address == state->r[sp];
}

static void find_restricted(struct blob *blob, const struct blob_layout *layout)
{
    for (uint32_t i = 0; i < blob->n_chunks; i++) {
        const unsigned char *state = (const unsigned char *)blob->chunks[i].bytes;
        struct unwind_registers registers;

        if (blob->chunks[i].size != layout->bytes)
            continue;
        registers = load_registers(layout->restricted, layout->n_words, state);
        if (!is_state(blob, layout, &registers, i))
            continue;
        blob->parts[blob->n_parts++] =
            (struct blob_part){registers, is_32_bit(layout, state)};
        return;
    }
}

/* ---- Memory ------------------------------------------------------------------------ */

/* What is not there, and what would be at addresses above all others, is left out. */
static uint64_t limit_size(uint64_t size, uint64_t address, uint64_t n_left)
{
    if (size > n_left)
        size = n_left;
    return size > UINT64_MAX - address ? UINT64_MAX - address : size;
}

static void find_chunks(struct blob *blob, const unsigned char *at, uint64_t n_left)
{
    while (n_left >= 2 * WORD) {
        uint64_t address = load_word(at);
        uint64_t stated = load_word(at + WORD);
        uint64_t size = limit_size(stated, address, n_left - 2 * WORD);

        if (size > 0 && blob->n_chunks == BLOB_CHUNKS_MAX)
            break;
        if (size > 0)
            blob->chunks[blob->n_chunks++] =
                (struct unwind_chunk){.address = address,
                                      .size = size,
                                      .bytes = at + 2 * WORD,
                                      .is_cut = stated >= BLOB_COPY_BYTES};
        blob->is_short |= size < stated;
        at += 2 * WORD + size;
        n_left -= 2 * WORD + size;
        if (size < stated)
            break;
    }
    blob->is_short |= n_left > 0;
}

enum blob_fault blob_parse(struct blob *blob, const unsigned char *bytes, size_t size)
{
    const struct blob_layout *layout;

    *blob = (struct blob){.n_parts = 1};
    if (size < WORD)
        return BLOB_NO_REGISTERS;
    layout = find_layout(load_word(bytes));
    if (layout == NULL)
        return BLOB_UNKNOWN_MACHINE;
    if (size - WORD < layout->bytes)
        return BLOB_NO_REGISTERS;
    blob->machine = layout->machine;
    blob->parts[0].registers =
        load_registers(layout->general, layout->n_words, bytes + WORD);
    find_chunks(blob, bytes + WORD + layout->bytes, size - WORD - layout->bytes);
    find_restricted(blob, layout);
    return BLOB_GOOD;
}
