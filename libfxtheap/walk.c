/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See walk.h.
 *
 * A frame pointer may hold anything where code was built without them. On a thread's own
 * stack, which is mapped from the current frame up to its end for as long as the thread
 * is there, frames are read directly. On any other (of a coroutine, of a signal handler)
 * the end is not known: there the kernel reads them, which takes longer, but does not
 * fault on unmapped memory.
 */
#include "walk.h"

#include <sys/auxv.h>

#include <fxt/unwind.h>

#include "threads.h"
#include "base/stack_window.h"

/* How often in a row the search for the stack of a thread may fail, before all its stacks
 * are treated as not its own. */
enum { FUTILE_MAX = 16 };

/* The stack of a thread ends with what the C library keeps of it, where the thread
 * pointer leads to; that of the first thread with what the kernel has put there. A
 * mapping with neither is no thread's own. The first one grows downwards, so that it may
 * have to be looked for again. */
static void find_own_stack(uintptr_t frame)
{
    uintptr_t ends[] = {(uintptr_t)__builtin_thread_pointer(),
                        (uintptr_t)getauxval(AT_RANDOM)};
    struct range range = maps_find(frame);

    thread_self.n_futile++;
    for (int i = 0; i < 2; i++) {
        if (ends[i] <= frame || ends[i] >= range.limit)
            continue;
        thread_self.stack_low = (uintptr_t)range.start;
        thread_self.stack_high = ends[i];
        thread_self.n_futile = 0;
        return;
    }
}

static bool is_on_own_stack(uintptr_t frame)
{
    return frame >= thread_self.stack_low && frame < thread_self.stack_high;
}

static uint64_t walk_elsewhere(uintptr_t frame, uint64_t *pcs, uint64_t max)
{
    struct window window;
    struct fxt_unwind from = {.frame = frame,
                              .stack_low = (uintptr_t)__builtin_frame_address(0),
                              .stack_high = window_end(frame),
                              .read = window_read,
                              .context = &window};

    window_init(&window, (pid_t)thread_self.process);
    return fxt_unwind_walk(&from, pcs, max);
}

static uint64_t walk_frames(uintptr_t frame, uint64_t *pcs, uint64_t max)
{
    struct fxt_unwind from = {.frame = frame,
                              .stack_low = (uintptr_t)__builtin_frame_address(0)};

    if (!is_on_own_stack(frame) && thread_self.n_futile < FUTILE_MAX)
        find_own_stack(frame);
    if (!is_on_own_stack(frame))
        return walk_elsewhere(frame, pcs, max);
    from.stack_high = thread_self.stack_high;
    return fxt_unwind_walk(&from, pcs, max);
}

/* Code without frame pointers may lead the walk to words that were never a return
 * address; the first one is where this library's own function returns to. */
uint64_t walk(struct code *code, struct table *t, const void *frame, uint64_t now_ns,
              uint64_t *pcs, uint64_t max)
{
    uint64_t n = walk_frames((uintptr_t)frame, pcs, max);

    for (uint64_t i = 0; i < n; i++) {
        if (!code_has(code, t, pcs[i], i == 0, now_ns))
            return i;
    }
    return n;
}
