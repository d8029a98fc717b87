/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that is in no function of a list, such as assembly without unwind tables, but for
 * the padding between functions; and where calls say that functions begin in it.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_GAPS_H
#define FXTPROFILE_SYMBOLS_ELF_GAPS_H

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "common/unwind/unwind_function_list.h"
#include "elf_starts.h"

struct elf_gap_finder {
    const struct elf_headers *headers;
    /* Of the gaps only those count that have one of these addresses, which ascend. */
    const uint64_t *wanted;
    size_t n_wanted;
    /* Sections with code or, in a file without sections, segments: in the order of their
     * addresses, and without overlap. */
    struct elf_code *code;
    size_t n;
    size_t capacity;
};

/* Whether one of some addresses, which ascend, is in a range. */
bool elf_is_wanted(const uint64_t *wanted, size_t n, uint64_t start, uint64_t limit);

/* The addresses stay the caller's. */
void elf_gap_finder_init(struct elf_gap_finder *finder, const struct elf_headers *headers,
                         const struct elf_image *image, const uint64_t *wanted,
                         size_t n_wanted);

/* Adds the gaps to an empty list: where each begins after padding, and ends. */
void elf_gaps_find(const struct elf_gap_finder *finder,
                   const struct unwind_function_list *list, struct elf_starts *gaps);

void elf_gap_finder_free(struct elf_gap_finder *finder);

/*
 * Adds to `starts`, and sorts them, where calls lead in the gaps, or what the functions
 * of the tables jump to or take the address of: if what is before may not go on there, or
 * if several lead there. They end where the gap does. Only code near the gaps is read for
 * calls: that of other files of a library seldom uses them. Calls and jumps of x86-64,
 * AArch64 and RISC-V of 64 bits are known, and addresses of x86-64.
 */
void elf_calls_find_starts(const struct elf_gap_finder *finder,
                           const struct elf_starts *gaps, struct elf_starts *starts);

#endif
