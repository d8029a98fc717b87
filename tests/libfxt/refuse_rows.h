/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of test_refuse.c: records with a field each that can have one value and not
 * another, and the code that the other gets.
 */
#ifndef TESTS_LIBFXT_REFUSE_ROWS_H
#define TESTS_LIBFXT_REFUSE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/fxt.h>

struct row {
    enum fxt_code code;
    const char *name;
    struct fxt_record record;
    /* All arguments of the record are this one. */
    struct fxt_arg arg;
    /* Where the field is: in the record, or in the arguments. */
    struct field {
        bool in_arg;
        size_t offset;
        size_t size;
    } field;
    /* The value that can be written, and the one that cannot. */
    uint64_t good;
    uint64_t bad;
};

/* What all pointers lead to: enough for any size that can be written, and a bit. */
static char many[64 << 10];
static struct fxt_arg row_args[FXT_ARGS_MAX + 1];

/* clang-format off */
#define FIELD(member) \
    {false, offsetof(struct fxt_record, member), sizeof(((struct fxt_record *)0)->member)}
#define ARG_FIELD(member) \
    {true, offsetof(struct fxt_arg, member), sizeof(((struct fxt_arg *)0)->member)}
#define PLAIN_ARG {.type = FXT_ARG_NULL}
#define TEXT {many, 1, 0}

#define RECORD(t, k, ...) {.type = t, .kind = k, .args = row_args, __VA_ARGS__}
#define METADATA(k, ...) RECORD(FXT_RECORD_METADATA, k, .metadata = {__VA_ARGS__})
#define EVENT(...) RECORD(FXT_RECORD_EVENT, 0, .event = {.id = 0, __VA_ARGS__})
#define EVENT_OF_ARG RECORD(FXT_RECORD_EVENT, 0, .n_args = 1)
/* All of it is inline, however references are made: three words. */
#define OBJECT_OF_ARG(...) \
    RECORD(FXT_RECORD_USERSPACE_OBJECT, 0, .n_args = 1, __VA_ARGS__)
#define BLOB(...) RECORD(FXT_RECORD_BLOB, 0, .blob = {.type = 0, __VA_ARGS__})
#define SCHEDULING(k) RECORD(FXT_RECORD_SCHEDULING, k, .n_args = 0)
#define OLD_SWITCH SCHEDULING(FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH)
#define PROFILER(k, ...) RECORD(FXT_RECORD_PROFILER, k, .profiler = {__VA_ARGS__})
#define LARGE(...) RECORD(FXT_RECORD_LARGE, 0, .large_blob = {__VA_ARGS__})
#define UNKNOWN(t, k) RECORD(t, k, .unknown = true, .body = {many, 2, false})

