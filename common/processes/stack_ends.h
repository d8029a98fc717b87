/* SPDX-License-Identifier: BSD-2-Clause */
/* How the stacks of a recording ended, and where those ended that are not whole. */
#ifndef PROCESSES_STACK_ENDS_H
#define PROCESSES_STACK_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>
#include <fxt/sample.h>

#include "common/base/text.h"
#include "process_table.h"

enum { STACK_ENDS = FXT_STACK_END_NOT_SAMPLED + 1 };

/* Stacks that ended in one file for one reason. */
struct stack_end_place {
    enum fxt_stack_end end;
    /* STACK_END_NO_FILE where the code is in none. */
    uint32_t file;
    uint64_t n;
};

#define STACK_END_NO_FILE UINT32_MAX

/* All zero is none. */
struct stack_ends {
    /* By enum fxt_stack_end. */
    uint64_t counts[STACK_ENDS];
    struct stack_end_place *places;
    size_t n_places;
    size_t capacity;
};

void stack_ends_add(struct stack_ends *ends, struct process_table *table,
                    const struct fxt_sample *sample);

/* Adds how many stacks are whole, of how many that is not known, and the most frequent
 * reasons why others are not, if the sampler says so of any; and how many samples stand
 * for time that could not be sampled. */
void stack_ends_describe(struct text *to, const struct stack_ends *ends,
                         const struct process_table *table);

/* Adds an argument for each reason that there was, with its count, up to STACK_ENDS;
 * `counts` is by enum fxt_stack_end. The names are static. Returns how many there are. */
size_t stack_ends_args(const uint64_t *counts, struct fxt_arg *args);

void stack_ends_free(struct stack_ends *ends);

#endif
