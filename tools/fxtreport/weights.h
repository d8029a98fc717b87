/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile's samples added up: how much each stack weighs, and each combination of
 * process, thread and CPU. What is weighed is one type of the samples' values.
 */
#ifndef FXTREPORT_WEIGHTS_H
#define FXTREPORT_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/table.h"

/* A sum of values, which saturates, and the number of samples, spans or objects. */
struct weight {
    int64_t value;
    uint64_t n;
};

struct weight_labels {
    uint64_t process;
    uint64_t thread;
    uint32_t boot;
    uint32_t cpu;
    struct fxt_string process_name;
    struct fxt_string thread_name;
    struct weight weight;
};

struct weights {
    const struct fxt_profile *profile;
    /* Which of the samples' values is weighed, and what it means. */
    size_t value;
    /* Samples of which it is 0 are of other events, and not counted. */
    bool is_of_samples;
    struct fxt_profile_value_type type;
    /* By the numbers of stacks. */
    struct weight *stacks;
    struct weight_labels *labels;
    size_t n_labels;
    size_t label_capacity;
    struct table label_table;
    struct weight total;
};

static inline int64_t weight_sum(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

static inline void weight_add(struct weight *to, struct weight more)
{
    to->value = weight_sum(to->value, more.value);
    to->n += more.n;
}

/* Which of the samples' values is meant. Without a choice it is time, where it is known;
 * of heaps bytes, of several events the first one, and else samples. */
size_t weights_choose(const struct fxt_profile *profile,
                      const struct fxt_profile_output *output);

void weights_make(struct weights *weights, const struct fxt_profile *profile,
                  size_t value);

#endif
