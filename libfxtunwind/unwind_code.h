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

#endif
