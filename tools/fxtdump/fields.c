/* SPDX-License-Identifier: BSD-2-Clause */
/* See fields.h. */
#include "fields.h"

#include <fxt/format.h>

#include "tools/common/enum_names.h"

/* ---- Tables ------------------------------------------------------------------------ */

#define FIELD(name, bits, unit, names)                                                   \
    {                                                                                    \
        name, FXT_FIELD_##bits, unit, names                                              \
    }
#define NUMBER(name, bits) FIELD(name, bits, FIELD_NUMBER, NULL)
#define NAMED(name, bits, names) FIELD(name, bits, FIELD_NUMBER, names)
#define HEX(name, bits) FIELD(name, bits, FIELD_HEX, NULL)
#define WORDS(name, bits) FIELD(name, bits, FIELD_WORDS, NULL)
#define BYTES(name, bits) FIELD(name, bits, FIELD_BYTES, NULL)
#define STRING(name, bits) FIELD(name, bits, FIELD_STRING, NULL)
#define THREAD(name, bits) FIELD(name, bits, FIELD_THREAD, NULL)
#define TYPE NAMED("type", RECORD_TYPE, name_record_type)
#define SIZE WORDS("size", RECORD_WORDS)

static const struct field any[] = {TYPE, SIZE};

#define METADATA_TYPE NAMED("metadata type", METADATA_TYPE, name_metadata_type)

static const struct field metadata[] = {TYPE, SIZE, METADATA_TYPE};
static const struct field provider_info[] = {TYPE, SIZE, METADATA_TYPE,
                                             NUMBER("provider", PROVIDER_ID),
                                             BYTES("name size", PROVIDER_NAME_SIZE)};
static const struct field provider_section[] = {TYPE, SIZE, METADATA_TYPE,
                                                NUMBER("provider", PROVIDER_ID)};
static const struct field provider_event[] = {
    TYPE, SIZE, METADATA_TYPE, NUMBER("provider", PROVIDER_ID),
    NAMED("event", PROVIDER_EVENT, name_provider_event)};
static const struct field trace_info[] = {TYPE, SIZE, METADATA_TYPE,
                                          NUMBER("trace info type", TRACE_INFO_TYPE)};
static const struct field magic_number[] = {TYPE, SIZE, METADATA_TYPE,
                                            NUMBER("trace info type", TRACE_INFO_TYPE),
                                            HEX("magic", TRACE_INFO_MAGIC)};

static const struct field string[] = {TYPE, SIZE, NUMBER("index", STRING_INDEX),
                                      BYTES("string size", STRING_SIZE)};
static const struct field thread[] = {TYPE, SIZE, NUMBER("index", THREAD_INDEX)};

static const struct field event[] = {TYPE,
                                     SIZE,
                                     NAMED("event type", EVENT_TYPE, name_event_type),
                                     NUMBER("arguments", EVENT_ARGS),
                                     THREAD("thread", EVENT_THREAD),
                                     STRING("category", EVENT_CATEGORY),
                                     STRING("name", EVENT_NAME)};

static const struct field blob[] = {TYPE, SIZE, STRING("name", BLOB_NAME),
                                    BYTES("payload size", BLOB_SIZE),
                                    NAMED("blob type", BLOB_TYPE, name_blob_type)};

static const struct field userspace_object[] = {
    TYPE, SIZE, THREAD("process", USERSPACE_OBJECT_THREAD),
    STRING("name", USERSPACE_OBJECT_NAME), NUMBER("arguments", USERSPACE_OBJECT_ARGS)};
static const struct field kernel_object[] = {
    TYPE, SIZE, NAMED("object type", KERNEL_OBJECT_TYPE, name_object_type),
    STRING("name", KERNEL_OBJECT_NAME), NUMBER("arguments", KERNEL_OBJECT_ARGS)};

#define SCHEDULING_TYPE NAMED("scheduling type", SCHEDULING_TYPE, name_scheduling_type)

static const struct field scheduling[] = {TYPE, SIZE, SCHEDULING_TYPE};
static const struct field legacy_switch[] = {
    TYPE,
    SIZE,
    NUMBER("cpu", LEGACY_SWITCH_CPU),
    NAMED("outgoing state", LEGACY_SWITCH_STATE, name_thread_state),
    THREAD("outgoing thread", LEGACY_SWITCH_OUTGOING),
    THREAD("incoming thread", LEGACY_SWITCH_INCOMING),
    NUMBER("outgoing priority", LEGACY_SWITCH_OUTGOING_PRIORITY),
    NUMBER("incoming priority", LEGACY_SWITCH_INCOMING_PRIORITY),
    SCHEDULING_TYPE};
static const struct field context_switch[] = {
    TYPE,
    SIZE,
    NUMBER("arguments", CONTEXT_SWITCH_ARGS),
    NUMBER("cpu", CONTEXT_SWITCH_CPU),
    NAMED("outgoing state", CONTEXT_SWITCH_STATE, name_thread_state),
    SCHEDULING_TYPE};
