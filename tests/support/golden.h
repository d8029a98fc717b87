/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole streams for the tests that ask the same of any input: that chunks, cuts, stops
 * and memory do not matter. Between them they have every kind of record, every way to
 * refer to something, and damage of every sort. They are also what fuzzing starts from.
 */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "words.h"

struct golden {
    const char *name;
    void (*put)(struct words *w);
    enum fxt_stream stream;
    bool resync;
    uint64_t max_record_bytes;
};

extern const struct golden goldens[];
extern const size_t n_goldens;

/* How the stream is to be read, whichever byte order it was put together in. */
struct fxt_reader_options golden_options(const struct golden *golden, bool big);

#endif
