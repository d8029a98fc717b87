/* SPDX-License-Identifier: BSD-2-Clause */
/* See plausible.h. */
#include "plausible.h"

#include <fxt/format.h>

#include "decode.h"
#include "take.h"

#define BIT(n) ((uint64_t)1 << (n))
/* The bits from `low` to `high`, both included. */
#define BITS(low, high) FXT_PUT_BITS_(~(uint64_t)0, low, high)

/* What a type or kind of record asks of its header. */
struct shape {
    /* The smallest size in words, and whether it is the only one. */
    uint64_t min_words;
    bool exact;
    /* Bits that must be zero. */
    uint64_t unused;
};

static const struct shape nothing = {UINT64_MAX, true, 0};

static struct shape metadata_shape(uint64_t header)
{
    uint64_t name_words = words_for(FXT_GET(header, PROVIDER_NAME_SIZE));

    switch (FXT_GET(header, METADATA_TYPE)) {
    case FXT_METADATA_PROVIDER_INFO:
        return (struct shape){1 + name_words, true, BITS(60, 63)};
    case FXT_METADATA_PROVIDER_SECTION:
        return (struct shape){1, true, BITS(52, 63)};
    case FXT_METADATA_PROVIDER_EVENT:
        return (struct shape){1, true, BITS(52, 63)};
    case FXT_METADATA_TRACE_INFO:
        return header == FXT_MAGIC_RECORD ? (struct shape){1, true, 0} : nothing;
    default:
        return nothing;
    }
}

static struct shape string_shape(uint64_t header)
{
    if (FXT_GET(header, STRING_INDEX) == 0)
        return nothing;
    return (struct shape){1 + words_for(FXT_GET(header, STRING_SIZE)), true,
                          BIT(31) | BITS(47, 63)};
}

static struct shape thread_shape(uint64_t header)
{
    if (FXT_GET(header, THREAD_INDEX) == 0)
        return nothing;
    return (struct shape){3, true, BITS(24, 63)};
}

static struct shape event_shape(uint64_t header)
{
    if (FXT_GET(header, EVENT_TYPE) > FXT_EVENT_FLOW_END)
        return nothing;
    return (struct shape){2 + FXT_GET(header, EVENT_ARGS), false, 0};
}

static struct shape blob_shape(uint64_t header)
{
    return (struct shape){1 + words_for(FXT_GET(header, BLOB_SIZE)), false,
                          BIT(47) | BITS(56, 63)};
}

static struct shape scheduling_shape(uint64_t header)
{
    switch (FXT_GET(header, SCHEDULING_TYPE)) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        return (struct shape){2, false, 0};
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        return (struct shape){4 + FXT_GET(header, CONTEXT_SWITCH_ARGS), false,
                              BITS(40, 59)};
    case FXT_SCHEDULING_THREAD_WAKEUP:
        return (struct shape){3 + FXT_GET(header, THREAD_WAKEUP_ARGS), false,
                              BITS(36, 59)};
    default:
        return nothing;
    }
}

static struct shape profiler_shape(uint64_t header)
{
    switch (FXT_GET(header, PROFILER_TYPE)) {
    case FXT_PROFILER_MODULE:
        return (struct shape){2, false, BITS(60, 63)};
    case FXT_PROFILER_MAPPING:
        return (struct shape){5, false, BITS(47, 63)};
    case FXT_PROFILER_BACKTRACE:
        return (struct shape){2 + FXT_GET(header, BACKTRACE_PCS), false, BITS(36, 63)};
    default:
        return nothing;
    }
}

static struct shape large_shape(uint64_t header)
{
    if (FXT_GET(header, LARGE_TYPE) != FXT_LARGE_BLOB)
        return nothing;
    if (FXT_GET(header, LARGE_BLOB_FORMAT) > FXT_LARGE_BLOB_NO_METADATA)
        return nothing;
    return (struct shape){3, false, BITS(44, 63)};
}

static struct shape shape_of(uint64_t header)
{
    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_RECORD_METADATA:
        return metadata_shape(header);
    case FXT_RECORD_INITIALIZATION:
        return (struct shape){2, false, BITS(16, 63)};
    case FXT_RECORD_STRING:
        return string_shape(header);
    case FXT_RECORD_THREAD:
        return thread_shape(header);
    case FXT_RECORD_EVENT:
        return event_shape(header);
    case FXT_RECORD_BLOB:
        return blob_shape(header);
    case FXT_RECORD_USERSPACE_OBJECT:
    case FXT_RECORD_KERNEL_OBJECT:
        return (struct shape){2, false, BITS(44, 63)};
    case FXT_RECORD_SCHEDULING:
        return scheduling_shape(header);
    case FXT_RECORD_LOG:
        return (struct shape){2 + words_for(FXT_GET(header, LOG_SIZE)), false,
                              BIT(31) | BITS(40, 63)};
    case FXT_RECORD_PROFILER:
        return profiler_shape(header);
    case FXT_RECORD_LARGE:
        return large_shape(header);
    default:
        return nothing;
    }
}

bool plausible_header(uint64_t header, uint64_t max_words)
{
    uint64_t n_words = decode_n_words(header);
    struct shape shape = shape_of(header);

    if (n_words < shape.min_words || n_words > max_words || (header & shape.unused) != 0)
        return false;
    return !shape.exact || n_words == shape.min_words;
}
