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

/* A function's frame is not larger. */
enum { RISCV_FRAME_MAX = 1 << 20 };

/* The highest byte of a caller's address is that of the leaf, and it is not in the
 * page that no program has at 0. */
#define LOWEST_CODE 4096

/* The maximum number of frames that are read, even if they yield no PCs. */
enum { FRAMES_MAX = 128 };

struct gdb_walk {
    const struct gdb_client *client;
    struct gdb_view *view;
    const struct gdb_registers *registers;
    /* The frames whose records were read, and the one that the last of them leads to. */
    uint64_t frames[FRAMES_MAX];
    size_t n_frames;
    uint64_t next;
};

static bool is_code(void *context, uintptr_t pc)
{
    const struct gdb_walk *w = context;

    return pc >= LOWEST_CODE && (pc ^ w->registers->pc) >> 56 == 0;
}

static bool was_read(const struct gdb_walk *w, uint64_t frame)
{
    for (size_t i = 0; i < w->n_frames; i++) {
        if (w->frames[i] == frame)
            return true;
    }
    return false;
}

/* On riscv the register points to the byte after the record. */
static bool read_record(void *context, uintptr_t address, uintptr_t words[2])
{
    struct gdb_walk *w = context;
    uint64_t at = address;
    uint64_t word;

    if (was_read(w, address) || w->n_frames == FRAMES_MAX)
        return false;
    if (w->client->layout.machine == RSP_RISCV64)
        at -= FXT_UNWIND_RECORD_BYTES_;
    for (int i = 0; i < 2; i++) {
        if (!gdb_view_word(w->view, at + 8 * (uint64_t)i, &word))
            return false;
        words[i] = (uintptr_t)word;
    }
    w->frames[w->n_frames++] = address;
    w->next = words[0];
    return true;
}

/* A leaf function of riscv stores its caller's frame where others store the return
 * address, which is still in a register. */
static void leave_riscv_leaf(struct gdb_walk *w, struct fxt_unwind *from)
{
    uint64_t word;

    if (from->frame < 8 || !gdb_view_word(w->view, from->frame - 8, &word) ||
        word <= from->frame || word - from->frame > RISCV_FRAME_MAX || word % 8 != 0)
        return;
    from->frame = (uintptr_t)word;
    from->link = (uintptr_t)w->registers->link;
}

/* A frame below the one before is on another stack, such as the interrupted one; the
 * bounds of a machine's stacks are not known. No frame is visited twice. */
static uint64_t walk_stacks(struct gdb_walk *w, struct fxt_unwind *from, uint64_t *pcs,
                            uint64_t max_pcs)
{
    enum fxt_unwind_stop why;
    uint64_t n = fxt_unwind_walk_why(from, pcs, max_pcs, &why);

    while (why == FXT_UNWIND_BACKWARDS || why == FXT_UNWIND_OUTSIDE) {
        size_t n_frames = w->n_frames;

        if (n_frames == 0 || n == max_pcs)
            break;
        from->link = 0;
        from->frame = (uintptr_t)w->next;
        from->stack_low = (uintptr_t)w->next;
        n += fxt_unwind_walk_why(from, pcs + n, max_pcs - n, &why);
        if (w->n_frames == n_frames)
            break;
    }
    return n;
}

uint64_t gdb_walk(const struct gdb_client *client, struct gdb_view *view,
                  const struct gdb_registers *registers, uint64_t *pcs, uint64_t max_pcs)
{
    struct gdb_walk walk = {.client = client, .view = view, .registers = registers};
    struct fxt_unwind from = {
        .frame = (uintptr_t)registers->frame,
        .stack_low = (uintptr_t)registers->stack,
        .stack_high = UINTPTR_MAX,
        .is_code = is_code,
        .read = read_record,
        .context = &walk,
    };

    if (client->layout.machine == RSP_AARCH64) {
        from.signature_bits = GDB_AARCH64_SIGNATURE;
        from.link = (uintptr_t)registers->link;
    }
    if (client->layout.machine == RSP_RISCV64)
        leave_riscv_leaf(&walk, &from);
    pcs[0] = registers->pc;
    return 1 + walk_stacks(&walk, &from, pcs + 1, max_pcs - 1);
}
