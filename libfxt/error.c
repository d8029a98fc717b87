/* SPDX-License-Identifier: BSD-2-Clause */
/* The words and sentences for codes, and the printing of reports. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <fxt/reader.h>

struct text {
    enum fxt_code code;
    const char *name;
    const char *message;
};

static const struct text texts[] = {
    {FXT_OK, "ok", "success"},
    {FXT_NEED_MORE, "need_more", "the chunk ends inside a record"},
    {FXT_END, "end", "the region has ended"},
    {FXT_STOPPED, "stopped", "a callback asked to stop"},
    {FXT_E_SIZE_ZERO, "size_zero",
     "the header gives the size zero, so the next record cannot be found"},
    {FXT_E_TRUNCATED, "truncated", "the input ends inside a record"},
    {FXT_E_TOO_LARGE, "too_large", "the record is larger than the limit"},
    {FXT_E_ZERO_WORDS, "zero_words", "zero words where a record should be"},
    {FXT_E_DATA_AFTER_END, "data_after_end",
     "data after the zero header that ends the region"},
    {FXT_E_MAGIC, "magic", "the magic number record has the wrong content"},
    {FXT_E_LEADS_ASTRAY, "leads_astray",
     "the record's size leads to where no record can be"},
    {FXT_E_RECORD_SHORT, "record_short",
     "the record ends before a field that its type must have"},
    {FXT_E_STRING_OVERRUN, "string_overrun",
     "a string is longer than what is left of the record"},
    {FXT_E_BLOB_OVERRUN, "blob_overrun",
     "a payload is longer than what is left of the record"},
    {FXT_E_ARG_COUNT, "arg_count",
     "the record ends before the arguments that it announces"},
    {FXT_E_ARG_SIZE_ZERO, "arg_size_zero", "an argument has the size zero"},
    {FXT_E_ARG_OVERRUN, "arg_overrun",
     "an argument is longer than what is left of the record"},
    {FXT_E_ARG_SHORT, "arg_short", "an argument ends before its value"},
    {FXT_E_PC_COUNT, "pc_count", "the record ends before the PCs that it announces"},
    {FXT_E_TICKS_ZERO, "ticks_zero", "the clock rate is zero ticks a second"},
    {FXT_E_SAMPLE_SIZE, "sample_size", "the payload of a sample ends inside a word"},
    {FXT_E_STRING_UNKNOWN, "string_unknown",
     "a reference to a string that was never registered"},
    {FXT_E_THREAD_UNKNOWN, "thread_unknown",
     "a reference to a thread that was never registered"},
    {FXT_E_PROVIDER_UNKNOWN, "provider_unknown",
     "a section of a provider that was never introduced"},
    {FXT_E_INDEX_ZERO, "index_zero", "a registration at index 0 is ignored"},
    {FXT_E_KEPT_LIMIT, "kept_limit",
     "no room to keep a string, thread or provider within the limit"},
    {FXT_E_UNKNOWN_RECORD, "unknown_record", "unknown record type"},
    {FXT_E_UNKNOWN_METADATA, "unknown_metadata", "unknown metadata type"},
    {FXT_E_UNKNOWN_TRACE_INFO, "unknown_trace_info", "unknown trace info type"},
    {FXT_E_UNKNOWN_PROVIDER_EVENT, "unknown_provider_event", "unknown provider event"},
    {FXT_E_UNKNOWN_EVENT, "unknown_event", "unknown event type"},
    {FXT_E_UNKNOWN_ARG, "unknown_arg", "unknown argument type"},
    {FXT_E_UNKNOWN_SCHEDULING, "unknown_scheduling", "unknown scheduling type"},
    {FXT_E_UNKNOWN_PROFILER, "unknown_profiler", "unknown profiler record type"},
    {FXT_E_UNKNOWN_LARGE, "unknown_large", "unknown large record type"},
    {FXT_E_UNKNOWN_BLOB_FORMAT, "unknown_blob_format", "unknown large blob format"},
    {FXT_E_INVALID, "invalid", "impossible argument"},
    {FXT_E_BUSY, "busy", "called from the object's own callback"},
    {FXT_E_NO_MEMORY, "no_memory", "out of memory"},
    {FXT_E_SINK, "sink", "the bytes could not be written"},
    {FXT_E_OUT_OF_ORDER, "out_of_order", "the call does not fit what was called before"},
    {FXT_E_BLOB_SIZE, "blob_size",
     "the pieces of a blob do not add up to the size that it was begun with"},
    {FXT_E_FILE, "file", "the file cannot be used"},
    {FXT_E_STRING_SIZE, "string_size", "a string is longer than 32000 bytes"},
    {FXT_E_NAME_SIZE, "name_size",
     "the name of a provider or module, or a build id, is longer than 255 bytes"},
    {FXT_E_ARGS_MANY, "args_many", "more arguments than the record can have"},
    {FXT_E_ARG_SIZE, "arg_size", "an argument is larger than 4095 words"},
    {FXT_E_PCS_MANY, "pcs_many", "more PCs than a backtrace can have"},
    {FXT_E_PAYLOAD_SIZE, "payload_size",
     "a payload is too large for the field that holds its size"},
    {FXT_E_RECORD_SIZE, "record_size", "a record is larger than the format allows"},
    {FXT_E_FIELD_RANGE, "field_range", "a number is larger than its field"},
    {FXT_E_END_BEFORE_BEGIN, "end_before_begin",
     "a complete duration ends before it begins"},
};

static const struct text *find_text(enum fxt_code code)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].code == code)
            return &texts[i];
    }
    return NULL;
}

const char *fxt_code_name(enum fxt_code code)
{
    const struct text *text = find_text(code);

    return text != NULL ? text->name : "unknown_code";
}

const char *fxt_code_message(enum fxt_code code)
{
    const struct text *text = find_text(code);

    return text != NULL ? text->message : "unknown code";
}

/* One call, so that the lines of several threads do not mix. */
int fxt_error_print(void *context, const struct fxt_error *error)
{
    const char *path = error->path != NULL ? error->path : "";
    const char *reason = error->code == FXT_E_FILE ? strerror(errno) : "";

    (void)context;
    fprintf(stderr, "%s%s%#" PRIx64 ": %s%s%s\n", path, *path != '\0' ? ":" : "",
            error->offset, error->message, *reason != '\0' ? ": " : "", reason);
    return 0;
}

const char *fxt_version(void)
{
    return FXT_VERSION_STRING;
}
