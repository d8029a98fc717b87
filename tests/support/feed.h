/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole stream through a reader, in pieces, the way a caller of libfxt would do it, and
 * with everything checked on the way that holds for any input: that the records and
 * reports tile the input, that all pointers lead into the chunk, that the reader says
 * truly how much it needs, that stops lose nothing.
 *
 * Every chunk lies in separate memory that ends at an unmapped page.
 */
#ifndef TESTS_SUPPORT_FEED_H
#define TESTS_SUPPORT_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "show.h"

/* One record or report. */
struct feed_step {
    /* Of everything up to here. */
    uint64_t hash;
    /* FXT_OK for a record. */
    enum fxt_code code;
};

struct feed_options {
    /* The callbacks are feed's own. */
    struct fxt_reader_options reader;
    /* The chunks end at these places, which do not decrease, and at the end; unless
     * `as_needed`: each chunk then has just the bytes that the reader asked for. */
    const size_t *cuts;
    size_t n_cuts;
    bool as_needed;
    /* Every callback asks to stop. */
    bool stop;
    /* All of it is read, and the reader reset, before what counts is read. */
    bool again;
    /* NULL, or where all records and reports are shown. */
    struct show *show;
    /* Where the first steps are put. */
    struct feed_step *steps;
    size_t n_steps;
};

struct feed_result {
    /* Of every field of every record and report, in their order. */
    uint64_t hash;
    uint64_t n_records;
    uint64_t n_errors;
    /* What fxt_reader_finish returned, or fxt_reader_create where that failed. */
    enum fxt_code code;
    /* NULL, or what does not hold. */
    const char *fault;
};

struct feed_result feed(const void *data, size_t size,
                        const struct feed_options *options);

#endif
