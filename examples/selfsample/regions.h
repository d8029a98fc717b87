/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A region for each CPU of the machine, and its emitter.
 *
 * A kernel's sampler runs with interrupts off: its emitters have one writer each, and no
 * need of a lock. A signal handler can lose its CPU at any instruction, so here each
 * region has a gate (fxt/gate.h): a handler that finds another writer inside drops its
 * sample. No writer ever waits.
 */
#ifndef SELFSAMPLE_REGIONS_H
#define SELFSAMPLE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <fxt/emit.h>
#include <fxt/gate.h>

/* In separate cache lines, to avoid false sharing between CPUs. */
struct region {
    _Alignas(128) struct fxt_gate gate;
    struct fxt_emit emit;
};

struct regions {
    /* One for each CPU that this machine may ever have, by number. */
    struct region *all;
    unsigned n;
    /* The size of each one's memory, in bytes. */
    size_t size;
};

/* Returns false, with errno set, where there is no memory. */
bool regions_create(struct regions *regions, size_t size);
void regions_destroy(struct regions *regions);

/* Whether this CPU is running now. */
bool regions_is_online(const struct regions *regions, unsigned cpu);

#endif
