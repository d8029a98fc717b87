/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions the parts belong to that are elsewhere, of few parts in a large file:
 * a linker puts both in the order of the object files that they are of, so that the
 * jumps in a little code tell whether the jump that is looked for is before it or after.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_OWNERS_H
#define FXTPROFILE_SYMBOLS_ELF_OWNERS_H

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "common/unwind/unwind_function_list.h"

/*
 * Finds where the function begins that jumps to the part which begins at an address, in
 * code that has both. Returns false if none is found: the order can be another one. Of
 * several functions that jump there the first one is found.
 */
bool elf_owner_find(struct unwind_function_index *index,
                    const struct elf_headers *headers, const struct elf_code *code,
                    uint64_t part, uint64_t *owner);

#endif
