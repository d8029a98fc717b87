/* SPDX-License-Identifier: BSD-2-Clause */
/* The machines that inputs are from: their names, and how numbers of them are kept
 * apart. */
#ifndef FXTMERGE_MACHINES_H
#define FXTMERGE_MACHINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "head.h"
#include "settings.h"

struct machine {
    /* By which it is recognised: its name as the command line gives it, or else the
     * identifier of its boot; empty while it is the machine of inputs that say neither.
     */
    char *key;
    /* What its names begin with. */
    char *name;
    /* The clock of the first input that is from it and has one. */
    bool has_zero;
    int64_t zero_ns;
};

/* All zero is none. */
struct machines {
    struct machine *all;
    size_t n;
    size_t capacity;
};

/* The number of the machine of an input, which is added if it is another one. Inputs that
 * do not say whose they are, are from the first. */
size_t machines_add(struct machines *machines, const struct merge_input *input,
                    const struct head *head);

/* The number that a process, a thread or another object of a machine has in the output;
 * those of the only machine stay, and so does 0, which is none. */
uint64_t machines_id(const struct machines *machines, size_t machine, uint64_t id);

/* The same of a CPU; one whose number would not fit in a record stays. */
uint32_t machines_cpu(const struct machines *machines, size_t machine, uint32_t cpu);

void machines_free(struct machines *machines);

#endif
