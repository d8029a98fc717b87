/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_readers.h. */
#include "check_readers.h"

#include <fxt/format.h>

#include "common/base/quote.h"

/* The largest size that readers find which take a large record for another. */
#define SMALL_RECORD_BYTES ((uint64_t)FXT_RECORD_WORDS_MAX * FXT_WORD_BYTES)
/* The largest that Fuchsia's reader expects. */
enum { LARGE_LIMIT_BYTES = 256 << 10 };
/* Of a string record: it means nothing, and follows the size. */
enum { BIT_AFTER_STRING_SIZE = 47 };
/* From here on eio-trace takes one type for another. */
enum { OBJECT_TYPES_OF_EIO = 16 };

struct place {
    struct findings *findings;
    uint64_t offset;
};

static void add(const struct place *place, enum rule rule)
{
    finding_add(place->findings, rule, place->offset);
}

/* ---- Arguments --------------------------------------------------------------------- */

static bool is_unread_by_eio(uint32_t type)
{
    return type == FXT_ARG_NULL || type == FXT_ARG_INT32 || type == FXT_ARG_UINT32 ||
           type == FXT_ARG_DOUBLE || type == FXT_ARG_BOOL;
}

static bool is_inline(struct fxt_string string)
{
    return (string.ref & FXT_STRING_REF_INLINE) != 0 && string.size > 0;
}

static bool is_unread_by_magic_trace(const struct fxt_arg *arg)
{
    return arg->type == FXT_ARG_UINT32 || arg->type == FXT_ARG_UINT64 ||
           arg->type == FXT_ARG_KOID || arg->type == FXT_ARG_BOOL;
}

/* Of other records it reads the process of a thread only. */
static void check_args_of_magic_trace(const struct place *place,
                                      const struct fxt_record *record)
{
    bool is_event = record->type == FXT_RECORD_EVENT;
    bool has_name = false, has_text = false, is_unsigned = false;

    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        has_name = has_name || is_inline(arg->name);
        has_text =
            has_text || (arg->type == FXT_ARG_STRING && is_inline(arg->value.string));
        is_unsigned = is_unsigned || is_unread_by_magic_trace(arg);
    }
    if (has_name)
        add(place, RULE_ARG_NAME_INLINE);
    if (has_text && is_event)
        add(place, RULE_ARG_TEXT_INLINE);
    if (is_unsigned && is_event)
        add(place, RULE_ARG_UNSIGNED);
}

static bool is_in_table(struct fxt_string string)
{
    return string.ref > 0 && string.ref < FXT_STRING_REF_INLINE;
}

static bool has_reference(const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    bool has = e->thread.ref != FXT_THREAD_REF_INLINE || is_in_table(e->category) ||
               is_in_table(e->name);

    for (uint32_t i = 0; i < record->n_args && !has; i++) {
        const struct fxt_arg *arg = &record->args[i];

        has = is_in_table(arg->name) ||
              (arg->type == FXT_ARG_STRING && is_in_table(arg->value.string));
    }
    return has;
}

static void check_args(const struct place *place, const struct fxt_record *record)
{
    bool unread = false, has_blob = false;
    bool is_opaque = false, is_newer = false;

    for (uint32_t i = 0; i < record->n_args; i++) {
        unread = unread || is_unread_by_eio(record->args[i].type);
        has_blob = has_blob || record->args[i].type == FXT_ARG_BLOB;
        if (record->args[i].type > FXT_ARG_BLOB) {
            is_opaque = is_opaque || record->args[i].unknown_bits != 0;
            is_newer = is_newer || record->args[i].unknown_bits == 0;
        }
    }
    if (unread)
        add(place, RULE_ARG_UNREAD);
    if (has_blob)
        add(place, RULE_ARG_BLOB);
    if (is_opaque)
        add(place, RULE_UNKNOWN);
    if (is_newer)
        add(place, RULE_NEWER);
    check_args_of_magic_trace(place, record);
}

/* ---- Records ----------------------------------------------------------------------- */

static bool is_number(uint32_t type)
{
    return type >= FXT_ARG_INT32 && type <= FXT_ARG_DOUBLE;
}

static void check_counter(const struct place *place, const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (is_number(record->args[i].type))
            return;
    }
    add(place, RULE_COUNTER_EMPTY);
}

static void check_thread(const struct place *place, const struct fxt_thread *thread)
{
    if (!thread->known)
        return;
    if (thread->ref == FXT_THREAD_REF_INLINE)
        add(place, RULE_THREAD_INLINE);
    if (thread->process > UINT32_MAX || thread->thread > UINT32_MAX)
        add(place, RULE_KOID_SIZE);
    if (thread->process > INT64_MAX || thread->thread > INT64_MAX)
        add(place, RULE_ID_SIZE);
}

static bool has_id(uint32_t kind)
{
    return kind == FXT_EVENT_COUNTER ||
           (kind >= FXT_EVENT_ASYNC_BEGIN && kind <= FXT_EVENT_FLOW_END);
}

static void check_event(const struct place *place, const struct fxt_record *record)
{
    check_thread(place, &record->event.thread);
    if (has_reference(record))
        add(place, RULE_REFERENCE);
    if (has_id(record->kind) && record->event.id > INT64_MAX)
        add(place, RULE_ID_SIZE);
    if (record->kind == FXT_EVENT_COUNTER)
        check_counter(place, record);
    if (record->kind == FXT_EVENT_DURATION_COMPLETE)
        add(place, RULE_COMPLETE_END);
    if (record->kind >= FXT_EVENT_ASYNC_BEGIN && record->kind <= FXT_EVENT_FLOW_END) {
        add(place, RULE_ASYNC_ID);
        add(place, RULE_ASYNC_UNREAD);
        add(place, RULE_EVENT_STOPS);
    }
}

