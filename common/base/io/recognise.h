/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an input is, by its first bytes, that is no FXT. A region has no magic number and
 * may begin with any record, so that only what no record can look like is recognised.
 */
#ifndef BASE_IO_RECOGNISE_H
#define BASE_IO_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>

#include "input.h"

/* What the input is and what reads it, such as "perf.data, which 'perf script' reads";
 * NULL where it may be FXT. */
const char *recognise_foreign(struct input *input);

/* Opens an input as input_open does. Returns NULL, with the reason added to `why`, also
 * for what is no FXT. */
struct input *recognise_open(const char *name, struct text *why);

/* Captures of stacks, which the converters read: the JSON of cargo-osdk, a log of gdb
 * with backtraces in it, and folded stacks. */
bool recognise_json_captures(const char *at, const char *end);
bool recognise_gdb_log(const char *at, const char *end);
bool recognise_folded(const char *at, const char *end);

/* After the mark of byte order that text may begin with. */
const char *recognise_skip_mark(const char *at, const char *end);

/* Of a line of folded stacks: where it ends, before a carriage return; and whether it is
 * empty or a comment, "# " and so on, without a count. */
const char *recognise_folded_end(const char *at, const char *end);
bool recognise_folded_comment(const char *at, const char *end);

/* Where the count of a line of folded stacks begins: after the last space. It may have a
 * fraction, as flamegraph.pl takes it. NULL if there is none. */
const char *recognise_folded_count(const char *at, const char *end);

/* Whether bytes are the beginning of pprof's profile.proto, without compression, or all
 * of it. It takes several fields to be sure. */
enum recognised { RECOGNISED_NOT, RECOGNISED_MAYBE, RECOGNISED_YES };
enum recognised recognise_pprof(const unsigned char *bytes, size_t size, bool is_all);

#endif
