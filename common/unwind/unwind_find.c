/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_table.h: searching, which walks need, apart from building. */
#include "unwind_table.h"

#include "unwind_rule.h"

uint32_t unwind_rows_find(const struct unwind_row *rows, uint32_t n, uint64_t offset,
                          uint32_t otherwise)
{
    if (n == 0 || rows[0].offset > offset)
        return otherwise;
    while (n > 1) {
        uint32_t half = n / 2;

        rows += rows[half].offset <= offset ? half : 0;
        n -= half;
    }
    return rows->rule;
}

uint32_t unwind_table_find(const struct unwind_table *table, uint64_t address)
{
    if (address < table->base || address - table->base > UINT32_MAX)
        return UNWIND_RULE_NONE;
    return unwind_rows_find(table->rows, table->n_rows, address - table->base,
                            UNWIND_RULE_NONE);
}
