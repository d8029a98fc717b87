/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this machine needs of a thread that is stopped: its registers, a frame that a
 * function returns to, as from a signal handler, and how system calls are restarted.
 */
#ifndef FXTHEAP_ATTACH_REGISTERS_H
#define FXTHEAP_ATTACH_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "common/unwind/unwind_walk.h"

/* All others of a machine with AVX-512 and AMX take 11 KiB. */
enum { REGISTERS_EXTENDED_MAX = 1 << 14 };

struct registers {
    struct user_regs_struct general;
    /* As the kernel has it for PTRACE_GETREGSET: x87, SSE, AVX and so on. */
    _Alignas(64) unsigned char extended[REGISTERS_EXTENDED_MAX];
    size_t extended_size;
    uint64_t signal_mask;
};

/* The number of the system call that the thread was interrupted in; -1 if there is none.
 */
int64_t registers_system_call(const struct registers *registers);

/* The registers with which the kernel would let the thread go on, untraced: at the system
 * call that was interrupted, if it is to be restarted. */
struct user_regs_struct registers_go_on(const struct registers *registers);

/* For a walk of the stack. */
struct unwind_registers registers_of_walk(const struct registers *registers);

uint64_t registers_stack(const struct registers *registers);

/* Where the thread's errno is, by the first bytes of the C library's __errno_location,
 * which are at `address`: where a word in memory is (stored in `*word_at`) that is to be
 * added to
 * `*base`. Returns false for other code. */
enum { REGISTERS_ERRNO_BYTES = 24 };
bool registers_errno(const struct registers *registers, const unsigned char *code,
                     uint64_t address, uint64_t *word_at, uint64_t *base);

/* The code that returns from a signal handler. */
extern const unsigned char registers_restorer[];
extern const size_t registers_restorer_size;

struct signal_frame {
    /* What is to be written at which address. */
    uint64_t address;
    unsigned char *bytes;
    size_t size;
    /* Where `data` is in it. */
    uint64_t data;
    /* The registers with which a function runs that returns through the frame. */
    struct user_regs_struct call;
    /* The stack pointer when the frame is being returned to. */
    uint64_t stack_at_return;
};

/*
 * Makes a frame below the stack of a thread, as the kernel makes one for a signal's
 * handler, with `size` bytes of `data` above it, whose address is the first argument of
 * `function`; `second` is the other one. When the function returns, to `restorer`, the
 * thread goes on with its own registers. The bytes are to be released.
 */
void signal_frame_make(struct signal_frame *frame, const struct registers *registers,
                       uint64_t function, const void *data, size_t size, uint64_t second,
                       uint64_t restorer);

/* Whether a thread that has begun a system call is returning through the frame. */
bool signal_frame_is_returning(const struct signal_frame *frame,
                               const struct user_regs_struct *registers);

#endif
