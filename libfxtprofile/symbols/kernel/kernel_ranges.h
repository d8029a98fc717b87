/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a Linux kernel as ranges of addresses.
 */
#ifndef FXTPROFILE_SYMBOLS_KERNEL_RANGES_H
#define FXTPROFILE_SYMBOLS_KERNEL_RANGES_H

#include "common/base/kernel_symbols.h"
#include "libfxtprofile/symbols/elf_symbols.h"

/* Makes symbols of the functions from entry `first` up to `end` of a sorted list. Their
 * names stay the list's. */
void kernel_ranges_make(struct elf_symbols *symbols, const struct kernel_symbols *list,
                        size_t first, size_t end);

#endif
