/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run leaves in its directory:
 *
 *     cpu0.bin, ...   the regions as they are, whole, one for each CPU
 *     maps            where the program's code was, from /proc/self/maps
 *     truth.json      what was measured beside the samples
 */
#ifndef SELFSAMPLE_RESULTS_H
#define SELFSAMPLE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "phase.h"
#include "sampler.h"

struct results_thread {
    const struct sampled_thread *sampled;
    const struct truth *truth;
};

struct results {
    const struct sampler *sampler;
    const struct results_thread *threads;
    unsigned n_threads;
};

/* Makes the directory if there is none, and finds out whether files can be made in it.
 * Returns false if not, with a message on standard error. */
bool results_prepare(const char *directory);

/* Writes everything. Returns false if it could not, with a message. */
bool results_write(const char *directory, const struct results *results);

/* The sums of what the threads have. */
struct sample_counts results_counts(const struct results *results);
struct truth results_truth(const struct results *results);

#endif
