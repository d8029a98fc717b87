/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminal that standard output is, and a pager for what is longer than it. */
#ifndef FXTREPORT_PAGER_H
#define FXTREPORT_PAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

struct terminal_size {
    bool is_terminal;
    /* 0 where they are not known. */
    size_t columns;
    size_t lines;
};

/* All zero if standard output is not a terminal. */
struct terminal_size pager_terminal(void);

/* Shows text with $PAGER, or less, if it has more lines than the terminal. Returns false
 * if it has not, or if there is no pager: then nothing was shown. */
bool pager_show(const struct terminal_size *terminal, const struct text *text);

#endif
