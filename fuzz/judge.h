/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must be true of the files that the converters write, whatever they were given.
 * Each function returns NULL, or what is wrong.
 */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stddef.h>
#include <stdint.h>

/* A profile.proto of one value a sample: what its readers refuse is not there, and the
 * values come to `total`. */
const char *judge_pprof(const char *data, size_t size, uint64_t total);

/* Folded stacks: each line has one and differs from the others, they are sorted, and the
 * counts come to `total`. */
const char *judge_folded(const char *data, size_t size, uint64_t total);

/* A document of XML, with nothing in it that XML cannot hold. */
const char *judge_svg(const char *data, size_t size, uint64_t total);

#endif
