/* SPDX-License-Identifier: BSD-2-Clause */
/* The PCs of a profile that are looked up: each once for each process and time. */
#ifndef FXTPROFILE_PROFILE_VISITS_H
#define FXTPROFILE_PROFILE_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"

struct visit {
    uint64_t process;
    /* Where it is looked up, which may be before the PC. */
    uint64_t address;
    /* The PC's number. */
    uint32_t pc;
    uint32_t epoch;
    /* What is found there. */
    uint32_t location;
};

/* All zero is none. */
struct visits {
    struct visit *items;
    size_t n;
    size_t capacity;
    struct table table;
};

/* Finds the visit of the same PC, process and epoch, if visits_add added one. */
bool visits_find(const struct visits *visits, const struct visit *like, uint32_t *number);

/* Adds one, and returns its number. To append is enough for what is not to be found. */
uint32_t visits_add(struct visits *visits, struct visit visit);
uint32_t visits_append(struct visits *visits, struct visit visit);

void visits_free(struct visits *visits);

#endif
