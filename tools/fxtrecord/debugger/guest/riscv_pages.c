/* SPDX-License-Identifier: BSD-2-Clause */
/* See riscv_pages.h. */
#include "riscv_pages.h"

enum { PAGE_BITS = 12, INDEX_BITS = 9, MODE_SHIFT = 60, MODE_SV39 = 8, MODE_SV57 = 10 };

/* Bits of an entry: the lowest number of the page is shifted by 10. */
enum { VALID = 1, READ_WRITE_EXECUTE = 2 | 4 | 8, ENTRY_PAGE_SHIFT = 10 };

#define PAGE_NUMBER (((uint64_t)1 << 44) - 1)

/* An entry that may be read, written or executed is of a page, or of as much as a table
 * would have; another one is of a table. */
bool riscv_pages_word(const struct riscv_pages *pages, uint64_t address, uint64_t *word)
{
    uint64_t mode = pages->satp >> MODE_SHIFT;
    uint64_t table = pages->satp & PAGE_NUMBER;
    int level = (int)(mode - MODE_SV39) + 2;

    if (mode < MODE_SV39 || mode > MODE_SV57)
        return false;
    for (; level >= 0; level--) {
        int shift = PAGE_BITS + INDEX_BITS * level;
        uint64_t index = address >> shift & ((1 << INDEX_BITS) - 1);
        uint64_t entry;

        if (!pages->read(pages->context, (table << PAGE_BITS) + index * sizeof(entry),
                         &entry) ||
            (entry & VALID) == 0)
            return false;
        table = entry >> ENTRY_PAGE_SHIFT & PAGE_NUMBER;
        if ((entry & READ_WRITE_EXECUTE) != 0) {
            uint64_t rest = address & (((uint64_t)1 << shift) - 1);

            return pages->read(pages->context, (table << PAGE_BITS) + rest, word);
        }
    }
    return false;
}
