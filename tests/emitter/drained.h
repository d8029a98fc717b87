/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was drained from a ring of numbered samples, through libfxt's reader: each sample
 * must be whole, and each number must be there or be among those that the ring says were
 * dropped, at that very place.
 */
#ifndef TESTS_EMITTER_DRAINED_H
#define TESTS_EMITTER_DRAINED_H

#include <fxt/ring.h>

#include "numbered.h"
#include "tests/support/region.h"

struct drained {
    struct region_reader read;
    /* The number of the next sample. */
    uint64_t next;
    uint64_t n_dropped;
    uint64_t dropped_bytes;
    uint64_t n_drops;
    uint32_t cpu;
};

static inline void drained_take_drops(struct drained *drained,
                                      const struct fxt_sample *drops)
{
    CHECK_TRUE(drops->dropped_records > 0);
    CHECK_EQ(drops->timestamp, drained->next);
    drained->next += drops->dropped_records;
    CHECK_EQ(drops->last_timestamp, drained->next - 1);
    CHECK_EQ(drops->cpu, drained->cpu);
    drained->n_dropped += drops->dropped_records;
    drained->dropped_bytes += drops->dropped_bytes;
    drained->n_drops++;
}

static inline int drained_take_record(void *context, const struct fxt_record *record)
{
    struct drained *drained = (struct drained *)context;
    struct fxt_sample sample;

    switch (fxt_sample_from_record(record, &sample)) {
    case FXT_SAMPLE_STACK:
        CHECK(is_numbered(&sample, drained->next), "sample %llu is not number %llu",
              (unsigned long long)sample.timestamp, (unsigned long long)drained->next);
        drained->next++;
        drained->read.n_stacks++;
        break;
    case FXT_SAMPLE_DROPS:
        drained_take_drops(drained, &sample);
        break;
    default:
        CHECK(false, "a record of type %u is neither sample nor drops", record->type);
    }
    return 0;
}

static inline int drained_take_report(void *context, const struct fxt_error *error)
{
    struct drained *drained = (struct drained *)context;

    CHECK(false, "%s after %llu samples", error->message,
          (unsigned long long)drained->read.n_stacks);
    return 0;
}

static inline void drained_start(struct drained *drained, uint32_t cpu)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = drained_take_record,
        .on_error = drained_take_report,
        .context = drained,
        .stream = FXT_STREAM_REGION,
        .byte_order = FXT_BYTE_ORDER_HOST,
    };

    *drained = (struct drained){.cpu = cpu};
    CHECK_EQ(fxt_reader_create(&options, &drained->read.reader), FXT_OK);
}

/* Takes a number of whole records. */
static inline void drained_put(struct drained *drained, const void *data, uint64_t size)
{
    struct fxt_chunk chunk = {data, size, 0};

    CHECK_EQ(fxt_reader_read(drained->read.reader, &chunk), FXT_OK);
    CHECK_EQ(chunk.pos, size);
}

/* That all numbers below `n` were there or dropped, as the emitter has counted. */
static inline void drained_finish(struct drained *drained, uint64_t n,
                                  const struct fxt_emit *emit)
{
    CHECK_EQ(fxt_reader_finish(drained->read.reader, NULL), FXT_OK);
    fxt_reader_destroy(drained->read.reader);
    CHECK_EQ(drained->next + emit->unreported_records, n);
    CHECK_EQ(drained->n_dropped + emit->unreported_records, emit->dropped_records);
    CHECK_EQ(drained->dropped_bytes + emit->unreported_bytes, emit->dropped_bytes);
    CHECK_EQ(emit->faults, 0);
}

#endif
