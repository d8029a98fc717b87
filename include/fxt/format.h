/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bit layout of FXT: the position of each field of each header word, the meaning of
 * its values, and the format's limits. Needs no library, not even libc; every macro here
 * works in C11, in C++17 and in a kernel. The integer types come from fxt/compiler.h.
 *
 * The source of each fact is the Fuchsia trace format reference ("trace-format.md");
 * where a fact is documented only by code, the comment names the code.
 *
 * A field is a pair: its lowest and its highest bit, both inclusive, bit 0 being the
 * least significant bit of the 64-bit word, as the reference documents them. Extract one
 * with FXT_GET(word, EVENT_NAME) and make one with FXT_PUT(EVENT_NAME, value).
 */
#ifndef FXT_FORMAT_H
#define FXT_FORMAT_H

#include <fxt/compiler.h>

/* The value of a field of a word, as uint64_t. */
#define FXT_GET(word, field) FXT_GET_PAIR_(word, FXT_FIELD_##field)

/* A word with one field set and all other bits zero. Bits of the value that do not fit
 * the field are discarded: check against FXT_MAX first. */
#define FXT_PUT(field, value) FXT_PUT_PAIR_(value, FXT_FIELD_##field)

/* The largest value that a field holds. */
#define FXT_MAX(field) FXT_MAX_PAIR_(FXT_FIELD_##field)

/* The extra step lets the pair expand into two arguments. */
#define FXT_GET_PAIR_(word, pair) FXT_GET_BITS_(word, pair)
#define FXT_PUT_PAIR_(value, pair) FXT_PUT_BITS_(value, pair)
#define FXT_MAX_PAIR_(pair) FXT_MAX_BITS_(pair)
#define FXT_MAX_BITS_(low, high) (~(uint64_t)0 >> (63 - ((high) - (low))))
#define FXT_GET_BITS_(word, low, high)                                                   \
    (((uint64_t)(word) >> (low)) & FXT_MAX_BITS_(low, high))
#define FXT_PUT_BITS_(value, low, high)                                                  \
    (((uint64_t)(value)&FXT_MAX_BITS_(low, high)) << (low))

/* ---- Every record ------------------------------------------------------------------ */

#define FXT_FIELD_RECORD_TYPE 0, 3
/* The record's size in words, header included; every type but FXT_RECORD_LARGE. */
#define FXT_FIELD_RECORD_WORDS 4, 15
/* The same for FXT_RECORD_LARGE: 32 bits, although many readers use 12. */
#define FXT_FIELD_LARGE_WORDS 4, 35

enum fxt_record_type {
    FXT_RECORD_METADATA = 0,
    FXT_RECORD_INITIALIZATION = 1,
    FXT_RECORD_STRING = 2,
    FXT_RECORD_THREAD = 3,
    FXT_RECORD_EVENT = 4,
    FXT_RECORD_BLOB = 5,
    FXT_RECORD_USERSPACE_OBJECT = 6,
    FXT_RECORD_KERNEL_OBJECT = 7,
    FXT_RECORD_SCHEDULING = 8,
    FXT_RECORD_LOG = 9,
    FXT_RECORD_PROFILER = 10,
    FXT_RECORD_LARGE = 15
};

/* ---- References -------------------------------------------------------------------- */

/* A string reference is 16 bits: 0 is the empty string; 1 to 0x7fff is an index into the
 * provider's string table; with the top bit set the string is inline: its bytes follow in
 * the record, and the low 15 bits are its size. */
#define FXT_STRING_REF_EMPTY 0
#define FXT_STRING_REF_INLINE 0x8000
#define FXT_STRING_REF_SIZE_MASK 0x7fff
#define FXT_STRING_INDEX_MAX 0x7fff

/* A thread reference is 8 bits: 0 means inline: the process and thread koids follow in
 * the record; 1 to 255 is an index into the provider's thread table. */
#define FXT_THREAD_REF_INLINE 0
#define FXT_THREAD_INDEX_MAX 255

