/* SPDX-License-Identifier: BSD-2-Clause */
/* How the stack of a Linux kernel ended. */
#ifndef FXTRECORD_DEBUGGER_GUEST_GUEST_END_H
#define FXTRECORD_DEBUGGER_GUEST_GUEST_END_H

#include <stdbool.h>
#include <stdint.h>

/* The first two are whole. */
enum guest_end {
    GUEST_AT_USER,
    GUEST_AT_END,
    /* No rule for the PC: its code is not described, or is no code. */
    GUEST_CUT_NO_RULE,
    /* A word could not be read. */
    GUEST_CUT_MEMORY,
    /* The rule needs a register that is not known any more. */
    GUEST_CUT_REGISTER,
    /* The caller's frame is not above this one. */
    GUEST_CUT_BACKWARDS,
    /* There are more frames than asked for. */
    GUEST_CUT_LONG,
    /* In firmware, and what has called it is not known. */
    GUEST_IN_FIRMWARE,
    GUEST_ENDS
};

/* Whether a PC is the user's: the kernel has the upper half of all addresses. */
static inline bool guest_is_user(uint64_t pc)
{
    return pc >> 63 == 0;
}

#endif
