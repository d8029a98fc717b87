/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_objects.h. */
#include "check_objects.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/table_items.h"

/* What is more than this is not checked. */
enum { OBJECTS_MAX = 1 << 20, ARGS_MAX = 1 << 16 };

static void report_full(struct check_objects *c, const struct fxt_record *record)
{
    if (!c->is_full)
        finding_add(c->findings, RULE_LIMIT, record->offset);
    c->is_full = true;
}

/* ---- Objects ----------------------------------------------------------------------- */

/* On Linux the first thread of a process has its number. */
static bool is_task(uint32_t type)
{
    return type == FXT_OBJECT_PROCESS || type == FXT_OBJECT_THREAD;
}

static void check_object(struct check_objects *c, const struct fxt_record *record)
{
    const struct fxt_kernel_object *o = &record->kernel_object;
    const struct object_kind kind = {o->koid, o->type};
    struct text *text;
    uint32_t number;

    if (o->type == FXT_OBJECT_THREAD && fxt_record_arg(record, "process") == NULL)
        finding_add(c->findings, RULE_OBJECT_NO_PROCESS, record->offset);
    if (c->n_objects == OBJECTS_MAX) {
        report_full(c, record);
        return;
    }
    number = TABLE_PUT(&c->object_table, c->objects, c->n_objects, c->object_capacity,
                       &kind, koid);
    if (c->objects[number].type == o->type ||
        (is_task(c->objects[number].type) && is_task(o->type)))
        return;
    text = finding_begin(c->findings, RULE_OBJECT_KIND, record->offset);
    if (text != NULL) {
        text_printf(text, "%llu of type %u was of type %u", (unsigned long long)o->koid,
                    o->type, c->objects[number].type);
        finding_end(c->findings, RULE_OBJECT_KIND);
    }
    c->objects[number].type = o->type;
}

/* ---- Arguments --------------------------------------------------------------------- */

/* Returns false for what is neither. */
static bool is_text_or_number(uint32_t type, bool *is_text)
{
    *is_text = type == FXT_ARG_STRING;
    return *is_text || (type >= FXT_ARG_INT32 && type <= FXT_ARG_DOUBLE);
}

static void report_arg(struct check_objects *c, const struct fxt_record *record,
                       const struct fxt_arg *arg)
{
    struct text *text = finding_begin(c->findings, RULE_ARG_KIND, record->offset);

    if (text == NULL)
        return;
    quote_word(text, arg->name.data, arg->name.size);
    text_str(text, " of ");
    quote_word(text, record->event.name.data, record->event.name.size);
    finding_end(c->findings, RULE_ARG_KIND);
}

static bool has_room(const struct check_objects *c, size_t n)
{
    return n < ARGS_MAX && c->names.strings.bytes.size <= (size_t)64 << 20;
}

static void check_args(struct check_objects *c, const struct fxt_record *record)
{
    struct arg_kind kind = {0, 0, false};

    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];
        bool is_text;
        uint32_t number;

        if (arg->name.data == NULL || !is_text_or_number(arg->type, &is_text))
            continue;
        if (!has_room(c, c->n_args)) {
            report_full(c, record);
            return;
        }
        kind.event =
            name_cache_add(&c->names, record->event.name.data, record->event.name.size);
        kind.arg = name_cache_add(&c->names, arg->name.data, arg->name.size);
        kind.is_text = is_text;
        number = TABLE_PUT(&c->arg_table, c->args, c->n_args, c->arg_capacity, &kind,
                           event, arg);
        if (c->args[number].is_text != is_text)
            report_arg(c, record, arg);
    }
}

/* ---- Counters ---------------------------------------------------------------------- */

void check_counter(struct check_objects *c, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;
    struct counter_series made = {.process = e->thread.process, .id = e->id};
    bool is_shared = false;

    if (e->name.data == NULL)
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];
        const struct counter_series *first;
        uint32_t number;
        bool is_text;

        if (arg->name.data == NULL || !is_text_or_number(arg->type, &is_text) || is_text)
            continue;
        if (!has_room(c, c->n_series)) {
            report_full(c, record);
            break;
        }
        made.event = name_cache_add(&c->names, e->name.data, e->name.size);
        made.arg = name_cache_add(&c->names, arg->name.data, arg->name.size);
        number = TABLE_PUT(&c->series_table, c->series, c->n_series, c->series_capacity,
                           &made, arg);
        first = &c->series[number];
        is_shared = is_shared || first->event != made.event ||
                    first->process != made.process || first->id != made.id;
    }
    if (is_shared)
        finding_add(c->findings, RULE_COUNTER_SHARED, record->offset);
}

void check_objects(struct check_objects *c, const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_KERNEL_OBJECT)
        check_object(c, record);
    else if (record->type == FXT_RECORD_EVENT && record->event.name.data != NULL)
        check_args(c, record);
}

void check_objects_free(struct check_objects *c)
{
    memory_release(c->objects);
    table_free(&c->object_table);
    string_table_free(&c->names.strings);
    memory_release(c->args);
    table_free(&c->arg_table);
    memory_release(c->series);
    table_free(&c->series_table);
}