/* ---- Metadata (type 0) ------------------------------------------------------------- */

#define FXT_FIELD_METADATA_TYPE 16, 19
#define FXT_FIELD_PROVIDER_ID 20, 51
#define FXT_FIELD_PROVIDER_NAME_SIZE 52, 59
#define FXT_FIELD_PROVIDER_EVENT 52, 55
#define FXT_FIELD_TRACE_INFO_TYPE 20, 23
#define FXT_FIELD_TRACE_INFO_MAGIC 24, 55

enum fxt_metadata_type {
    FXT_METADATA_PROVIDER_INFO = 1,
    FXT_METADATA_PROVIDER_SECTION = 2,
    FXT_METADATA_PROVIDER_EVENT = 3,
    FXT_METADATA_TRACE_INFO = 4
};

enum fxt_provider_event { FXT_PROVIDER_BUFFER_FULL = 0 };

enum fxt_trace_info_type { FXT_TRACE_INFO_MAGIC_NUMBER = 0 };

/* The magic number, and the one-word record that holds it. It is the only record that
 * the format declares not to be extensible. */
#define FXT_MAGIC_NUMBER 0x16547846
#define FXT_MAGIC_RECORD 0x0016547846040010

/* ---- Initialization (type 1), string (type 2), thread (type 3) --------------------- */

/* The tick rate of a provider that sends no initialization record. */
#define FXT_DEFAULT_TICKS_PER_SECOND 1000000000

#define FXT_FIELD_STRING_INDEX 16, 30
#define FXT_FIELD_STRING_SIZE 32, 46
#define FXT_FIELD_THREAD_INDEX 16, 23

/* ---- Event (type 4) ---------------------------------------------------------------- */

#define FXT_FIELD_EVENT_TYPE 16, 19
#define FXT_FIELD_EVENT_ARGS 20, 23
#define FXT_FIELD_EVENT_THREAD 24, 31
#define FXT_FIELD_EVENT_CATEGORY 32, 47
#define FXT_FIELD_EVENT_NAME 48, 63

enum fxt_event_type {
    FXT_EVENT_INSTANT = 0,
    FXT_EVENT_COUNTER = 1,
    FXT_EVENT_DURATION_BEGIN = 2,
    FXT_EVENT_DURATION_END = 3,
    FXT_EVENT_DURATION_COMPLETE = 4,
    FXT_EVENT_ASYNC_BEGIN = 5,
    FXT_EVENT_ASYNC_INSTANT = 6,
    FXT_EVENT_ASYNC_END = 7,
    FXT_EVENT_FLOW_BEGIN = 8,
    FXT_EVENT_FLOW_STEP = 9,
    FXT_EVENT_FLOW_END = 10
};

/* An instant event may end in a word with its scope. This is documented only by code
 * (Fuchsia's trace-reader). */
enum fxt_instant_scope {
    FXT_SCOPE_THREAD = 0,
    FXT_SCOPE_PROCESS = 1,
    FXT_SCOPE_GLOBAL = 2
};

/* ---- Blob (type 5) ----------------------------------------------------------------- */

#define FXT_FIELD_BLOB_NAME 16, 31
#define FXT_FIELD_BLOB_SIZE 32, 46
#define FXT_FIELD_BLOB_TYPE 48, 55

enum fxt_blob_type { FXT_BLOB_DATA = 1, FXT_BLOB_LAST_BRANCH = 2, FXT_BLOB_PERFETTO = 3 };

/* ---- Userspace object (type 6), kernel object (type 7) ----------------------------- */

#define FXT_FIELD_USERSPACE_OBJECT_THREAD 16, 23
#define FXT_FIELD_USERSPACE_OBJECT_NAME 24, 39
#define FXT_FIELD_USERSPACE_OBJECT_ARGS 40, 43

