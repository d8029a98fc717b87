/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a stack of this process whose extent is not known, for fxt/unwind.h: by
 * process_vm_readv, since a garbled frame pointer may point anywhere, and that call
 * returns an error for memory that cannot be read, where a load would fault. Allocates
 * nothing, takes no lock, and may be called from signal handlers. Linux.
 */
#ifndef BASE_STACK_WINDOW_H
#define BASE_STACK_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* The piece of the stack that was read last. Small, as it lies on a stack that may be an
 * alternate one with little room. */
struct window {
    pid_t process;
    uintptr_t address;
    size_t size;
    unsigned char bytes[512];
};

enum { WINDOW_PAGE = 4096 };

/* How far above the stack pointer a frame may be. A frame pointer register that has
 * another use seldom holds an address between. */
#define WINDOW_REACH ((uintptr_t)16 << 20)

/* Nothing has been read. All of it is set, since a sanitizer does not see what a system
 * call without the C library stores. */
static inline void window_init(struct window *window, pid_t process)
{
    *window = (struct window){.process = process};
}

/* The end of what a walk from `low` on may look at. */
static inline uintptr_t window_end(uintptr_t low)
{
    return low < UINTPTR_MAX - WINDOW_REACH ? low + WINDOW_REACH : UINTPTR_MAX;
}

/* Reads what there is from an address on, up to the end of its page. */
static inline void window_move(struct window *window, uintptr_t address)
{
    size_t size = WINDOW_PAGE - address % WINDOW_PAGE;
    struct iovec to = {window->bytes, sizeof(window->bytes)};
    struct iovec from;
    ssize_t n;

    if (size < to.iov_len)
        to.iov_len = size;
    memcpy(&from.iov_base, &address, sizeof(address));
    from.iov_len = to.iov_len;
    /* Words, each: what is passed on the stack is not widened. */
    n = syscall(SYS_process_vm_readv, (long)window->process, &to, 1L, &from, 1L, 0L);
    window->address = address;
    window->size = n > 0 ? (size_t)n : 0;
}

static inline bool window_word(struct window *window, uintptr_t address, uintptr_t *word)
{
    if (address < window->address || address - window->address >= window->size)
        window_move(window, address);
    if (window->size - (address - window->address) < sizeof(*word) || window->size == 0)
        return false;
    memcpy(word, window->bytes + (address - window->address), sizeof(*word));
    return true;
}

#endif
