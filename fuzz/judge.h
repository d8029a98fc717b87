/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must be true of the files that the converters write, whatever they were given.
 * Each function returns NULL, or what is wrong.
 */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stddef.h>
#include <stdint.h>

/* A profile.proto: what its readers refuse is not there, and all values come to `total`.
 * No sum here is larger than UINT64_MAX. */
const char *judge_pprof(const char *data, size_t size, uint64_t total);

/* Folded stacks: each line has one and differs from the others, they are sorted, and the
 * counts come to `total`. */
const char *judge_folded(const char *data, size_t size, uint64_t total);

/* The same where lines are in the order of time, and may be equal. */
const char *judge_unmerged(const char *data, size_t size, uint64_t total);

/* A file of speedscope's: it is JSON, all frames are there, and the weights come to
 * `total`. */
const char *judge_speedscope(const char *data, size_t size, uint64_t total);

/* A timeline for Firefox Profiler, or in Chrome's form: it is JSON. */
const char *judge_timeline(const char *data, size_t size, uint64_t total);

/* A page for browsers: its data are whole, and the counts in them come to `total`. */
const char *judge_html(const char *data, size_t size, uint64_t total);

/* Captures in JSON, of as many stacks as `total`. */
const char *judge_captures(const char *data, size_t size, uint64_t total);
/* Symbolizer markup: each element is on a separate line, and the counts add up to
 * `total`. */
const char *judge_markup(const char *data, size_t size, uint64_t total);

/* A document of XML, with nothing in it that XML cannot hold. */
const char *judge_svg(const char *data, size_t size, uint64_t total);

#endif