#define FXT_FIELD_KERNEL_OBJECT_TYPE 16, 23
#define FXT_FIELD_KERNEL_OBJECT_NAME 24, 39
#define FXT_FIELD_KERNEL_OBJECT_ARGS 40, 43

/* Zircon's object types; many more exist, and all numbers are passed through. */
enum fxt_object_type { FXT_OBJECT_PROCESS = 1, FXT_OBJECT_THREAD = 2 };

/* ---- Scheduling (type 8) ----------------------------------------------------------- */

#define FXT_FIELD_SCHEDULING_TYPE 60, 63

#define FXT_FIELD_CONTEXT_SWITCH_ARGS 16, 19
#define FXT_FIELD_CONTEXT_SWITCH_CPU 20, 35
#define FXT_FIELD_CONTEXT_SWITCH_STATE 36, 39

#define FXT_FIELD_THREAD_WAKEUP_ARGS 16, 19
#define FXT_FIELD_THREAD_WAKEUP_CPU 20, 35

#define FXT_FIELD_LEGACY_SWITCH_CPU 16, 23
#define FXT_FIELD_LEGACY_SWITCH_STATE 24, 27
#define FXT_FIELD_LEGACY_SWITCH_OUTGOING 28, 35
#define FXT_FIELD_LEGACY_SWITCH_INCOMING 36, 43
#define FXT_FIELD_LEGACY_SWITCH_OUTGOING_PRIORITY 44, 51
#define FXT_FIELD_LEGACY_SWITCH_INCOMING_PRIORITY 52, 59

enum fxt_scheduling_type {
    FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH = 0,
    FXT_SCHEDULING_CONTEXT_SWITCH = 1,
    FXT_SCHEDULING_THREAD_WAKEUP = 2
};

enum fxt_thread_state {
    FXT_THREAD_NEW = 0,
    FXT_THREAD_RUNNING = 1,
    FXT_THREAD_SUSPENDED = 2,
    FXT_THREAD_BLOCKED = 3,
    FXT_THREAD_DYING = 4,
    FXT_THREAD_DEAD = 5
};

/* ---- Log (type 9) ------------------------------------------------------------------ */

#define FXT_FIELD_LOG_SIZE 16, 30
#define FXT_FIELD_LOG_THREAD 32, 39

/* ---- Profiler (type 10) ------------------------------------------------------------ */

#define FXT_FIELD_PROFILER_TYPE 16, 19
#define FXT_FIELD_PROFILER_THREAD 20, 27

#define FXT_FIELD_MODULE_ID 28, 43
#define FXT_FIELD_MODULE_NAME_SIZE 44, 51
#define FXT_FIELD_MODULE_BUILD_ID_SIZE 52, 59

#define FXT_FIELD_MAPPING_MODULE_ID 28, 43
#define FXT_FIELD_MAPPING_FLAGS 44, 46

#define FXT_FIELD_BACKTRACE_PCS 28, 35

enum fxt_profiler_type {
    FXT_PROFILER_MODULE = 0,
    FXT_PROFILER_MAPPING = 1,
    FXT_PROFILER_BACKTRACE = 2
};

/* The flags of a mapping are an ELF program header's (p_flags), as Fuchsia's writer
 * stores them. One reader interprets them in the opposite order. */
enum fxt_mapping_flag {
    FXT_MAPPING_EXECUTE = 1,
    FXT_MAPPING_WRITE = 2,
    FXT_MAPPING_READ = 4
};

/* ---- Large record (type 15) -------------------------------------------------------- */

#define FXT_FIELD_LARGE_TYPE 36, 39
#define FXT_FIELD_LARGE_BLOB_FORMAT 40, 43

/* The second word of a large blob, called the format header. The argument count and the
 * thread are present only in the format with metadata. */
#define FXT_FIELD_LARGE_BLOB_CATEGORY 0, 15
#define FXT_FIELD_LARGE_BLOB_NAME 16, 31
#define FXT_FIELD_LARGE_BLOB_ARGS 32, 35
#define FXT_FIELD_LARGE_BLOB_THREAD 36, 43

