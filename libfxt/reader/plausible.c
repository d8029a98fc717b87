/* SPDX-License-Identifier: BSD-2-Clause */
/* See plausible.h. */
#include "plausible.h"

#include <fxt/format.h>

#include "decode.h"
#include "take.h"

#define BIT(n) ((uint64_t)1 << (n))
/* The bits from `low` to `high`, both included. */
#define BITS(low, high) FXT_PUT_BITS_(~(uint64_t)0, low, high)

/* What a type or kind of record requires of its header. */
struct shape {
    /* The size in words that is neither too small nor too large. */
    uint64_t min_words;
    uint64_t max_words;
    /* Bits that must be zero. */
    uint64_t unused;
};

/* How many words a newer format may have added to a record. The bound distinguishes a
 * header from any other number: records of more words than this have arguments or a size
 * field that accounts for them. */
enum { GROWTH_WORDS = 8 };

static const struct shape nothing = {1, 0, 0};

static struct shape exact_shape(uint64_t n_words, uint64_t unused)
{
    return (struct shape){n_words, n_words, unused};
}

/* Of `n_words` and, for each argument, at least one more. */
static struct shape with_args(uint64_t n_words, uint64_t n_args, uint64_t unused)
{
    if (n_args == 0)
        return (struct shape){n_words, n_words + GROWTH_WORDS, unused};
    return (struct shape){n_words + n_args, UINT64_MAX, unused};
}

static struct shape without_args(uint64_t n_words, uint64_t unused)
{
    return with_args(n_words, 0, unused);
}

/* How many words references to threads take inline. */
static uint64_t thread_words(uint64_t ref)
{
    return ref == FXT_THREAD_REF_INLINE ? 2 : 0;
}

/* Some writers have only the process inline. */
static uint64_t process_words(uint64_t ref)
{
    return ref == FXT_THREAD_REF_INLINE ? 1 : 0;
}

static struct shape metadata_shape(uint64_t header)
{
    switch (FXT_GET(header, METADATA_TYPE)) {
    case FXT_METADATA_PROVIDER_INFO:
        return exact_shape(1 + words_for(FXT_GET(header, PROVIDER_NAME_SIZE)),
                           BITS(60, 63));
    case FXT_METADATA_PROVIDER_SECTION:
    case FXT_METADATA_PROVIDER_EVENT:
        return exact_shape(1, BITS(52, 63));
    case FXT_METADATA_TRACE_INFO:
        return header == FXT_MAGIC_RECORD ? exact_shape(1, 0) : nothing;
    default:
        return nothing;
    }
}

/* No writer registers an empty string, and small numbers look like such records. */
static struct shape string_shape(uint64_t header)
{
    if (FXT_GET(header, STRING_INDEX) == 0 || FXT_GET(header, STRING_SIZE) == 0)
        return nothing;
    return exact_shape(1 + words_for(FXT_GET(header, STRING_SIZE)),
                       BIT(31) | BITS(47, 63));
}

static struct shape thread_shape(uint64_t header)
{
    if (FXT_GET(header, THREAD_INDEX) == 0)
        return nothing;
    return exact_shape(3, BITS(24, 63));
}

/* All events have a name or at least a category. */
static struct shape event_shape(uint64_t header)
{
    uint64_t kind = FXT_GET(header, EVENT_TYPE);
    bool has_last_word = kind == FXT_EVENT_COUNTER || kind >= FXT_EVENT_DURATION_COMPLETE;

    if (kind > FXT_EVENT_FLOW_END ||
        (FXT_GET(header, EVENT_CATEGORY) == 0 && FXT_GET(header, EVENT_NAME) == 0))
        return nothing;
    return with_args(2 + thread_words(FXT_GET(header, EVENT_THREAD)) +
                         inline_words(FXT_GET(header, EVENT_CATEGORY)) +
                         inline_words(FXT_GET(header, EVENT_NAME)) + has_last_word,
                     FXT_GET(header, EVENT_ARGS), 0);
}

static struct shape blob_shape(uint64_t header)
{
    if (FXT_GET(header, BLOB_TYPE) == 0)
        return nothing;
    return without_args(1 + inline_words(FXT_GET(header, BLOB_NAME)) +
                            words_for(FXT_GET(header, BLOB_SIZE)),
                        BIT(47) | BITS(56, 63));
}

/* None is larger than this in practice. Without a bound, many more numbers would pass. */
enum { USERSPACE_OBJECT_WORDS_MAX = 256 };

