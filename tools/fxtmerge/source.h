/* SPDX-License-Identifier: BSD-2-Clause */
/* One input: its records, read ahead as far as its window allows. */
#ifndef FXTMERGE_SOURCE_H
#define FXTMERGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "common/base/io/input.h"
#include "head.h"
#include "machines.h"
#include "providers.h"
#include "settings.h"
#include "tools/common/part_mark.h"
#include "tools/common/report.h"
#include "window.h"

/* What all sources share. */
struct merging {
    const struct merge_options *options;
    struct machines machines;
    struct merged_providers providers;
    struct window_memory memory;
    /* The zero of the output's clock, if any input has a wall clock. */
    bool has_zero;
    int64_t zero_ns;
};

struct untimed_record {
    struct fxt_record *record;
    size_t provider;
};

struct source {
    struct merging *merging;
    const struct merge_input *given;
    struct input *input;
    struct fxt_reader *reader;
    struct fxt_chunk chunk;
    struct report report;
    struct head head;
    size_t machine;
    /* It says that it is a part, and which. */
    bool is_part;
    struct part_mark mark;
    struct window window;
    /* How many bytes wait in it; more, once a record was out of order. */
    uint64_t window_bytes;
    uint64_t most_window_bytes;
    /* The chunk is the last one; and it has been read. */
    bool ends;
    bool at_end;

    /* The provider of the last record, and the one of the output that it is; NULL if it
     * has to be looked up again. */
    const struct fxt_provider *provider;
    size_t merged;
    /* The time of the last record that has one: those without one follow it. */
    uint64_t time;
    /* Until there is one: the records before it. */
    bool has_time;
    struct untimed_record *untimed;
    size_t n_untimed;
    size_t untimed_capacity;
    uint64_t untimed_bytes;

    /* Of the records that were written: the latest time; how many came later than one
     * after them, and by how much at most. */
    uint64_t written_time;
    uint64_t n_late;
    uint64_t late_ns;
    uint64_t n_cut;
    /* Providers without a wall clock, where others have one. */
    uint64_t n_unaligned;
};

/* Opens an input. Returns false after printing why it cannot be used. */
bool source_open(struct source *source, struct merging *merging,
                 const struct merge_input *given);

/* When the input's first clock was zero, as clock_zero; false if its times are not
 * aligned by that. Once all inputs are open. */
bool source_zero(const struct source *source, int64_t *zero_ns);

/* Makes the reader, once all inputs are open and the zero is known. */
bool source_start(struct source *source, uint64_t window_bytes);

/* Reads until the window is full or the input has ended. */
void source_read(struct source *source);

static inline void source_fill(struct source *source)
{
    if (source->window.n_bytes < source->window_bytes)
        source_read(source);
}

void source_close(struct source *source);

#endif
