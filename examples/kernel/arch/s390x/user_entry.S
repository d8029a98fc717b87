/* SPDX-License-Identifier: BSD-2-Clause */
/* To user mode and back. */
#include "machine.h"

        .text
/* void arch_run_user(uintptr_t function, uintptr_t stack): the stack is given room for the
 * registers that the function saves. */
        .balign 8
        .global arch_run_user
        .type   arch_run_user, @function
arch_run_user:
        stmg    %r6, %r15, 48(%r15)
        stnsm   LOWCORE_BYTE, 0xfe
        stg     %r15, LOWCORE_THREAD
        larl    %r1, user_mask
        mvc     LOWCORE_RETURN_PSW(8), 0(%r1)
        stg     %r2, LOWCORE_RETURN_PSW + 8
        lgr     %r15, %r3
        aghi    %r15, -160
        lghi    %r14, 0
        lpswe   LOWCORE_RETURN_PSW
        .size   arch_run_user, . - arch_run_user

/* From the program, to where arch_run_user returns. */
        .balign 8
        .global leave_user_entry
leave_user_entry:
        lg      %r15, LOWCORE_THREAD
        lmg     %r6, %r15, 48(%r15)
        stosm   LOWCORE_BYTE, 0x01
        br      %r14

        .balign 8
user_mask:
        .quad   PSW_MASK_USER
