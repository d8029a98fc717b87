/* SPDX-License-Identifier: BSD-2-Clause */
/* See schema.h. */
#include "schema.h"

/* A type, and whether there may be no value. */
#define INT64 COLUMN_INT64, false
#define INT64_OR_NULL COLUMN_INT64, true
#define TIME COLUMN_TIME, false
#define TIME_OR_NULL COLUMN_TIME, true
#define UINT64 COLUMN_UINT64, false
#define UINT64_OR_NULL COLUMN_UINT64, true
#define DOUBLE COLUMN_DOUBLE, false
#define DOUBLE_OR_NULL COLUMN_DOUBLE, true
#define BOOL COLUMN_BOOL, false
#define STRING COLUMN_STRING, false
#define STRING_OR_NULL COLUMN_STRING, true
#define BLOB_OR_NULL COLUMN_BLOB, true
#define HASH COLUMN_HASH, false
#define HASH_LIST COLUMN_HASH_LIST, false

static const struct column meta_columns[] = {
    {"name", STRING, NULL, "What is stated, such as schema_version or command_line"},
    {"int_value", INT64_OR_NULL, NULL, "The value, if it is a number"},
    {"str_value", STRING_OR_NULL, NULL, "The value, if it is a string"},
};

static const struct column loss_columns[] = {
    {"name", STRING, NULL, "What was lost, such as dropped_records or cut_stacks"},
    {"kind", STRING, NULL,
     "Why: sampler, kernel, stacks, damage, filtered, disk or other"},
    {"cpu", INT64_OR_NULL, NULL, "The CPU on which it was lost"},
    {"value", UINT64_OR_NULL, NULL, "How many, or how many bytes"},
    {"description", STRING_OR_NULL, NULL, "Why, or a sentence about it"},
};

static const struct column process_columns[] = {
    {"upid", INT64, NULL, "The number of the process in these tables"},
    {"pid", UINT64, NULL, "Its number, or koid, in the trace"},
    {"name", STRING_OR_NULL, NULL,
     "Its name; with several while it was sampled, it has a row for each"},
};

static const struct column thread_columns[] = {
    {"utid", INT64, NULL, "The number of the thread in these tables"},
    {"tid", UINT64_OR_NULL, NULL, "Its number, or koid, in the trace"},
    {"name", STRING_OR_NULL, NULL,
     "Its name; with several while it was sampled, it has a row for each"},
    {"upid", INT64_OR_NULL, "process.upid", "The process that it is of"},
};

static const struct column frame_columns[] = {
    {"id", HASH, NULL, "The hash of the other columns"},
    {"name", STRING, NULL,
     "The function, or what stands for it, such as its address in the module"},
    {"module", STRING_OR_NULL, NULL, "The file that the code is of"},
    {"build_id", STRING_OR_NULL, NULL, "The build id of that file, in hex"},
    {"source_file", STRING_OR_NULL, NULL, "The source file"},
    {"line_number", INT64_OR_NULL, NULL, "The line in the source file"},
    {"inlined", BOOL, NULL, "The function was inlined into the next frame's"},
};

static const struct column stack_columns[] = {
    {"id", HASH, NULL, "The hash of the other columns"},
    {"frames", HASH_LIST, "frame.id", "The frames, the innermost first"},
    {"ending", STRING_OR_NULL, NULL,
     "whole, or why the outermost frames are missing, where that is known"},
};

static const struct column sample_columns[] = {
    {"ts", TIME_OR_NULL, NULL, "When it was taken; none for heaps"},
    {"utid", INT64_OR_NULL, "thread.utid", "The thread that ran"},
    {"cpu", INT64_OR_NULL, NULL, "The CPU on which it ran"},
    {"stack_id", HASH, "stack.id", "Its stack"},
    {"event", STRING_OR_NULL, NULL,
     "What value is: cpu for CPU time, the sampled event, or a value of a heap"},
    {"unit", STRING_OR_NULL, NULL, "The unit of value: nanoseconds, count or bytes"},
    {"count", INT64, NULL, "How many samples this is: 1; of a heap, how many blocks"},
    {"value", INT64_OR_NULL, NULL, "What it stands for, in that unit"},
};

static const struct column slice_columns[] = {
    {"id", INT64, NULL, "Different from those of all other events"},
    {"ts", TIME, NULL, "When it began"},
    {"dur", INT64, NULL, "For how long it lasted"},
    {"utid", INT64_OR_NULL, "thread.utid", "The thread that it is of"},
    {"name", STRING, NULL, "Its name, or its category where it has none"},
    {"category", STRING, NULL, "Its category"},
    {"depth", INT64, NULL, "How many slices it is in"},
    {"parent_id", INT64_OR_NULL, "slice.id", "The innermost of these"},
    {"self_dur", INT64, NULL, "For how long it was the innermost of its thread"},
    {"unfinished", BOOL, NULL, "No end was recorded: it lasts until its thread's last"},
    {"arg_set_id", INT64_OR_NULL, "args.arg_set_id", "Its arguments"},
};

static const struct column instant_columns[] = {
    {"id", INT64, NULL, "Different from those of all other events"},
    {"ts", TIME, NULL, "When it was"},
    {"utid", INT64_OR_NULL, "thread.utid", "The thread that recorded it"},
    {"name", STRING, NULL, "Its name, or the message"},
    {"category", STRING, NULL, "Its category"},
    {"kind", STRING, NULL, "instant, log, or async for one of an operation"},
    {"async_id", UINT64_OR_NULL, NULL, "The id of the operation"},
    {"arg_set_id", INT64_OR_NULL, "args.arg_set_id", "Its arguments"},
};

