/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that say what others are about:
 *
 *     - names: kernel objects, for records that name their koids, and userspace objects,
 *       for arguments that have their pointers;
 *     - code: modules and mappings, records of symbols, and the events by which a
 *       recorder says what its samples and heaps are, for records that have addresses of
 *       code.
 */
#ifndef TOOLS_DESCRIPTIONS_H
#define TOOLS_DESCRIPTIONS_H

#include <stdbool.h>

#include <fxt/record.h>

/* Whether a record is what a recorder says of its samples (docs/sampled-events.md), or of
 * heaps (docs/heap-records.md). */
static inline bool description_is_of_recorder(const struct fxt_record *record)
{
    if (record->type != FXT_RECORD_EVENT)
        return false;
    return record->kind == FXT_EVENT_INSTANT &&
           (fxt_string_is(record->event.category, "fxtrecord") ||
            fxt_string_is(record->event.category, "heap"));
}

/* Whether a record has symbols (docs/symbol-records.md). */
static inline bool description_is_of_symbols(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           record->large_blob.format == FXT_LARGE_BLOB_METADATA &&
           fxt_string_is(record->large_blob.category, "symbols");
}

/* Whether a record may be a description of code or have addresses of it: most are of
 * types and kinds that never are. */
static inline bool description_may_have_code(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_EVENT)
        return record->kind == FXT_EVENT_INSTANT;
    return record->type == FXT_RECORD_PROFILER || record->type == FXT_RECORD_LARGE;
}

/* Whether a record is a description of code. */
static inline bool description_is_of_code(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_PROFILER)
        return !record->unknown && record->kind != FXT_PROFILER_BACKTRACE;
    return description_is_of_symbols(record) || description_is_of_recorder(record);
}

/* Whether a record is a description. */
static inline bool description_is(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_KERNEL_OBJECT ||
           record->type == FXT_RECORD_USERSPACE_OBJECT ||
           (description_may_have_code(record) && description_is_of_code(record));
}

#endif
