/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of the fields of Perfetto's trace format, by message: those that are
 * written. */
#ifndef FXTPROFILE_OUTPUT_PERFETTO_FIELDS_H
#define FXTPROFILE_OUTPUT_PERFETTO_FIELDS_H

enum perfetto_trace_field { TRACE_PACKET = 1 };

enum perfetto_packet_field {
    PACKET_FTRACE_EVENTS = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_PERF_SAMPLE = 66
};

enum perfetto_sequence_flags { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

enum perfetto_snapshot_field { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY_CLOCK = 2 };
enum perfetto_clock_field { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum perfetto_clock { CLOCK_IS_REALTIME = 1, CLOCK_IS_BOOTTIME = 6 };

/* perf_sample_defaults, and what is inside of it. */
enum perfetto_defaults_field { DEFAULTS_PERF_SAMPLE = 12 };
enum perfetto_perf_defaults_field { PERF_DEFAULTS_TIMEBASE = 1 };
enum perfetto_timebase_field { TIMEBASE_PERIOD = 1, TIMEBASE_COUNTER = 4 };
enum perfetto_counter { COUNTER_IS_CPU_CLOCK = 1 };

enum perfetto_descriptor_field {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_COUNTER = 8
};

enum perfetto_process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum perfetto_thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum perfetto_event_field {
    EVENT_CATEGORY_IIDS = 3,
    EVENT_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_COUNTER_DOUBLE = 44,
    EVENT_FLOW_IDS = 47,
    EVENT_LAST_FLOW_IDS = 48
};

enum perfetto_event_type {
    TYPE_SLICE_BEGIN = 1,
    TYPE_SLICE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4
};

enum perfetto_annotation_field {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10
};

enum perfetto_interned_field {
    INTERNED_CATEGORIES = 1,
    INTERNED_EVENT_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_FUNCTION_NAMES = 5,
    INTERNED_FRAMES = 6,
    INTERNED_CALLSTACKS = 7,
    INTERNED_BUILD_IDS = 16,
    INTERNED_MAPPING_PATHS = 17,
    INTERNED_SOURCE_PATHS = 18,
    INTERNED_MAPPINGS = 19
};

/* Of interned strings and of all else that is interned. */
enum perfetto_entry_field { ENTRY_IID = 1, ENTRY_STRING = 2 };

enum perfetto_mapping_field {
    MAPPING_BUILD_ID = 2,
    MAPPING_START_OFFSET = 3,
    MAPPING_START = 4,
    MAPPING_END = 5,
    MAPPING_LOAD_BIAS = 6,
    MAPPING_PATH = 7,
    MAPPING_EXACT_OFFSET = 8
};

enum perfetto_frame_field {
    FRAME_FUNCTION_NAME = 2,
    FRAME_MAPPING = 3,
    FRAME_REL_PC = 4,
    FRAME_SOURCE_PATH = 5,
    FRAME_LINE = 6
};

enum perfetto_callstack_field { CALLSTACK_FRAMES = 2 };

enum perfetto_sample_field {
    SAMPLE_CPU = 1,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_CALLSTACK = 4,
    SAMPLE_CPU_MODE = 5,
    SAMPLE_COUNT = 6
};

/* Events of the Linux kernel, of a CPU. */
enum perfetto_bundle_field { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };

enum perfetto_ftrace_field {
    FTRACE_TIMESTAMP = 1,
    FTRACE_PID = 2,
    FTRACE_SCHED_SWITCH = 4,
    FTRACE_COMMON_FLAGS = 5,
    FTRACE_SCHED_WAKING = 20
};

enum perfetto_switch_field {
    SWITCH_PREV_COMM = 1,
    SWITCH_PREV_PID = 2,
    SWITCH_PREV_PRIO = 3,
    SWITCH_PREV_STATE = 4,
    SWITCH_NEXT_COMM = 5,
    SWITCH_NEXT_PID = 6,
    SWITCH_NEXT_PRIO = 7
};

enum perfetto_waking_field {
    WAKING_COMM = 1,
    WAKING_PID = 2,
    WAKING_PRIO = 3,
    WAKING_TARGET_CPU = 5
};

enum perfetto_cpu_mode { MODE_KERNEL = 1, MODE_USER = 2 };

#endif
