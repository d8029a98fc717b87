/* SPDX-License-Identifier: BSD-2-Clause */
/* Records put together field by field, and the bytes that they must come to, which were
 * worked out by hand. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#include "tests/support/trip.h"
#include "tests/support/worked.h"

static const unsigned char build_id[20] = {0x3e, 0x1c, 0x4e, 0xb8, 0x2f, 0x79, 0xaf,
                                           0x6a, 0x4f, 0xd1, 0x42, 0xdb, 0x11, 0xf8,
                                           0x39, 0x79, 0x77, 0x2f, 0x98, 0x67};
static const uint64_t pcs[3] = {0x43dc387f8e10, 0x2b069ffa16c, 0x2b069ffb000};

/* clang-format off */
#define TEXT(text) {text, sizeof(text) - 1, 0}
#define INDEX(index) {NULL, 0, index}
#define THREAD(process, thread) {process, thread, 0, true}
#define THREAD_INDEX(index) {0, 0, index, false}
#define ARGS(...) (const struct fxt_arg[]){__VA_ARGS__}

/* In the order of worked_examples. */
static const struct fxt_record made[] = {
    {.type = FXT_RECORD_METADATA, .kind = FXT_METADATA_TRACE_INFO,
     .metadata = {.trace_info = FXT_TRACE_INFO_MAGIC_NUMBER, .magic = FXT_MAGIC_NUMBER}},
    {.type = FXT_RECORD_METADATA, .kind = FXT_METADATA_PROVIDER_INFO,
     .metadata = {.provider_id = 7, .name = TEXT("sampler")}},
    {.type = FXT_RECORD_METADATA, .kind = FXT_METADATA_PROVIDER_SECTION,
     .metadata = {.provider_id = 7}},
    {.type = FXT_RECORD_METADATA, .kind = FXT_METADATA_PROVIDER_EVENT,
     .metadata = {.provider_id = 7, .event = FXT_PROVIDER_BUFFER_FULL}},
    {.type = FXT_RECORD_INITIALIZATION, .initialization = {.ticks_per_second = 24000000}},
    {.type = FXT_RECORD_STRING, .string = {1, TEXT("kernel:meta")}},
    {.type = FXT_RECORD_THREAD, .thread = {1, 1045, 2077}},
    {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_DURATION_COMPLETE,
     .n_args = 2,
     .args = ARGS({.name = TEXT("n"), .type = FXT_ARG_UINT32, .value.uint32 = 3},
                  {.name = TEXT("who"), .type = FXT_ARG_STRING, .value.string = INDEX(1)}),
     .event = {.timestamp = 1000, .thread = THREAD_INDEX(1), .category = INDEX(1),
               .name = TEXT("vm:fault"), .end_timestamp = 4096}},
    {.type = FXT_RECORD_KERNEL_OBJECT,
     .n_args = 1,
     .args = ARGS({.name = TEXT("process"), .type = FXT_ARG_KOID, .value.koid = 1045}),
     .kernel_object = {FXT_OBJECT_THREAD, 2077, TEXT("worker")}},
    {.type = FXT_RECORD_SCHEDULING, .kind = FXT_SCHEDULING_CONTEXT_SWITCH,
     .n_args = 1,
     .args = ARGS({.name = TEXT("incoming_weight"), .type = FXT_ARG_INT32,
                   .value.int32 = -1}),
     .scheduling = {.timestamp = 5000, .cpu = 3, .outgoing_state = FXT_THREAD_BLOCKED,
                    .outgoing = THREAD(0, 2077), .incoming = THREAD(0, 2090)}},
    {.type = FXT_RECORD_SCHEDULING, .kind = FXT_SCHEDULING_THREAD_WAKEUP,
     .scheduling = {.timestamp = 4990, .cpu = 3, .waking_thread = 2090}},
    {.type = FXT_RECORD_SCHEDULING, .kind = FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH,
     .scheduling = {.timestamp = 41, .cpu = 3, .outgoing_state = FXT_THREAD_SUSPENDED,
                    .outgoing = THREAD(0x1234, 0x4321), .incoming = THREAD_INDEX(1),
                    .incoming_priority = 20}},
    {.type = FXT_RECORD_LOG,
     .log = {777, THREAD(1045, 2077), TEXT("hello log")}},
    {.type = FXT_RECORD_LARGE,
     .large_blob = {.format = FXT_LARGE_BLOB_METADATA, .timestamp = 123456789,
                    .thread = THREAD(1045, 2077), .payload = {pcs, sizeof(pcs)}}},
    {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_BACKTRACE,
     .profiler = {.timestamp = 123456789, .thread = THREAD(1045, 2077),
                  .pcs = {pcs, 3, false}}},
    {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE,
     .profiler = {.timestamp = 123456789, .thread = THREAD(1045, 0),
                  .name = TEXT("libfdio.so"), .build_id = {build_id, 20}}},
    {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MAPPING,
     .profiler = {.timestamp = 123456789, .thread = THREAD(1045, 0),
                  .start = 0x3bfd82b3000, .length = 0x62000,
                  .flags = FXT_MAPPING_READ | FXT_MAPPING_EXECUTE}},
    {.type = FXT_RECORD_LARGE,
     .large_blob = {.format = FXT_LARGE_BLOB_NO_METADATA, .category = TEXT("c"),
                    .name = TEXT("n"), .payload = {"\1\2\3", 3}}},
    {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT,
     .n_args = 1,
     .args = ARGS({.name = TEXT("data"), .type = FXT_ARG_BLOB,
                   .value.blob = {"\1\2\3\4\5", 5}}),
     .event = {.timestamp = 9, .thread = THREAD(1, 2), .name = TEXT("i")}},
    {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_DURATION_COMPLETE,
     .n_args = 2,
     .args = ARGS({.name = INDEX(42), .type = FXT_ARG_UINT32, .value.uint32 = 17},
                  {.name = INDEX(43), .type = FXT_ARG_UINT32, .value.uint32 = 9248}),
     .event = {.timestamp = 1000, .thread = THREAD(0, 3), .category = INDEX(40),
               .name = INDEX(41), .end_timestamp = 2000}},
    {.type = FXT_RECORD_BLOB,
     .blob = {TEXT("p"), FXT_BLOB_PERFETTO, {"\xde\xad", 2}}},
};
/* clang-format on */

