/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions begin that no table has, by the calls that lead there, and by what the
 * functions of the tables jump to or take the address of. */
#ifndef FXTPROFILE_SYMBOLS_ELF_CALLS_H
#define FXTPROFILE_SYMBOLS_ELF_CALLS_H

#include "elf_gaps.h"
#include "elf_starts.h"

/*
 * Adds to `starts`, and sorts them, where these lead in the gaps: if what is before may
 * not go on there, or if several lead there. They end where the gap does. Only code near
 * the gaps is read for calls: that of other files of a library seldom uses them. Calls
 * and jumps of x86-64, AArch64 and RISC-V of 64 bits are known, and addresses of x86-64.
 */
void elf_calls_find_starts(const struct elf_gap_finder *finder,
                           const struct elf_starts *gaps, struct elf_starts *starts);

#endif
