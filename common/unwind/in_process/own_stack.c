/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_stack.h. */
#include "own_stack.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <fxt/compiler.h>

#include "common/base/stack_window.h"
#include "own_maps.h"

/* How often in a row the search for the stack of a thread may fail, before all its stacks
 * are treated as not its own. */
enum { FUTILE_MAX = 16 };

/* The thread's own stack, once it was found; else empty. And how often the search for it
 * failed since. With this TLS model no call is needed to find it, which might allocate
 * it. */
static __thread struct own_stack {
    uint64_t low;
    uint64_t high;
    uint32_t n_futile;
} own_stack __attribute__((tls_model("initial-exec")));

/* The stack of a thread ends with what the C library keeps of it, where the thread
 * pointer leads to; that of the first thread with what the kernel has put there. A
 * mapping with neither is no thread's own. The first one grows downwards, so that it may
 * have to be looked for again. */
static void find_own_stack(uint64_t sp)
{
    uint64_t ends[] = {(uintptr_t)__builtin_thread_pointer(), getauxval(AT_RANDOM)};
    struct own_mapping mapping;

    own_stack.n_futile++;
    if (!own_maps_find(sp, &mapping))
        return;
    for (int i = 0; i < 2; i++) {
        if (ends[i] <= sp || ends[i] >= mapping.limit)
            continue;
        own_stack.low = mapping.start;
        own_stack.high = ends[i];
        own_stack.n_futile = 0;
        return;
    }
}

static bool is_own(uint64_t sp)
{
    return sp >= own_stack.low && sp < own_stack.high;
}

static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    uintptr_t value;

    if (!window_word(context, (uintptr_t)address, &value))
        return false;
    *word = value;
    return true;
}

/* The window is large, and own stacks do not need it. */
static FXT_NOINLINE uint32_t walk_elsewhere(struct unwind_start *start, uint64_t now_ns,
                                            uint64_t *pcs, uint32_t max_pcs,
                                            struct unwind_result *result)
{
    struct window window;

    window_init(&window, getpid());
    start->read_word = read_word;
    start->context = &window;
    return own_space_walk(start, now_ns, pcs, max_pcs, result);
}

uint64_t own_stack_size(uint64_t address)
{
    return is_own(address) ? own_stack.high - address : 0;
}

uint32_t own_stack_walk(const struct unwind_registers *registers, bool is_return,
                        uint64_t now_ns, struct unwind_words *words, uint64_t *pcs,
                        uint32_t max_pcs, struct unwind_result *result)
{
    uint64_t sp = registers->r[OWN_SP];
    struct unwind_start start = {.registers = registers, .is_return = is_return};
    struct unwind_chunk stack = {.address = sp};
    const unsigned char *bytes;

    if (words)
        words->n = 0;
    if (!is_own(sp) && own_stack.n_futile < FUTILE_MAX)
        find_own_stack(sp);
    if (!is_own(sp))
        return walk_elsewhere(&start, now_ns, pcs, max_pcs, result);
    FXT_COPY(&bytes, &sp, sizeof(bytes));
    stack.bytes = bytes;
    stack.size = own_stack.high - sp;
    start.chunks = &stack;
    start.n_chunks = 1;
    start.words = words;
    return own_space_walk(&start, now_ns, pcs, max_pcs, result);
}
