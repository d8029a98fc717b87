/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See walk.h.
 *
 * This library has frame pointers, whatever the program has: so the registers that the
 * program's function will have again are found in the frame record of the function that
 * it called.
 */
#include "walk.h"

#include <fxt/compiler.h>
#include <fxt/format.h>
#include <fxt/unwind.h>

#include "common/unwind/in_process/own_stack.h"

enum { RECORD_BYTES = 2 * sizeof(uintptr_t) };

static void load_record(uintptr_t record, uintptr_t words[2])
{
    const void *at;

    FXT_COPY(&at, &record, sizeof(at));
    FXT_COPY(words, at, RECORD_BYTES);
}

/* The frame record of the function whose frame ends at `top`. On aarch64 it may be
 * anywhere in the frame: there it is the last one below. */
static uintptr_t find_record(uintptr_t top)
{
#if defined(__aarch64__)
    uintptr_t record = (uintptr_t)__builtin_frame_address(0);
    uintptr_t words[2];

    for (;;) {
        load_record(record, words);
        if (words[0] <= record || words[0] >= top)
            return record;
        record = words[0];
    }
#else
    return top - RECORD_BYTES;
#endif
}

struct walk_start walk_begin(const void *top)
{
    return (struct walk_start){(uintptr_t)top, find_record((uintptr_t)top)};
}

static void find_registers(struct walk_start from, struct unwind_registers *registers)
{
    uintptr_t words[2];

    load_record((uintptr_t)from.record, words);
    registers->pc = FXT_UNWIND_RETURN(words[1]);
    registers->r[OWN_FP] = words[0];
    registers->r[OWN_SP] = from.top;
    registers->known = UNWIND_KNOWS(OWN_FP) | UNWIND_KNOWS(OWN_SP);
}

uint64_t walk(struct code *code, struct table *t, struct walk_start from, uint64_t now_ns,
              struct unwind_words *words, uint64_t *pcs, uint64_t max,
              struct heap_stack_state *state)
{
    struct unwind_registers registers;
    struct unwind_result result;
    uint64_t n;
    uint32_t scan;

    find_registers(from, &registers);
    words->fp_at = from.record;
    n = own_stack_walk(&registers, true, now_ns, words, pcs, (uint32_t)max, &result);
    scan = own_space_scans();
    if (scan != __atomic_load_n(&code->scan, __ATOMIC_ACQUIRE))
        code_look(code, t, scan, now_ns);
    state->view_ns = code_view_of(code, pcs, n);
    state->end = result.end == UNWIND_END_DEPTH ? FXT_STACK_END_DEPTH : 0;
    return n;
}
