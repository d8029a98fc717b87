/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_stack.h. */
#include "gdb_stack.h"

#include <stddef.h>

/* The frame records are those of the target's machine and not of this one, so that all
 * are read in one form, and read_record knows where each machine has them. */
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0

#include <fxt/unwind.h>

/* The bits of an arm64 address that may be a signature's: bit 55 and the 48 lowest are
 * not. */
#define AARCH64_SIGNATURE ((uintptr_t)0xff7f000000000000)

/* A function's frame is not larger. */
enum { RISCV_FRAME_MAX = 1 << 20 };

/* A caller's address is in the same half of all addresses as the leaf, and not in the
 * page that no program has at 0. */
#define LOWEST_CODE 4096

struct walk {
    struct gdb_client *client;
    uint64_t leaf;
    enum rsp_code code;
};

static bool is_code(void *context, uintptr_t pc)
{
    const struct walk *w = context;

    return pc >= LOWEST_CODE && (pc ^ w->leaf) >> 63 == 0;
}

/* On riscv the register leads to the byte behind the record. */
static bool read_record(void *context, uintptr_t address, uintptr_t words[2])
{
    struct walk *w = context;
    uint64_t at = address;
    uint64_t word;

    if (w->client->layout.machine == RSP_RISCV64)
        at -= FXT_UNWIND_RECORD_BYTES_;
    for (int i = 0; i < 2; i++) {
        if (w->code != RSP_OK ||
            !gdb_read_word(w->client, at + 8 * (uint64_t)i, &word, &w->code))
            return false;
        words[i] = (uintptr_t)word;
    }
    return true;
}

/* A function of riscv that calls nothing keeps its caller's frame where others keep the
 * return address, which is in a register still. */
static void leave_riscv_leaf(struct walk *w, const struct gdb_registers *registers,
                             struct fxt_unwind *from)
{
    uint64_t word;

    if (from->frame < 8 || !gdb_read_word(w->client, from->frame - 8, &word, &w->code) ||
        word <= from->frame || word - from->frame > RISCV_FRAME_MAX || word % 8 != 0)
        return;
    from->frame = (uintptr_t)word;
    from->link = (uintptr_t)registers->link;
}

uint64_t gdb_walk(struct gdb_client *client, const struct gdb_registers *registers,
                  uint64_t *pcs, uint64_t max_pcs, enum rsp_code *code)
{
    struct walk walk = {client, registers->pc, RSP_OK};
    struct fxt_unwind from = {
        .pc = (uintptr_t)registers->pc,
        .frame = (uintptr_t)registers->frame,
        .stack_low = (uintptr_t)registers->stack,
        .stack_high = UINTPTR_MAX,
        .is_code = is_code,
        .read = read_record,
        .context = &walk,
    };
    uint64_t n;

    if (client->layout.machine == RSP_AARCH64)
        from.signature_bits = AARCH64_SIGNATURE;
    if (client->layout.machine == RSP_RISCV64)
        leave_riscv_leaf(&walk, registers, &from);
    n = fxt_unwind_walk(&from, pcs, max_pcs);
    *code = walk.code;
    /* There is a CPU that runs at address 0 when it has just been reset. */
    if (n == 0) {
        pcs[0] = registers->pc;
        n = 1;
    }
    return n;
}
