/* SPDX-License-Identifier: BSD-2-Clause */
/* See kinds.h. */
#include "kinds.h"

#include "enum_names.h"

unsigned kind_of_event(const struct fxt_record *record)
{
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS)
        return KIND_DROP_STATS;
    return record->type * 16 + record->kind;
}

static unsigned type_of(unsigned kind)
{
    switch (kind) {
    case KIND_SAMPLE:
    case KIND_UNKNOWN_LARGE:
        return FXT_RECORD_LARGE;
    case KIND_DROP_STATS:
        return FXT_RECORD_EVENT;
    default:
        return kind / 16;
    }
}

static bool is_unknown(unsigned kind)
{
    return kind == KIND_UNKNOWN_LARGE || name_record_type(type_of(kind)) == NULL;
}

const char *kind_type(unsigned kind)
{
    return is_unknown(kind) ? "unknown" : name_record_type(type_of(kind));
}

const char *kind_name(unsigned kind)
{
    if (kind == KIND_SAMPLE)
        return "sample";
    if (kind == KIND_DROP_STATS)
        return "drop_stats";
    switch (kind / 16) {
    case FXT_RECORD_METADATA:
        return name_metadata_type(kind % 16);
    case FXT_RECORD_EVENT:
        return name_event_type(kind % 16);
    case FXT_RECORD_SCHEDULING:
        return name_scheduling_type(kind % 16);
    case FXT_RECORD_PROFILER:
        return name_profiler_type(kind % 16);
    default:
        return is_unknown(kind) ? NULL : kind_type(kind);
    }
}

unsigned kind_number(unsigned kind)
{
    return is_unknown(kind) ? type_of(kind) : kind % 16;
}