enum fxt_large_type { FXT_LARGE_BLOB = 0 };

enum fxt_large_blob_format {
    FXT_LARGE_BLOB_METADATA = 0,
    FXT_LARGE_BLOB_NO_METADATA = 1
};

/* ---- Arguments --------------------------------------------------------------------- */

#define FXT_FIELD_ARG_TYPE 0, 3
/* The argument's size in words, including its header, its inline name and its value. */
#define FXT_FIELD_ARG_WORDS 4, 15
#define FXT_FIELD_ARG_NAME 16, 31
#define FXT_FIELD_ARG_VALUE 32, 63
#define FXT_FIELD_ARG_STRING 32, 47
#define FXT_FIELD_ARG_BOOL 32, 32

enum fxt_arg_type {
    FXT_ARG_NULL = 0,
    FXT_ARG_INT32 = 1,
    FXT_ARG_UINT32 = 2,
    FXT_ARG_INT64 = 3,
    FXT_ARG_UINT64 = 4,
    FXT_ARG_DOUBLE = 5,
    FXT_ARG_STRING = 6,
    FXT_ARG_POINTER = 7,
    FXT_ARG_KOID = 8,
    FXT_ARG_BOOL = 9,
    FXT_ARG_BLOB = 10
};

/* ---- Limits ------------------------------------------------------------------------ */

#define FXT_WORD_BYTES 8
#define FXT_RECORD_WORDS_MAX 4095
#define FXT_LARGE_WORDS_MAX 0xffffffff
#define FXT_ARGS_MAX 15
#define FXT_STRING_SIZE_MAX 0x7fff
/* The longest string that the reference recommends, in bytes; Fuchsia's reader accepts no
 * longer inline string. */
#define FXT_STRING_SIZE_CAP 32000
#define FXT_PROVIDER_NAME_SIZE_MAX 255
#define FXT_BACKTRACE_PCS_MAX 255

/* Zircon's kernel sampler takes at most this many PCs of a stack (thread_sampler). */
#define FXT_SAMPLER_PCS_MAX 64

/*
 * How the walk of a stack ended. This is libfxt's own: where a sampler knows, it stands
 * in the argument "end", of type uint32, of a sample that is a large blob. Numbers are
 * never changed.
 */
enum fxt_stack_end {
    /* The sampler does not say. */
    FXT_STACK_END_UNKNOWN = 0,
    /* At the outermost frame: the whole stack is there. */
    FXT_STACK_END_OUTERMOST = 1,
    /* The stack has more PCs than the sampler keeps; those nearest the root are missing.
     */
    FXT_STACK_END_DEPTH = 2,
    /* The module of the last PC has no unwind table for it, and no frame pointer that
     * leads on. */
    FXT_STACK_END_NO_TABLE = 3,
    /* Memory of the stack could not be read. */
    FXT_STACK_END_UNREADABLE = 4,
    /* The stack is larger than the part of it that was copied. */
    FXT_STACK_END_COPY_TOO_SHORT = 5,
    /* What should be a return address is in no executable mapping. */
    FXT_STACK_END_NOT_CODE = 6,
    /* The next frame would not be above the last one: a damaged stack. */
    FXT_STACK_END_NO_PROGRESS = 7,
    /* The unwind table has a rule for the last PC that is not supported, or that needs a
     * register whose value is not known. */
    FXT_STACK_END_SPECIAL_RULE = 8,
    /* The last PC switched stacks, or was interrupted by a signal that did: its caller is
     * on another one. */
    FXT_STACK_END_STACK_SWITCH = 9,
    /* The thread was executing exec or exiting: its old stack is gone. */
    FXT_STACK_END_NO_STACK = 10,
    /* There is no stack, and the only PC is 0: the sample stands for CPU time of the
     * thread in which it could not be sampled. */
    FXT_STACK_END_NOT_SAMPLED = 11
};

#endif