static void check_object(const struct place *place, const struct fxt_record *record)
{
    const struct fxt_kernel_object *o = &record->kernel_object;
    bool is_task = o->type == FXT_OBJECT_PROCESS || o->type == FXT_OBJECT_THREAD;

    if (o->koid > UINT32_MAX && is_task)
        add(place, RULE_KOID_SIZE);
    if (!is_task)
        add(place, RULE_OBJECT_UNREAD);
    if (o->type >= OBJECT_TYPES_OF_EIO)
        add(place, RULE_OBJECT_TYPE);
    if (o->koid > INT64_MAX && is_task)
        add(place, RULE_ID_SIZE);
    if (is_inline(o->name))
        add(place, RULE_OBJECT_NAME_INLINE);
}

static void check_switch(const struct place *place, const struct fxt_record *record)
{
    add(place, RULE_SCHEDULING_UNREAD);
    if (record->kind != FXT_SCHEDULING_THREAD_WAKEUP)
        add(place, RULE_SWITCH);
    if (record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
        check_thread(place, &record->scheduling.outgoing);
        check_thread(place, &record->scheduling.incoming);
    }
}

static void check_profiler(const struct place *place, const struct fxt_record *record)
{
    uint32_t flags = record->profiler.flags;

    add(place, RULE_PROFILER_UNREAD);
    if (record->kind == FXT_PROFILER_MAPPING && (flags >> 2 & 1) != (flags & 1))
        add(place, RULE_MAPPING_FLAGS);
}

static void check_large(const struct place *place, const struct fxt_record *record)
{
    add(place, RULE_LARGE_UNREAD);
    if (record->size > SMALL_RECORD_BYTES)
        add(place, RULE_LARGE_SIZE);
    if (record->size > LARGE_LIMIT_BYTES)
        add(place, RULE_LARGE_LIMIT);
    if (record->large_blob.format == FXT_LARGE_BLOB_NO_METADATA)
        add(place, RULE_ATTACHMENT);
}

static void check_type(const struct place *place, const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        if (record->kind == FXT_METADATA_PROVIDER_EVENT)
            add(place, RULE_BUFFER_FULL);
        else if (record->kind == FXT_METADATA_TRACE_INFO &&
                 record->metadata.trace_info != FXT_TRACE_INFO_MAGIC_NUMBER)
            add(place, RULE_UNKNOWN);
        break;
    case FXT_RECORD_INITIALIZATION:
        if (record->initialization.has_base)
            add(place, RULE_RATE_BASE);
        break;
    case FXT_RECORD_STRING:
        if ((record->header >> BIT_AFTER_STRING_SIZE & 1) != 0)
            add(place, RULE_STRING_BIT);
        break;
    case FXT_RECORD_EVENT:
        check_event(place, record);
        break;
    case FXT_RECORD_BLOB:
        add(place, record->blob.type == FXT_BLOB_PERFETTO ? RULE_BLOB_PERFETTO
                                                          : RULE_BLOB_UNREAD);
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        add(place, RULE_USERSPACE_UNREAD);
        if (record->userspace_object.process.ref == FXT_THREAD_REF_INLINE)
            add(place, RULE_USERSPACE_INLINE);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        check_object(place, record);
        break;
    case FXT_RECORD_SCHEDULING:
        check_switch(place, record);
        break;
    case FXT_RECORD_LOG:
        add(place, RULE_LOG_UNREAD);
        check_thread(place, &record->log.thread);
        break;
    case FXT_RECORD_PROFILER:
        check_profiler(place, record);
        break;
    case FXT_RECORD_LARGE:
        check_large(place, record);
        break;
    default:
        break;
    }
}

void check_readers(struct findings *findings, const struct fxt_record *record)
{
    const struct place place = {findings, record->offset};

    if (record->unknown && record->type == FXT_RECORD_EVENT) {
        add(&place, RULE_NEWER);
        check_thread(&place, &record->event.thread);
        check_args(&place, record);
        return;
    }
    if (record->unknown) {
        add(&place, RULE_UNKNOWN);
        if (record->type == FXT_RECORD_LARGE && record->size > SMALL_RECORD_BYTES)
            add(&place, RULE_LARGE_SIZE);
        return;
    }
    check_type(&place, record);
    check_args(&place, record);
    if (record->type > FXT_RECORD_EVENT)
        add(&place, RULE_RECORD_STOPS);
}

/* ---- Texts ------------------------------------------------------------------------- */

static bool is_utf8(struct fxt_string string)
{
    return string.data == NULL ||
           quote_count_utf8(string.data, string.size) == string.size;
}

static bool are_args_utf8(const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (!is_utf8(arg->name) ||
            (arg->type == FXT_ARG_STRING && !is_utf8(arg->value.string)))
            return false;
    }
    return true;
}

static bool is_record_utf8(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        return record->kind != FXT_METADATA_PROVIDER_INFO ||
               is_utf8(record->metadata.name);
    case FXT_RECORD_EVENT:
        return is_utf8(record->event.category) && is_utf8(record->event.name);
    case FXT_RECORD_BLOB:
        return is_utf8(record->blob.name);
    case FXT_RECORD_USERSPACE_OBJECT:
        return is_utf8(record->userspace_object.name);
    case FXT_RECORD_LOG:
        return is_utf8(record->log.message);
    case FXT_RECORD_LARGE:
        return is_utf8(record->large_blob.category) && is_utf8(record->large_blob.name);
    default:
        return true;
    }
}

void check_texts(struct findings *findings, const struct fxt_record *record)
{
    if (record->unknown && record->type != FXT_RECORD_EVENT)
        return;
    if (!is_record_utf8(record) || !are_args_utf8(record))
        finding_add(findings, RULE_NOT_UTF8, record->offset);
}
