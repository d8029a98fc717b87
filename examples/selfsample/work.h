/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Something to sample: a thread makes numbers, hashes and sorts them, and puts queens on
 * a board. Nothing here knows that it is sampled.
 *
 * Each phase is a function that is not inlined, so that it is in the stack as long as it
 * runs. It does its work itself, or calls functions that call others: the walk cannot see
 * the caller of a function that has no frame, such as those of libc, or those that GCC
 * finds to call nothing and to need no stack.
 */
#ifndef SELFSAMPLE_WORK_H
#define SELFSAMPLE_WORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "phase.h"

struct work;

/* One thread's work; the seed decides what kind of work it has most of, and its numbers.
 * Returns NULL where there is no memory. */
struct work *work_create(unsigned seed);
void work_free(struct work *work);

/* Runs rounds of work until `*stop` is set; at least one. */
void work_until_stopped(struct work *work, const atomic_bool *stop);

/* What the work's phases took. */
const struct truth *work_truth(const struct work *work);

/* False if some result came out wrong, as it would if a signal handler had spoilt a
 * register. */
bool work_is_right(const struct work *work);

/* A phase's name, and the address of its function. */
const char *work_phase_name(enum phase phase);
uintptr_t work_phase_address(enum phase phase);

#endif