static struct shape userspace_object_shape(uint64_t header)
{
    struct shape shape =
        with_args(2 + process_words(FXT_GET(header, USERSPACE_OBJECT_THREAD)) +
                      inline_words(FXT_GET(header, USERSPACE_OBJECT_NAME)),
                  FXT_GET(header, USERSPACE_OBJECT_ARGS), BITS(44, 63));

    if (shape.max_words > USERSPACE_OBJECT_WORDS_MAX)
        shape.max_words = USERSPACE_OBJECT_WORDS_MAX;
    return shape;
}

static struct shape kernel_object_shape(uint64_t header)
{
    return with_args(2 + inline_words(FXT_GET(header, KERNEL_OBJECT_NAME)),
                     FXT_GET(header, KERNEL_OBJECT_ARGS), BITS(44, 63));
}

static struct shape scheduling_shape(uint64_t header)
{
    switch (FXT_GET(header, SCHEDULING_TYPE)) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        return without_args(2 + thread_words(FXT_GET(header, LEGACY_SWITCH_OUTGOING)) +
                                thread_words(FXT_GET(header, LEGACY_SWITCH_INCOMING)),
                            0);
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        return with_args(4, FXT_GET(header, CONTEXT_SWITCH_ARGS), BITS(40, 59));
    case FXT_SCHEDULING_THREAD_WAKEUP:
        return with_args(3, FXT_GET(header, THREAD_WAKEUP_ARGS), BITS(36, 59));
    default:
        return nothing;
    }
}

static struct shape log_shape(uint64_t header)
{
    return without_args(2 + thread_words(FXT_GET(header, LOG_THREAD)) +
                            words_for(FXT_GET(header, LOG_SIZE)),
                        BIT(31) | BITS(40, 63));
}

static struct shape profiler_shape(uint64_t header)
{
    uint64_t ref = FXT_GET(header, PROFILER_THREAD);

    switch (FXT_GET(header, PROFILER_TYPE)) {
    case FXT_PROFILER_MODULE:
        return without_args(2 + process_words(ref) +
                                words_for(FXT_GET(header, MODULE_NAME_SIZE)) +
                                words_for(FXT_GET(header, MODULE_BUILD_ID_SIZE)),
                            BITS(60, 63));
    case FXT_PROFILER_MAPPING:
        return without_args(5 + process_words(ref), BITS(47, 63));
    case FXT_PROFILER_BACKTRACE:
        return without_args(2 + thread_words(ref) + FXT_GET(header, BACKTRACE_PCS),
                            BITS(36, 63));
    default:
        return nothing;
    }
}

/* The fields of a large blob are in the words after the header. */
static struct shape large_shape(uint64_t header)
{
    if (FXT_GET(header, LARGE_TYPE) != FXT_LARGE_BLOB)
        return nothing;
    switch (FXT_GET(header, LARGE_BLOB_FORMAT)) {
    case FXT_LARGE_BLOB_METADATA:
        return (struct shape){4, UINT64_MAX, BITS(44, 63)};
    case FXT_LARGE_BLOB_NO_METADATA:
        return (struct shape){3, UINT64_MAX, BITS(44, 63)};
    default:
        return nothing;
    }
}

static struct shape shape_of(uint64_t header)
{
    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_RECORD_METADATA:
        return metadata_shape(header);
    case FXT_RECORD_INITIALIZATION:
        return (struct shape){2, 4, BITS(16, 63)};
    case FXT_RECORD_STRING:
        return string_shape(header);
    case FXT_RECORD_THREAD:
        return thread_shape(header);
    case FXT_RECORD_EVENT:
        return event_shape(header);
    case FXT_RECORD_BLOB:
        return blob_shape(header);
    case FXT_RECORD_USERSPACE_OBJECT:
        return userspace_object_shape(header);
    case FXT_RECORD_KERNEL_OBJECT:
        return kernel_object_shape(header);
    case FXT_RECORD_SCHEDULING:
        return scheduling_shape(header);
    case FXT_RECORD_LOG:
        return log_shape(header);
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

    return n_words >= shape.min_words && n_words <= shape.max_words &&
           n_words <= max_words && (header & shape.unused) == 0;
}

bool plausible_arg_header(uint64_t header)
{
    uint64_t n_words = 1 + inline_words(FXT_GET(header, ARG_NAME));
    uint64_t unused = BITS(32, 63);

    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_ARG_NULL:
        break;
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        n_words++;
        break;
    case FXT_ARG_STRING:
        n_words += inline_words(FXT_GET(header, ARG_STRING));
        unused = BITS(48, 63);
        break;
    default:
        return false;
    }
    return FXT_GET(header, ARG_WORDS) == n_words && (header & unused) == 0;
}
