/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of a Linux kernel's file that has no symbol table, as that in a vmlinuz:
 * those that the kernel itself has, to print stacks. And the functions of a list of a
 * kernel's symbols, that or /proc/kallsyms, as ranges of addresses.
 */
#ifndef FXTPROFILE_SYMBOLS_KERNEL_FILE_H
#define FXTPROFILE_SYMBOLS_KERNEL_FILE_H

#include "common/base/kernel_symbols.h"
#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "libfxtprofile/symbols/elf_symbols.h"

/* Whether a file may be a kernel: code is where no program can have any. */
bool kernel_file_is_one(const struct elf_headers *headers, const struct elf_image *image);

/* Reads the symbols of a kernel that are in its code, in place of those that `symbols`
 * has. Returns false, and changes nothing, if there are none. */
bool kernel_file_read(struct elf_symbols *symbols, const struct elf_headers *headers,
                      const struct elf_image *image);

/* Makes symbols of the functions from entry `first` up to `end` of a sorted list. Their
 * names stay the list's. */
void kernel_ranges_make(struct elf_symbols *symbols, const struct kernel_symbols *list,
                        size_t first, size_t end);

#endif
