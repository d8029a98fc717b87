/* SPDX-License-Identifier: BSD-2-Clause */
/* Searching in rows. */
#ifndef FXTUNWIND_UNWIND_FIND_H
#define FXTUNWIND_UNWIND_FIND_H

#include "unwind_table.h"

/* The rule of the last row that is not above an offset; `otherwise` if there is none. */
uint32_t unwind_rows_find(const struct unwind_row *rows, uint32_t n, uint64_t offset,
                          uint32_t otherwise);

#endif
