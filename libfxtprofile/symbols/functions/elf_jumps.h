/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions jump to the parts of functions that are elsewhere. */
#ifndef FXTPROFILE_SYMBOLS_ELF_JUMPS_H
#define FXTPROFILE_SYMBOLS_ELF_JUMPS_H

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "common/unwind/unwind_function_list.h"

/*
 * Sets owners[i] to where the function begins that jumps to the start of the list's
 * function i, for each that is a part. Parts to which none jumps, or several do, keep
 * what is there. The jumps of x86-64 and AArch64 are known; others are not found.
 */
void elf_jumps_find_owners(const struct unwind_function_list *list,
                           const struct elf_headers *headers,
                           const struct elf_image *image, uint64_t *owners);

#endif
