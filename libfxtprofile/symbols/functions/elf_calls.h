/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions begin that no table has, by the calls that lead there. */
#ifndef FXTPROFILE_SYMBOLS_ELF_CALLS_H
#define FXTPROFILE_SYMBOLS_ELF_CALLS_H

#include "elf_gaps.h"
#include "elf_starts.h"

/*
 * Adds to `starts`, and sorts them, where direct calls lead in the gaps that are anywhere
 * in the code: if what is before may not go on there, or if several lead there. They end
 * where the gap does. The calls of x86-64, AArch64 and RISC-V of 64 bits are known.
 */
void elf_calls_find_starts(const struct elf_gap_finder *finder,
                           const struct elf_starts *gaps, struct elf_starts *starts);

#endif