static const struct column async_columns[] = {
    {"id", INT64, NULL, "Different from those of all other events"},
    {"ts", TIME, NULL, "When the operation began"},
    {"dur", INT64, NULL, "For how long it lasted"},
    {"utid", INT64_OR_NULL, "thread.utid", "The thread on which it began"},
    {"end_utid", INT64_OR_NULL, "thread.utid", "The thread on which it ended"},
    {"name", STRING, NULL, "Its name"},
    {"category", STRING, NULL, "Its category"},
    {"async_id", UINT64, NULL, "Its id in its process"},
    {"unfinished", BOOL, NULL, "No end was recorded: it lasts until the last of its id"},
    {"arg_set_id", INT64_OR_NULL, "args.arg_set_id", "Its arguments"},
};

static const struct column flow_columns[] = {
    {"id", INT64, NULL, "Different from those of all other events"},
    {"ts", TIME, NULL, "When the flow was here"},
    {"utid", INT64_OR_NULL, "thread.utid", "The thread on which it was"},
    {"slice_id", INT64_OR_NULL, "slice.id", "The innermost slice in which it was"},
    {"kind", STRING, NULL, "begin, step or end"},
    {"flow", INT64_OR_NULL, NULL, "Equal for all events of one flow"},
    {"trace_id", UINT64, NULL, "Its id in the trace"},
    {"name", STRING, NULL, "Its name"},
    {"category", STRING, NULL, "Its category"},
    {"arg_set_id", INT64_OR_NULL, "args.arg_set_id", "Its arguments"},
};

static const struct column counter_columns[] = {
    {"ts", TIME, NULL, "From when on it had this value"},
    {"upid", INT64_OR_NULL, "process.upid", "The process that recorded it"},
    {"name", STRING, NULL, "Its name"},
    {"series", STRING, NULL, "The argument that has the value"},
    {"category", STRING, NULL, "Its category"},
    {"counter_id", UINT64, NULL, "Its id, which may be 0"},
    {"value", DOUBLE, NULL, "The value; integers above 2^53 are rounded"},
};

static const struct column args_columns[] = {
    {"arg_set_id", INT64, NULL, "Equal to the id of the event"},
    {"key", STRING, NULL, "The name, which need not be unique in an event"},
    {"value_type", STRING, NULL,
     "int, uint, real, string, bool, pointer, koid, blob, null, or other"},
    {"int_value", INT64_OR_NULL, NULL,
     "An integer or a bool; one from 2^63 on is negative, with the same 64 bits"},
    {"string_value", STRING_OR_NULL, NULL, "A string"},
    {"real_value", DOUBLE_OR_NULL, NULL, "A floating-point number"},
    {"blob_value", BLOB_OR_NULL, NULL, "Bytes"},
};

static const struct column sched_columns[] = {
    {"ts", TIME, NULL, "Since when"},
    {"dur", INT64, NULL, "For how long"},
    {"utid", INT64, "thread.utid", "The thread"},
    {"cpu", INT64_OR_NULL, NULL, "The CPU on which it ran, or had run last"},
    {"state", STRING, NULL, "running, runnable, blocked or suspended"},
    {"waker_utid", INT64_OR_NULL, "thread.utid", "The thread that woke it afterwards"},
};

#define TABLE(name, n_key_columns, is_shared, meaning)                                   \
    {                                                                                    \
        (#name), n_key_columns, is_shared, name##_columns,                               \
            sizeof(name##_columns) / sizeof(name##_columns[0]), meaning                  \
    }

const struct table_info schema_tables[SCHEMA_TABLES] = {
    [SCHEMA_META] = TABLE(meta, 0, false, "What is known of the recording as a whole"),
    [SCHEMA_LOSS] = TABLE(loss, 0, false, "What is missing, so that sums can be judged"),
    [SCHEMA_PROCESS] = TABLE(process, 1, false, "The processes"),
    [SCHEMA_THREAD] = TABLE(thread, 1, false, "The threads"),
    [SCHEMA_FRAME] = TABLE(frame, 1, true, "Functions, where stacks have been in them"),
    [SCHEMA_STACK] = TABLE(stack, 1, true, "The stacks of samples, each once"),
    [SCHEMA_SAMPLE] = TABLE(sample, 0, false, "Samples of stacks, and heaps"),
    [SCHEMA_SLICE] = TABLE(slice, 1, false, "Spans of threads: durations, which nest"),
    [SCHEMA_INSTANT] = TABLE(instant, 1, false, "Events without a duration, and logs"),
    [SCHEMA_ASYNC] = TABLE(async, 1, false, "Asynchronous operations"),
    [SCHEMA_FLOW] = TABLE(flow, 1, false, "Where flows began, went on and ended"),
    [SCHEMA_COUNTER] = TABLE(counter, 0, false, "Values of counters"),
    [SCHEMA_ARGS] = TABLE(args, 0, false, "Arguments of slices and other events"),
    [SCHEMA_SCHED] = TABLE(sched, 0, false, "What threads did, by scheduling records"),
};

const char *column_type_name(enum column_type type)
{
    switch (type) {
    case COLUMN_INT64:
        return "int64";
    case COLUMN_TIME:
        return "time";
    case COLUMN_UINT64:
        return "uint64";
    case COLUMN_DOUBLE:
        return "double";
    case COLUMN_BOOL:
        return "bool";
    case COLUMN_STRING:
        return "string";
    case COLUMN_BLOB:
        return "blob";
    case COLUMN_HASH:
        return "hash";
    case COLUMN_HASH_LIST:
        return "list of hashes";
    }
    return "";
}
