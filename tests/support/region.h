/* SPDX-License-Identifier: BSD-2-Clause */
/* A region of samples through libfxt's reader, for tests. */
#ifndef TESTS_SUPPORT_REGION_H
#define TESTS_SUPPORT_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "equal.h"

#include <fxt/reader.h>
#include <fxt/sample.h>

/* Called with each stack, and its number in the region. */
typedef void region_stack_fn(void *context, uint64_t number,
                             const struct fxt_sample *sample);

struct region_reader {
    struct fxt_reader *reader;
    region_stack_fn *on_stack;
    void *context;
    uint64_t n_stacks;
    uint64_t n_other_records;
    uint64_t n_reports;
    enum fxt_code last_report;
};

static inline int region_take_record(void *context, const struct fxt_record *record)
{
    struct region_reader *region = context;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK) {
        region->n_other_records++;
        return 0;
    }
    if (region->on_stack != NULL)
        region->on_stack(region->context, region->n_stacks, &sample);
    region->n_stacks++;
    return 0;
}

static inline int region_take_report(void *context, const struct fxt_error *error)
{
    struct region_reader *region = context;

    region->n_reports++;
    region->last_report = error->code;
    return 0;
}

/* Starts on a region of this machine's byte order; the callback may be NULL. */
static inline void region_start(struct region_reader *region, region_stack_fn *on_stack,
                                void *context)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = region_take_record,
        .on_error = region_take_report,
        .context = region,
        .stream = FXT_STREAM_REGION,
        .byte_order = FXT_BYTE_ORDER_HOST,
    };

    *region = (struct region_reader){.on_stack = on_stack, .context = context};
    CHECK_EQ(fxt_reader_create(&options, &region->reader), FXT_OK);
}

/* Reads the rest of the region and ends it. */
static inline void region_finish(struct region_reader *region, const void *data,
                                 size_t size)
{
    struct fxt_chunk chunk = {data, size, 0};

    fxt_reader_read(region->reader, &chunk);
    fxt_reader_finish(region->reader, &chunk);
    CHECK_EQ(chunk.pos, size);
    fxt_reader_destroy(region->reader);
    region->reader = NULL;
}

static inline struct region_reader region_read(const void *data, size_t size,
                                               region_stack_fn *on_stack, void *context)
{
    struct region_reader region;

    region_start(&region, on_stack, context);
    region_finish(&region, data, size);
    return region;
}

#endif
