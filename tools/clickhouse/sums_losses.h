/* SPDX-License-Identifier: BSD-2-Clause */
/* What recordings of a server lack (table loss), added up, as sentences of a profile. */
#ifndef TOOLS_CLICKHOUSE_SUMS_LOSSES_H
#define TOOLS_CLICKHOUSE_SUMS_LOSSES_H

#include <fxt/profile.h>

#include "row_binary.h"

/* All zero is empty. */
struct sums_losses {
    /* By the numbers of names and kinds, the sums of the rows that have these. */
    struct string_table keys;
    struct sums_loss *all;
    size_t n;
    size_t capacity;
    /* Names and sentences. */
    struct string_table strings;
};

/* Takes a row of the answer to sums_sql_losses, unless it is damaged. */
void sums_losses_take(struct sums_losses *losses, struct row_reader *reader);

void sums_losses_add(const struct sums_losses *losses,
                     struct fxt_profile_builder *builder);

#endif
