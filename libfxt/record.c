/* SPDX-License-Identifier: BSD-2-Clause */
/* What records of several types have in common; see fxt/record.h. */
#include <fxt/record.h>

#include <stddef.h>

#include <fxt/format.h>

bool fxt_record_time(const struct fxt_record *record, uint64_t *ticks)
{
    if (record->type == FXT_RECORD_EVENT) {
        *ticks = record->event.timestamp;
        return true;
    }
    if (record->unknown)
        return false;
    switch (record->type) {
    case FXT_RECORD_SCHEDULING:
        *ticks = record->scheduling.timestamp;
        return true;
    case FXT_RECORD_LOG:
        *ticks = record->log.timestamp;
        return true;
    case FXT_RECORD_PROFILER:
        *ticks = record->profiler.timestamp;
        return true;
    case FXT_RECORD_LARGE:
        if (record->large_blob.format != FXT_LARGE_BLOB_METADATA)
            return false;
        *ticks = record->large_blob.timestamp;
        return true;
    default:
        return false;
    }
}

bool fxt_record_end(const struct fxt_record *record, uint64_t *ticks)
{
    if (record->type == FXT_RECORD_EVENT && record->kind == FXT_EVENT_DURATION_COMPLETE) {
        *ticks = record->event.end_timestamp;
        return true;
    }
    return fxt_record_time(record, ticks);
}

const struct fxt_thread *fxt_record_thread(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_EVENT)
        return &record->event.thread;
    if (record->unknown)
        return NULL;
    switch (record->type) {
    case FXT_RECORD_SCHEDULING:
        return record->kind == FXT_SCHEDULING_THREAD_WAKEUP
                   ? NULL
                   : &record->scheduling.incoming;
    case FXT_RECORD_LOG:
        return &record->log.thread;
    case FXT_RECORD_PROFILER:
        return &record->profiler.thread;
    case FXT_RECORD_LARGE:
        return record->large_blob.format == FXT_LARGE_BLOB_METADATA
                   ? &record->large_blob.thread
                   : NULL;
    default:
        return NULL;
    }
}