static const struct field thread_wakeup[] = {
    TYPE, SIZE, NUMBER("arguments", THREAD_WAKEUP_ARGS), NUMBER("cpu", THREAD_WAKEUP_CPU),
    SCHEDULING_TYPE};

static const struct field log_message[] = {TYPE, SIZE, BYTES("message size", LOG_SIZE),
                                           THREAD("thread", LOG_THREAD)};

#define PROFILER_TYPE NAMED("profiler type", PROFILER_TYPE, name_profiler_type)
#define PROFILER_THREAD THREAD("thread", PROFILER_THREAD)

static const struct field profiler[] = {TYPE, SIZE, PROFILER_TYPE, PROFILER_THREAD};
static const struct field module[] = {TYPE,
                                      SIZE,
                                      PROFILER_TYPE,
                                      PROFILER_THREAD,
                                      NUMBER("module", MODULE_ID),
                                      BYTES("name size", MODULE_NAME_SIZE),
                                      BYTES("build id size", MODULE_BUILD_ID_SIZE)};
static const struct field mapping[] = {TYPE,
                                       SIZE,
                                       PROFILER_TYPE,
                                       PROFILER_THREAD,
                                       NUMBER("module", MAPPING_MODULE_ID),
                                       HEX("flags", MAPPING_FLAGS)};
static const struct field backtrace[] = {TYPE, SIZE, PROFILER_TYPE, PROFILER_THREAD,
                                         NUMBER("PCs", BACKTRACE_PCS)};

#define LARGE_SIZE WORDS("size", LARGE_WORDS)
#define LARGE_TYPE NUMBER("large type", LARGE_TYPE)

static const struct field large[] = {TYPE, LARGE_SIZE, LARGE_TYPE};
static const struct field large_blob[] = {TYPE, LARGE_SIZE, LARGE_TYPE,
                                          NUMBER("blob format", LARGE_BLOB_FORMAT)};
static const struct field with_metadata[] = {
    STRING("category", LARGE_BLOB_CATEGORY), STRING("name", LARGE_BLOB_NAME),
    NUMBER("arguments", LARGE_BLOB_ARGS), THREAD("thread", LARGE_BLOB_THREAD)};
static const struct field without_metadata[] = {STRING("category", LARGE_BLOB_CATEGORY),
                                                STRING("name", LARGE_BLOB_NAME)};

#define ARG_HEAD                                                                         \
    NAMED("type", ARG_TYPE, name_arg_type), WORDS("size", ARG_WORDS),                    \
        STRING("name", ARG_NAME)

static const struct field arg[] = {ARG_HEAD};
static const struct field arg_int32[] = {ARG_HEAD,
                                         FIELD("value", ARG_VALUE, FIELD_SIGNED, NULL)};
static const struct field arg_uint32[] = {ARG_HEAD, NUMBER("value", ARG_VALUE)};
static const struct field arg_string[] = {ARG_HEAD, STRING("value", ARG_STRING)};
static const struct field arg_bool[] = {ARG_HEAD, NUMBER("value", ARG_BOOL)};
static const struct field arg_blob[] = {ARG_HEAD, BYTES("value size", ARG_VALUE)};

/* ---- Choosing a table -------------------------------------------------------------- */

#define FIELDS(table) ((struct fields){table, sizeof(table) / sizeof((table)[0])})

static struct fields fields_of_metadata(uint64_t header)
{
    switch (FXT_GET(header, METADATA_TYPE)) {
    case FXT_METADATA_PROVIDER_INFO:
        return FIELDS(provider_info);
    case FXT_METADATA_PROVIDER_SECTION:
        return FIELDS(provider_section);
    case FXT_METADATA_PROVIDER_EVENT:
        return FIELDS(provider_event);
    case FXT_METADATA_TRACE_INFO:
        if (FXT_GET(header, TRACE_INFO_TYPE) == FXT_TRACE_INFO_MAGIC_NUMBER)
            return FIELDS(magic_number);
        return FIELDS(trace_info);
    default:
        return FIELDS(metadata);
    }
}

static struct fields fields_of_scheduling(uint64_t header)
{
    switch (FXT_GET(header, SCHEDULING_TYPE)) {
    case FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH:
        return FIELDS(legacy_switch);
    case FXT_SCHEDULING_CONTEXT_SWITCH:
        return FIELDS(context_switch);
    case FXT_SCHEDULING_THREAD_WAKEUP:
        return FIELDS(thread_wakeup);
    default:
        return FIELDS(scheduling);
    }
}

static struct fields fields_of_profiler(uint64_t header)
{
    switch (FXT_GET(header, PROFILER_TYPE)) {
    case FXT_PROFILER_MODULE:
        return FIELDS(module);
    case FXT_PROFILER_MAPPING:
        return FIELDS(mapping);
    case FXT_PROFILER_BACKTRACE:
        return FIELDS(backtrace);
    default:
        return FIELDS(profiler);
    }
}

