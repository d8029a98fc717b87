/* SPDX-License-Identifier: BSD-2-Clause */
/* Jumps in code, and which functions jump to the parts of functions that are elsewhere.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_JUMPS_H
#define FXTPROFILE_SYMBOLS_ELF_JUMPS_H

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "common/unwind/unwind_function_list.h"
#include "elf_starts.h"

/* Gives the jumps in code to `take`, but those of x86-64 that are short; and what looks
 * like one there. Those of x86-64 and AArch64 are known; others are not found. */
void elf_jumps_read(const struct elf_headers *headers, const struct elf_code *code,
                    void (*take)(void *context, uint64_t from, uint64_t to),
                    void *context);

/* The number of the part that begins at an address; the list's size if there is none. */
size_t elf_jumps_find_part(const struct unwind_function_list *list, uint64_t address);

/*
 * Sets owners[i] to where the function begins that jumps to the start of the list's
 * function i, for each that is a part. Parts to which none jumps, or several do, keep
 * what is there.
 */
void elf_jumps_find_owners(const struct unwind_function_list *list,
                           const struct elf_headers *headers,
                           const struct elf_image *image, uint64_t *owners);

/*
 * The same without a list: stores in the targets where the functions begin that jump to
 * the parts which begin at the addresses, which ascend. Few parts are searched for by the
 * order of the object files; for more, or in another order, all code is read. Returns
 * false unless one function is found for each. The search takes the first one that it
 * finds, in code that has the part, too.
 */
bool elf_owners_find(struct unwind_function_index *index,
                     const struct elf_headers *headers, const struct elf_image *image,
                     struct elf_pointers *parts);

#endif
