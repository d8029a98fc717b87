/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks and frames of samples by their ids, as far as a server has sent their rows. */
#ifndef TOOLS_CLICKHOUSE_SUMS_STACKS_H
#define TOOLS_CLICKHOUSE_SUMS_STACKS_H

#include <fxt/profile.h>

#include "row_binary.h"

/* All zero is empty, but for `builder`, which gets the frames. */
struct sums_stacks {
    struct fxt_profile_builder *builder;
    /* By the numbers of ids, the stacks. */
    struct string_table ids;
    struct sums_stack *all;
    size_t n;
    size_t capacity;
    /* By the numbers of ids, the frames' numbers in the builder, plus one; 0 for those
     * that are not known. */
    struct string_table frame_ids;
    uint32_t *frame_numbers;
    size_t n_frame_numbers;
    size_t frame_number_capacity;
    /* The frames of all stacks, as numbers in `frame_ids`. */
    uint32_t *frames;
    size_t n_frames;
    size_t frame_capacity;
    /* Those of the last stack that was asked for, as numbers in the builder. */
    uint32_t *listed;
    size_t n_listed;
    size_t listed_capacity;
};

void sums_stacks_add(struct sums_stacks *stacks, const char *id);

/* Take a row of the answers about stacks and frames (sums_sql.h), unless it is damaged.
 * Rows of stacks that were not added, or frames of none, are left out, and of equal ones
 * all but the first. */
void sums_stacks_take(struct sums_stacks *stacks, struct row_reader *reader);
void sums_stacks_take_frame(struct sums_stacks *stacks, struct row_reader *reader);

/* Add the ids of those of which no row has come. */
void sums_stacks_unknown(const struct sums_stacks *stacks, struct string_table *ids);
void sums_stacks_unknown_frames(const struct sums_stacks *stacks,
                                struct string_table *ids);

/* Sets the frames of a sum, valid until the next call, and how its stack ended. Frames
 * that are not known are [not in table frame], and a stack [not in table stack]. */
void sums_stacks_get(struct sums_stacks *stacks, const char *id,
                     struct fxt_profile_sum *sum);

#endif
