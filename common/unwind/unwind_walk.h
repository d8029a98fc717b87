/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks a stack by unwind tables: registers and memory in, PCs out.
 *
 *     struct unwind_registers registers = {.pc = rip,
 *                                          .known = UNWIND_KNOWS(6) | UNWIND_KNOWS(7)};
 *     struct unwind_chunk stack = {rsp, dyn_size, bytes, dyn_size == size};
 *     struct unwind_start start = {.space = space, .registers = &registers,
 *                                  .chunks = &stack, .n_chunks = 1};
 *     struct unwind_result result;
 *
 *     registers.r[6] = rbp;
 *     registers.r[7] = rsp;
 *     n = unwind_walk(&start, pcs, 127, &result);
 *
 * A walk allocates nothing, takes no lock, and calls no function of the C library: it may
 * be used in signal handlers and inside malloc, and any number may run concurrently. The
 * memory may hold anything: words are read only inside the chunks, the stack pointer
 * moves up with each step, and each PC that is stored is in an executable mapping.
 */
#ifndef FXTUNWIND_UNWIND_WALK_H
#define FXTUNWIND_UNWIND_WALK_H

#include "unwind_space.h"

/* Memory: a copy of a stack, or the live one from the stack pointer to its end. */
struct unwind_chunk {
    uint64_t address;
    uint64_t size;
    /* Needs no alignment. */
    const void *bytes;
    /* The memory continues, but no more of it was copied. */
    bool is_cut;
};

/* Registers, by the numbers that DWARF has for them. */
struct unwind_registers {
    uint64_t pc;
    /* A bit for each register in `r` that has a value; the others are not read. The stack
     * and the frame pointer must be known (x86-64: 7, 6; aarch64: 31, 29; riscv64: 2, 8),
     * where there is one the link register should be (aarch64: 30; riscv64: 1), and rbx
     * (3) and all others if they are known: some rules of hand-written code need them.
     */
    uint32_t known;
    uint64_t r[32];
};

#define UNWIND_KNOWS(number) (UINT32_C(1) << (number))

/* The numbers of the registers that each walk needs. */
struct unwind_numbers {
    uint8_t sp;
    uint8_t fp;
    /* 32 where there is none. */
    uint8_t link;
};

struct unwind_numbers unwind_numbers_of(enum unwind_machine machine);

/*
 * Rules that a walk found before, by PC. Memory of the caller's, at first all zero. Any
 * number of threads and signal handlers may share it: an entry that one of them reads
 * while another writes it is not taken for any PC's, as its words do not match.
 */
struct unwind_cache_entry {
    /* The PC, with the bits of `value` inverted. */
    uint64_t key;
    /* The rule, and the space's generation in the upper half. */
    uint64_t value;
};

struct unwind_cache {
    struct unwind_cache_entry *entries;
    /* How many there are, a power of two, minus one. */
    uint32_t mask;
};

/* Stores `n` bytes of code at a run-time address; false if they cannot be read. */
typedef bool unwind_read_code_fn(void *context, const struct unwind_module *module,
                                 uint64_t address, unsigned char *bytes, size_t n);

/* Stores the word at an address of a stack; false if it cannot be read. */
typedef bool unwind_read_word_fn(void *context, uint64_t address, uint64_t *word);

/*
 * The words that a walk has read: a later one with the same PC and stack pointer, on
 * which these words are the same, stores the same PCs. None if there are more than `max`,
 * or if the walk depends on anything else.
 */
struct unwind_words {
    uint64_t *addresses;
    uint32_t max;
    uint32_t n;
    /* Where the frame pointer in `registers` is on the stack. */
    uint64_t fp_at;
};

/* Where to start. Set what you do not use to zero. */
struct unwind_start {
    const struct unwind_space *space;
    const struct unwind_registers *registers;
    /* If chunks overlap, the first one counts. */
    const struct unwind_chunk *chunks;
    uint32_t n_chunks;
    /* The PC is a return address, as that of a function that walks its own stack, and not
     * an interrupted instruction. */
    bool is_return;
    /* May be NULL. */
    struct unwind_cache *cache;
    /* Reads code, for PCs without rows: recognises what returns from signal handlers, and
     * whether a call leads to a return address. Called for those only. NULL: unknown. */
    unwind_read_code_fn *read_code;
    /* Reads the stack where it is in no chunk; NULL: it ends there. */
    unwind_read_word_fn *read_word;
    void *context;
    /* A bit for each PC that is stored, set if it is exact, and not a return address: the
     * leaf's, and that of a function that a signal interrupted. NULL: an exact PC that is
     * not the first is stored plus one, for readers that look all callers up at PC - 1.
     */
    uint64_t *exact;
    /* Stores the words that were read, but for those with the first registers; NULL: they
     * are not needed. */
    struct unwind_words *words;
};

/* How a stack ended. Numbers are never changed, as they are stored in archives. */
enum unwind_end {
    /* At the outermost frame: the whole stack is there. */
    UNWIND_END_OUTERMOST = 0,
    /* There was no room for more PCs. */
    UNWIND_END_DEPTH = 1,
    /* No row for the last PC, and no frame record. `module` says where. */
    UNWIND_END_NO_RULE = 2,
    /* Memory at `address` is needed and is in no chunk. */
    UNWIND_END_UNREADABLE = 3,
    /* The same, past the end of a chunk that is cut: a larger copy would have it. */
    UNWIND_END_COPY_TOO_SHORT = 4,
    /* `address`, which should be a return address, is in no executable mapping. */
    UNWIND_END_NOT_CODE = 5,
    /* The next frame would not be above the last one. */
    UNWIND_END_NO_PROGRESS = 6,
    /* The row for the last PC is of a form that is not supported, or needs a register
     * whose value is not known. */
    UNWIND_END_SPECIAL_RULE = 7,
    /* The last PC switches stacks: the caller is on another one; or a signal has switched
     * them there, and memory at `address` is in no chunk. */
    UNWIND_END_STACK_SWITCH = 8
};

struct unwind_result {
    enum unwind_end end;
    uint32_t n_pcs;
    /* The index of the module that the last PC is in; UINT32_MAX if there is none, and if
     * the end is OUTERMOST or DEPTH. */
    uint32_t module;
    /* The index of the first PC that was found by a frame record, or by a repair that
     * guesses, and not by a rule; UINT32_MAX if there is none. */
    uint32_t first_guess;
    /* UNREADABLE, COPY_TOO_SHORT, NOT_CODE: the address. */
    uint64_t address;
    /* The registers of the frame that the walk ended at: where a longer copy would have
     * to continue. */
    uint64_t sp;
    uint64_t fp;
};

/* Stores the PC and then those of its callers, leaf first, in `pcs`, which has room for
 * `max_pcs`. Returns how many were stored. */
uint32_t unwind_walk(const struct unwind_start *start, uint64_t *pcs, uint32_t max_pcs,
                     struct unwind_result *result);

#endif