struct fields fields_of_record(uint64_t header)
{
    switch (FXT_GET(header, RECORD_TYPE)) {
    case FXT_RECORD_METADATA:
        return fields_of_metadata(header);
    case FXT_RECORD_STRING:
        return FIELDS(string);
    case FXT_RECORD_THREAD:
        return FIELDS(thread);
    case FXT_RECORD_EVENT:
        return FIELDS(event);
    case FXT_RECORD_BLOB:
        return FIELDS(blob);
    case FXT_RECORD_USERSPACE_OBJECT:
        return FIELDS(userspace_object);
    case FXT_RECORD_KERNEL_OBJECT:
        return FIELDS(kernel_object);
    case FXT_RECORD_SCHEDULING:
        return fields_of_scheduling(header);
    case FXT_RECORD_LOG:
        return FIELDS(log_message);
    case FXT_RECORD_PROFILER:
        return fields_of_profiler(header);
    case FXT_RECORD_LARGE:
        return FXT_GET(header, LARGE_TYPE) == FXT_LARGE_BLOB ? FIELDS(large_blob)
                                                             : FIELDS(large);
    default:
        return FIELDS(any);
    }
}

struct fields fields_of_large_blob(uint32_t format)
{
    return format == FXT_LARGE_BLOB_METADATA ? FIELDS(with_metadata)
                                             : FIELDS(without_metadata);
}

struct fields fields_of_arg(uint64_t header)
{
    switch (FXT_GET(header, ARG_TYPE)) {
    case FXT_ARG_INT32:
        return FIELDS(arg_int32);
    case FXT_ARG_UINT32:
        return FIELDS(arg_uint32);
    case FXT_ARG_STRING:
        return FIELDS(arg_string);
    case FXT_ARG_BOOL:
        return FIELDS(arg_bool);
    case FXT_ARG_BLOB:
        return FIELDS(arg_blob);
    default:
        return FIELDS(arg);
    }
}

/* ---- Printing ---------------------------------------------------------------------- */

/* "inline, 3 bytes" */
static void add_amount(struct text *out, const char *before, uint64_t n, const char *unit)
{
    text_str(out, before);
    text_u64(out, n);
    text_char(out, ' ');
    text_str(out, unit);
    if (n != 1)
        text_char(out, 's');
}

static void add_string_ref(struct text *out, uint64_t value)
{
    if (value == FXT_STRING_REF_EMPTY)
        text_str(out, "empty");
    else if (value & FXT_STRING_REF_INLINE)
        add_amount(out, "inline, ", value & FXT_STRING_REF_SIZE_MASK, "byte");
    else
        text_printf(out, "#%u", (unsigned)value);
}

static void add_value(struct text *out, const struct field *field, uint64_t value)
{
    const char *name = field->value_name != NULL ? field->value_name(value) : NULL;

    switch (field->unit) {
    case FIELD_NUMBER:
        text_u64(out, value);
        break;
    case FIELD_HEX:
        text_str(out, "0x");
        text_hex(out, value, 1);
        break;
    case FIELD_SIGNED:
        text_i64(out, (int32_t)(uint32_t)value);
        break;
    case FIELD_WORDS:
        add_amount(out, "", value, "word");
        break;
    case FIELD_BYTES:
        add_amount(out, "", value, "byte");
        break;
    case FIELD_STRING:
        add_string_ref(out, value);
        break;
    case FIELD_THREAD:
        text_printf(out, value == FXT_THREAD_REF_INLINE ? "inline" : "#%u",
                    (unsigned)value);
        break;
    }
    if (name != NULL)
        text_printf(out, " (%s)", name);
}

/* "    16-19  " */
static void start_line(struct text *out, unsigned low, unsigned high)
{
    if (low == high)
        text_printf(out, "     %2u     ", low);
    else
        text_printf(out, "     %2u-%-2u  ", low, high);
}

static uint64_t bits_of(uint64_t word, unsigned low, unsigned high)
{
    return word >> low & UINT64_MAX >> (63 - (high - low));
}

static void print_unused(struct text *out, uint64_t word, unsigned low, unsigned high)
{
    start_line(out, low, high);
    text_str(out, "(unused) 0x");
    text_hex(out, bits_of(word, low, high), 1);
    text_char(out, '\n');
}

void fields_print(struct text *out, struct fields fields, uint64_t word)
{
    unsigned next = 0;

    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.fields[i];

        if (field->low > next)
            print_unused(out, word, next, field->low - 1);
        start_line(out, field->low, field->high);
        text_str(out, field->name);
        text_char(out, ' ');
        add_value(out, field, bits_of(word, field->low, field->high));
        text_char(out, '\n');
        next = field->high + 1;
    }
    if (next < 64)
        print_unused(out, word, next, 63);
}
