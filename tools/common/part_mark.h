/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces that are parts of others: of what an end or a begin in them is missing, nothing
 * can be said. A part has a mark, a string record of an index that is not used, as
 * include/fxt/trace/header.h fills its chunks with: all readers take it, none shows it,
 * and it is no record of the trace. Its text:
 *
 *     fxt-part            a part that was chosen, or the beginning
 *     fxt-part 2          one of several that are the trace together
 *     fxt-part 3 of 3     the last one of these
 */
#ifndef TOOLS_PART_MARK_H
#define TOOLS_PART_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>
#include <fxt/sample.h>

#include "common/base/io/output.h"

struct part_mark {
    /* From 1 on, or 0 for a part without others. */
    uint64_t number;
    bool is_last;
};

/* No mark takes more bytes. */
#define PART_MARK_BYTES_MAX 64

/* Whether a record is a mark, which is stored to `mark` then. */
bool part_mark_read(struct part_mark *mark, const struct fxt_record *record);

/* Writes a mark, and returns how many bytes it has. */
uint64_t part_mark_write(struct output *output, const struct part_mark *mark,
                         bool swapped);

/* Whether a record says that the trace lacks some: a mark, or what buffers and samplers
 * write that were full. */
static inline bool part_mark_is_stated(const struct fxt_record *record)
{
    struct fxt_sample sample;
    struct part_mark mark;

    switch (record->type) {
    case FXT_RECORD_METADATA:
        return record->kind == FXT_METADATA_PROVIDER_EVENT &&
               record->metadata.event == FXT_PROVIDER_BUFFER_FULL;
    case FXT_RECORD_STRING:
        return part_mark_read(&mark, record);
    case FXT_RECORD_EVENT:
        return record->kind == FXT_EVENT_DURATION_COMPLETE &&
               record->event.thread.process == 0 &&
               fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS;
    default:
        return false;
    }
}

#endif
