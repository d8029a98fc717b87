/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bytes of code say where there are no tables. */
#ifndef FXTUNWIND_UNWIND_CODE_H
#define FXTUNWIND_UNWIND_CODE_H

#include "unwind_walk.h"

/* Whether there is what a signal handler returns to on Linux: the system call that
 * restores the registers. False if the code cannot be read. */
bool code_is_sigreturn(const struct unwind_start *start,
                       const struct unwind_module *module, uint32_t machine, uint64_t pc);

/* Whether the instruction before is a call. False if the code cannot be read. */
bool code_is_after_call(const struct unwind_start *start,
                        const struct unwind_module *module, uint32_t machine,
                        uint64_t pc);

/* What code does from some instruction up to its return. */
struct unwind_return {
    /* How many words the stack has below the return address. */
    uint64_t words;
    /* The frame pointer is in one of them. */
    bool has_fp;
    uint64_t fp_word;
};

/* Whether code only removes what is on the stack, and returns. x86-64. */
bool code_find_return(const struct unwind_start *start,
                      const struct unwind_module *module, uint32_t machine, uint64_t pc,
                      struct unwind_return *code);

/* Whether code not far before `pc` sets up a frame record, as that of its function does
 * if the function keeps one. True where that is not known. */
bool code_may_keep_record(const struct unwind_start *start,
                          const struct unwind_module *module, uint32_t machine,
                          uint64_t pc);

#endif