static const struct row rows[] = {
    {FXT_E_STRING_SIZE, "an event's name",
     EVENT(.name = TEXT), PLAIN_ARG, FIELD(event.name.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "a name of the maximum size",
     EVENT(.name = TEXT), PLAIN_ARG, FIELD(event.name.size), 32000, UINT32_MAX},
    {FXT_E_STRING_SIZE, "an event's category",
     EVENT(.category = TEXT), PLAIN_ARG, FIELD(event.category.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "an argument's name",
     EVENT_OF_ARG, {.name = TEXT}, ARG_FIELD(name.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "an argument's string",
     EVENT_OF_ARG, {.type = FXT_ARG_STRING, .value.string = TEXT},
     ARG_FIELD(value.string.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "a large blob's name",
     LARGE(.format = 1, .name = TEXT),
     PLAIN_ARG, FIELD(large_blob.name.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "a registered string",
     RECORD(FXT_RECORD_STRING, 0, .string = {1, TEXT}), PLAIN_ARG,
     FIELD(string.value.size), 32000, 32001},
    {FXT_E_STRING_SIZE, "a log's message",
     RECORD(FXT_RECORD_LOG, 0, .log = {.message = TEXT}), PLAIN_ARG,
     FIELD(log.message.size), 32000, 32001},
    {FXT_E_NAME_SIZE, "a provider's name",
     METADATA(FXT_METADATA_PROVIDER_INFO, .name = TEXT), PLAIN_ARG,
     FIELD(metadata.name.size), 255, 256},
    {FXT_E_NAME_SIZE, "a module's name",
     PROFILER(FXT_PROFILER_MODULE, .name = TEXT), PLAIN_ARG,
     FIELD(profiler.name.size), 255, 256},
    {FXT_E_NAME_SIZE, "a build id",
     PROFILER(FXT_PROFILER_MODULE, .build_id = {many, 1}), PLAIN_ARG,
     FIELD(profiler.build_id.size), 255, 256},
    {FXT_E_ARGS_MANY, "an event's arguments",
     EVENT(), PLAIN_ARG, FIELD(n_args), 15, 16},
    {FXT_E_ARGS_MANY, "as many as the field can hold",
     EVENT(), PLAIN_ARG, FIELD(n_args), 15, UINT32_MAX},
    {FXT_E_ARGS_MANY, "arguments of a blob",
     BLOB(), PLAIN_ARG, FIELD(n_args), 0, 1},
    {FXT_E_ARGS_MANY, "a large blob's arguments",
     LARGE(.format = 0), PLAIN_ARG, FIELD(n_args), 15, 16},
    {FXT_E_ARGS_MANY, "arguments of a large blob without metadata",
     LARGE(.format = 1), PLAIN_ARG, FIELD(n_args), 0, 1},
    {FXT_E_ARG_SIZE, "a large blob's argument",
     RECORD(FXT_RECORD_LARGE, 0, .n_args = 2),
     {.type = FXT_ARG_BLOB, .value.blob = {many, 0}},
     ARG_FIELD(value.blob.size), 4094 * 8, 4094 * 8 + 1},
    {FXT_E_ARG_SIZE, "an argument of more bytes than its header can say",
     EVENT_OF_ARG, {.type = FXT_ARG_BLOB, .value.blob = {many, 0}},
     ARG_FIELD(value.blob.size), 0, (uint64_t)UINT32_MAX + 1},
    {FXT_E_ARG_SIZE, "an argument whose size wraps",
     EVENT_OF_ARG, {.type = FXT_ARG_BLOB, .value.blob = {many, 0}},
     ARG_FIELD(value.blob.size), 0, UINT64_MAX - 6},
    {FXT_E_PCS_MANY, "PCs",
     PROFILER(FXT_PROFILER_BACKTRACE, .pcs = {many, 0, false}), PLAIN_ARG,
     FIELD(profiler.pcs.count), 255, 256},
    {FXT_E_PCS_MANY, "more PCs than there is memory",
     PROFILER(FXT_PROFILER_BACKTRACE, .pcs = {many, 0, false}), PLAIN_ARG,
     FIELD(profiler.pcs.count), 0, UINT64_MAX},
    {FXT_E_PAYLOAD_SIZE, "a blob's payload",
     BLOB(.payload = {many, 0}), PLAIN_ARG, FIELD(blob.payload.size), 4094 * 8, 32768},
    {FXT_E_PAYLOAD_SIZE, "more payload than there is memory",
     BLOB(.payload = {many, 0}), PLAIN_ARG, FIELD(blob.payload.size), 0, UINT64_MAX},
    {FXT_E_RECORD_SIZE, "a blob's payload in a record too small",
     BLOB(.payload = {many, 0}), PLAIN_ARG, FIELD(blob.payload.size), 4094 * 8,
     4094 * 8 + 1},
    {FXT_E_RECORD_SIZE, "two strings",
     OBJECT_OF_ARG(.userspace_object = {.name = {many, 16000, 0}}), {.name = TEXT},
     ARG_FIELD(name.size), (4095 - 3 - 2000 - 1) * 8, (4095 - 3 - 2000 - 1) * 8 + 1},
    {FXT_E_RECORD_SIZE, "an argument that its record has no room for",
     OBJECT_OF_ARG(), {.type = FXT_ARG_BLOB, .value.blob = {many, 0}},
     ARG_FIELD(value.blob.size), (4095 - 3 - 1) * 8, (4095 - 3 - 1) * 8 + 1},
    {FXT_E_FIELD_RANGE, "a provider's event",
     METADATA(FXT_METADATA_PROVIDER_EVENT, .event = 0),
     PLAIN_ARG, FIELD(metadata.event), 15, 16},
    {FXT_E_FIELD_RANGE, "a string's index",
     RECORD(FXT_RECORD_STRING, 0, .string = {1, TEXT}), PLAIN_ARG, FIELD(string.index),
     32767, 32768},
    {FXT_E_FIELD_RANGE, "a thread's index",
     RECORD(FXT_RECORD_THREAD, 0, .thread = {1, 2, 3}), PLAIN_ARG, FIELD(thread.index),
     255, 256},
    {FXT_E_FIELD_RANGE, "an event's kind",
     UNKNOWN(FXT_RECORD_EVENT, 11), PLAIN_ARG, FIELD(kind), 15, 16},
    {FXT_E_FIELD_RANGE, "an argument's type",
     EVENT_OF_ARG, {.value.unknown = {many, 2, false}}, ARG_FIELD(type), 15, 16},
    {FXT_E_FIELD_RANGE, "a blob's type",
     BLOB(), PLAIN_ARG, FIELD(blob.type), 255, 256},
    {FXT_E_FIELD_RANGE, "a kernel object's type",
     RECORD(FXT_RECORD_KERNEL_OBJECT, 0, .n_args = 0), PLAIN_ARG,
     FIELD(kernel_object.type), 255, 256},
    {FXT_E_FIELD_RANGE, "a context switch's CPU",
     SCHEDULING(FXT_SCHEDULING_CONTEXT_SWITCH), PLAIN_ARG, FIELD(scheduling.cpu), 65535,
     65536},
    {FXT_E_FIELD_RANGE, "a context switch's state",
     SCHEDULING(FXT_SCHEDULING_CONTEXT_SWITCH), PLAIN_ARG,
     FIELD(scheduling.outgoing_state), 15, 16},
    {FXT_E_FIELD_RANGE, "a wakeup's CPU",
     SCHEDULING(FXT_SCHEDULING_THREAD_WAKEUP), PLAIN_ARG, FIELD(scheduling.cpu), 65535,
     65536},
    {FXT_E_FIELD_RANGE, "a legacy context switch's CPU",
     OLD_SWITCH, PLAIN_ARG, FIELD(scheduling.cpu), 255, 256},
    {FXT_E_FIELD_RANGE, "its state",
     OLD_SWITCH, PLAIN_ARG, FIELD(scheduling.outgoing_state), 15, 16},
    {FXT_E_FIELD_RANGE, "its first priority",
     OLD_SWITCH, PLAIN_ARG, FIELD(scheduling.outgoing_priority), 255, 256},
    {FXT_E_FIELD_RANGE, "its second priority",
     OLD_SWITCH, PLAIN_ARG, FIELD(scheduling.incoming_priority), 255, 256},
    {FXT_E_FIELD_RANGE, "a module's id",
     PROFILER(FXT_PROFILER_MODULE, .flags = 0),
     PLAIN_ARG, FIELD(profiler.module_id), 65535, 65536},
    {FXT_E_FIELD_RANGE, "a mapping's module",
     PROFILER(FXT_PROFILER_MAPPING, .flags = 0),
     PLAIN_ARG, FIELD(profiler.module_id), 65535, 65536},
    {FXT_E_FIELD_RANGE, "a mapping's flags",
     PROFILER(FXT_PROFILER_MAPPING, .flags = 0), PLAIN_ARG, FIELD(profiler.flags), 7, 8},
    {FXT_E_END_BEFORE_BEGIN, "the end of a complete duration",
     RECORD(FXT_RECORD_EVENT, FXT_EVENT_DURATION_COMPLETE, .event = {.timestamp = 5}),
     PLAIN_ARG, FIELD(event.end_timestamp), 5, 4},
    {FXT_E_END_BEFORE_BEGIN, "the begin of a complete duration that ends as late as can be",
     RECORD(FXT_RECORD_EVENT, FXT_EVENT_DURATION_COMPLETE,
            .event = {.end_timestamp = UINT64_MAX - 1}),
     PLAIN_ARG, FIELD(event.timestamp), UINT64_MAX - 1, UINT64_MAX},
    {FXT_E_INDEX_ZERO, "a string at index 0",
     RECORD(FXT_RECORD_STRING, 0, .string = {1, TEXT}), PLAIN_ARG, FIELD(string.index),
     1, 0},
    {FXT_E_INDEX_ZERO, "a thread at index 0",
     RECORD(FXT_RECORD_THREAD, 0, .thread = {1, 2, 3}), PLAIN_ARG, FIELD(thread.index),
     1, 0},
    {FXT_E_TICKS_ZERO, "a rate of 0",
     RECORD(FXT_RECORD_INITIALIZATION, 0, .n_args = 0), PLAIN_ARG,
     FIELD(initialization.ticks_per_second), 1, 0},
    {FXT_E_MAGIC, "another number",
     METADATA(FXT_METADATA_TRACE_INFO, .event = 0), PLAIN_ARG, FIELD(metadata.magic),
     FXT_MAGIC_NUMBER, 1},
    {FXT_E_STRING_UNKNOWN, "a string at NULL",
     EVENT(), PLAIN_ARG, FIELD(event.name.size), 0, 1},
    {FXT_E_STRING_UNKNOWN, "a message at NULL",
     RECORD(FXT_RECORD_LOG, 0, .n_args = 0), PLAIN_ARG, FIELD(log.message.size), 0, 1},
    {FXT_E_STRING_UNKNOWN, "a string that was not resolved",
     EVENT(), PLAIN_ARG, FIELD(event.name.ref), 0, 1},
    {FXT_E_THREAD_UNKNOWN, "a thread that was not resolved",
     EVENT(), PLAIN_ARG, FIELD(event.thread.ref), 0, 1},
    {FXT_E_UNKNOWN_RECORD, "a type", EVENT(), PLAIN_ARG, FIELD(type), 4, 11},
    {FXT_E_UNKNOWN_RECORD, "a type that no field holds",
     EVENT(), PLAIN_ARG, FIELD(type), 4, 16},
    {FXT_E_UNKNOWN_RECORD, "the largest type",
     EVENT(), PLAIN_ARG, FIELD(type), 4, UINT32_MAX},
    {FXT_E_UNKNOWN_METADATA, "metadata of kind 5",
     UNKNOWN(FXT_RECORD_METADATA, 0), PLAIN_ARG, FIELD(kind), 1, 5},
    {FXT_E_UNKNOWN_METADATA, "metadata of kind 0",
     UNKNOWN(FXT_RECORD_METADATA, 0), PLAIN_ARG, FIELD(kind), 1, 0},
    {FXT_E_UNKNOWN_TRACE_INFO, "trace info",
     METADATA(FXT_METADATA_TRACE_INFO, .magic = FXT_MAGIC_NUMBER), PLAIN_ARG,
     FIELD(metadata.trace_info), 0, 1},
    {FXT_E_UNKNOWN_EVENT, "an event without its last words",
     EVENT(), PLAIN_ARG, FIELD(kind), 10, 11},
    {FXT_E_UNKNOWN_ARG, "an argument without its words",
     EVENT_OF_ARG, PLAIN_ARG, ARG_FIELD(type), 9, 11},
    {FXT_E_UNKNOWN_ARG, "an argument with bits",
     EVENT_OF_ARG, {.type = 11, .value.unknown = {many, 2, false}},
     ARG_FIELD(unknown_bits), 0, 1},
    {FXT_E_UNKNOWN_SCHEDULING, "scheduling",
     UNKNOWN(FXT_RECORD_SCHEDULING, 0), PLAIN_ARG, FIELD(kind), 2, 3},
    {FXT_E_UNKNOWN_PROFILER, "a profiler's record",
     UNKNOWN(FXT_RECORD_PROFILER, 0), PLAIN_ARG, FIELD(kind), 2, 3},
    {FXT_E_UNKNOWN_LARGE, "a large record",
     UNKNOWN(FXT_RECORD_LARGE, 0), PLAIN_ARG, FIELD(kind), 0, 1},
    {FXT_E_UNKNOWN_BLOB_FORMAT, "a large blob",
     UNKNOWN(FXT_RECORD_LARGE, 0), PLAIN_ARG, FIELD(large_blob.format), 1, 2},
    {FXT_E_INVALID, "arguments at NULL",
     {.type = FXT_RECORD_EVENT}, PLAIN_ARG, FIELD(n_args), 0, 1},
    {FXT_E_INVALID, "a payload at NULL",
     BLOB(), PLAIN_ARG, FIELD(blob.payload.size), 0, 1},
    {FXT_E_INVALID, "an argument's payload at NULL",
     EVENT_OF_ARG, {.type = FXT_ARG_BLOB}, ARG_FIELD(value.blob.size), 0, 1},
    {FXT_E_INVALID, "a build id at NULL",
     PROFILER(FXT_PROFILER_MODULE, .flags = 0),
     PLAIN_ARG, FIELD(profiler.build_id.size), 0, 1},
    {FXT_E_INVALID, "PCs at NULL",
     PROFILER(FXT_PROFILER_BACKTRACE, .flags = 0),
     PLAIN_ARG, FIELD(profiler.pcs.count), 0, 1},
    {FXT_E_INVALID, "a large payload at NULL",
     LARGE(.format = 1), PLAIN_ARG, FIELD(large_blob.payload.size), 0, 1},
};
/* clang-format on */

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

#endif
