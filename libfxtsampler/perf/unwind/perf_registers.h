/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample's user registers, as unwinding needs them. */
#ifndef LIBFXTSAMPLER_PERF_REGISTERS_H
#define LIBFXTSAMPLER_PERF_REGISTERS_H

#include <string.h>

#include "common/unwind/unwind_walk.h"

/*
 * A register that perf numbers differently than DWARF: for each bit of the mask, lowest
 * first, the DWARF number, PERF_IS_PC or PERF_IS_OTHER.
 */
enum { PERF_IS_PC = 254, PERF_IS_OTHER = 255 };

#if defined(__x86_64__)
/* All but the segment registers, which the kernel refuses: AX BX CX DX SI DI BP SP IP
 * FLAGS CS SS R8-R15. */
#define PERF_REGISTERS_MASK UINT64_C(0xff0fff)
static const unsigned char perf_registers[] = {
    0, 3, 2, 1, 4, 5, 6, 7, PERF_IS_PC, PERF_IS_OTHER, PERF_IS_OTHER, PERF_IS_OTHER,
    8, 9, 10, 11, 12, 13, 14, 15};
#elif defined(__aarch64__)
/* X0-X29, LR, SP, PC. */
#define PERF_REGISTERS_MASK UINT64_C(0x1ffffffff)
static const unsigned char perf_registers[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PERF_IS_PC};
#elif defined(__riscv) && __riscv_xlen == 64
/* PC, and x1-x31 in another order. */
#define PERF_REGISTERS_MASK UINT64_C(0xffffffff)
static const unsigned char perf_registers[] = {
    PERF_IS_PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16,         17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
#else
#define PERF_REGISTERS_MASK UINT64_C(0)
static const unsigned char perf_registers[] = {PERF_IS_PC};
#endif

static inline void perf_registers_read(struct unwind_registers *to,
                                       const unsigned char *from)
{
    to->known = 0;
    for (size_t i = 0; i < sizeof(perf_registers); i++, from += sizeof(uint64_t)) {
        unsigned number = perf_registers[i];
        uint64_t value;

        memcpy(&value, from, sizeof(value));
        if (number == PERF_IS_PC)
            to->pc = value;
        if (number >= PERF_IS_PC)
            continue;
        to->r[number] = value;
        to->known |= UNWIND_KNOWS(number);
    }
}

#endif