_Static_assert(sizeof(made) / sizeof(made[0]) == N_WORKED, "one for each example");

/* Where the payload of a large blob is a stack, its words have the stream's byte order
 * when they are written, while a stream read in has whatever its writer had. */
static struct worked as_written(const struct worked *example, const struct fxt_record *r)
{
    struct worked result = *example;

    if (r->type == FXT_RECORD_LARGE && r->large_blob.format == FXT_LARGE_BLOB_METADATA)
        result.streams = 0;
    return result;
}

TEST(write, each_record_comes_to_the_bytes_worked_out_by_hand)
{
    for (size_t i = 0; i < 2 * N_WORKED; i++) {
        struct words w = {.big = i % 2 != 0};
        struct worked example = as_written(&worked_examples[i / 2], &made[i / 2]);
        struct fxt_writer_options options = {
            .strings = FXT_REFERENCES_AS_GIVEN,
            .threads = FXT_REFERENCES_AS_GIVEN,
            .byte_order = w.big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE,
        };
        struct fxt_buffer stream = {0};
        struct fxt_writer *writer = trip_writer(&options, &stream);
        enum fxt_code code = fxt_writer_write(writer, &made[i / 2]);

        CHECK(code == FXT_OK, "%s: %s", example.name, fxt_code_name(code));
        CHECK(fxt_writer_finish(writer) == FXT_OK, "");
        fxt_writer_destroy(writer);
        put_worked_example(&w, &example);
        CHECK(stream.size == w.size && memcmp(stream.data, w.bytes, w.size) == 0,
              "%s, big-endian %d", example.name, w.big);
        free(stream.data);
        words_free(&w);
    }
}
