/* SPDX-License-Identifier: BSD-2-Clause */
/* See enum_names.h. */
#include "enum_names.h"

#include <stddef.h>

#include <fxt/format.h>

#define LOOK_UP(names, number)                                                           \
    ((number) < sizeof(names) / sizeof((names)[0]) ? (names)[number] : NULL)

/* fxtdump takes a type that has a name for one whose fields it prints: add_known in
 * print_json.c, add_record in print_text.c. */
const char *name_record_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_RECORD_METADATA] = "metadata",
        [FXT_RECORD_INITIALIZATION] = "initialization",
        [FXT_RECORD_STRING] = "string",
        [FXT_RECORD_THREAD] = "thread",
        [FXT_RECORD_EVENT] = "event",
        [FXT_RECORD_BLOB] = "blob",
        [FXT_RECORD_USERSPACE_OBJECT] = "userspace_object",
        [FXT_RECORD_KERNEL_OBJECT] = "kernel_object",
        [FXT_RECORD_SCHEDULING] = "scheduling",
        [FXT_RECORD_LOG] = "log",
        [FXT_RECORD_PROFILER] = "profiler",
        [FXT_RECORD_LARGE] = "large_blob",
    };

    return LOOK_UP(names, type);
}

const char *name_metadata_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_METADATA_PROVIDER_INFO] = "provider_info",
        [FXT_METADATA_PROVIDER_SECTION] = "provider_section",
        [FXT_METADATA_PROVIDER_EVENT] = "provider_event",
        [FXT_METADATA_TRACE_INFO] = "trace_info",
    };

    return LOOK_UP(names, type);
}

const char *name_provider_event(uint64_t event)
{
    static const char *const names[] = {[FXT_PROVIDER_BUFFER_FULL] = "buffer_full"};

    return LOOK_UP(names, event);
}

const char *name_event_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_EVENT_INSTANT] = "instant",
        [FXT_EVENT_COUNTER] = "counter",
        [FXT_EVENT_DURATION_BEGIN] = "duration_begin",
        [FXT_EVENT_DURATION_END] = "duration_end",
        [FXT_EVENT_DURATION_COMPLETE] = "duration_complete",
        [FXT_EVENT_ASYNC_BEGIN] = "async_begin",
        [FXT_EVENT_ASYNC_INSTANT] = "async_instant",
        [FXT_EVENT_ASYNC_END] = "async_end",
        [FXT_EVENT_FLOW_BEGIN] = "flow_begin",
        [FXT_EVENT_FLOW_STEP] = "flow_step",
        [FXT_EVENT_FLOW_END] = "flow_end",
    };

    return LOOK_UP(names, type);
}

const char *name_blob_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_BLOB_DATA] = "data",
        [FXT_BLOB_LAST_BRANCH] = "last_branch",
        [FXT_BLOB_PERFETTO] = "perfetto",
    };

    return LOOK_UP(names, type);
}

const char *name_object_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_OBJECT_PROCESS] = "process",
        [FXT_OBJECT_THREAD] = "thread",
    };

    return LOOK_UP(names, type);
}

const char *name_scheduling_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH] = "legacy_context_switch",
        [FXT_SCHEDULING_CONTEXT_SWITCH] = "context_switch",
        [FXT_SCHEDULING_THREAD_WAKEUP] = "thread_wakeup",
    };

    return LOOK_UP(names, type);
}

const char *name_thread_state(uint64_t state)
{
    static const char *const names[] = {
        [FXT_THREAD_NEW] = "new",
        [FXT_THREAD_RUNNING] = "running",
        [FXT_THREAD_SUSPENDED] = "suspended",
        [FXT_THREAD_BLOCKED] = "blocked",
        [FXT_THREAD_DYING] = "dying",
        [FXT_THREAD_DEAD] = "dead",
    };

    return LOOK_UP(names, state);
}

const char *name_profiler_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_PROFILER_MODULE] = "module",
        [FXT_PROFILER_MAPPING] = "mapping",
        [FXT_PROFILER_BACKTRACE] = "backtrace",
    };

    return LOOK_UP(names, type);
}

const char *name_arg_type(uint64_t type)
{
    static const char *const names[] = {
        [FXT_ARG_NULL] = "null",     [FXT_ARG_INT32] = "int32",
        [FXT_ARG_UINT32] = "uint32", [FXT_ARG_INT64] = "int64",
        [FXT_ARG_UINT64] = "uint64", [FXT_ARG_DOUBLE] = "double",
        [FXT_ARG_STRING] = "string", [FXT_ARG_POINTER] = "pointer",
        [FXT_ARG_KOID] = "koid",     [FXT_ARG_BOOL] = "bool",
        [FXT_ARG_BLOB] = "blob",
    };

    return LOOK_UP(names, type);
}
