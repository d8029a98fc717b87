/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "recording.h"

#include <string.h>

#include "common/records/record_args.h"

static void take_period(struct recording *recording, uint64_t period_ns)
{
    if (period_ns == 0 || period_ns > INT64_MAX || period_ns == recording->period_ns)
        return;
    recording->periods_differ |= recording->period_ns != 0;
    recording->period_ns = recording->periods_differ ? 0 : period_ns;
}

/* A recording may be in several files, each of which has the average up to its end. */
void recording_end_stream(struct recording *r)
{
    bool is_same = r->present_start_ns > 0 && r->present_start_ns == r->start_ns;
    uint64_t period_ns = r->present_ns > 0 ? r->present_ns : r->present_asked_ns;

    if (is_same && !r->periods_differ && r->present_ns > 0)
        r->period_ns = period_ns;
    else if (!is_same)
        take_period(r, period_ns);
    r->start_ns = r->present_start_ns > 0 ? r->present_start_ns : r->start_ns;
    r->present_ns = 0;
    r->present_asked_ns = 0;
    r->present_start_ns = 0;
    r->has_statement = false;
}

static void take_boot_id(struct recording *r, const struct fxt_string *id)
{
    if (id->data == NULL || id->size == 0 || id->size > sizeof(r->boot_id))
        return;
    if (r->boot_id_size == 0) {
        memcpy(r->boot_id, id->data, id->size);
        r->boot_id_size = id->size;
    }
    r->n_other_boots +=
        r->boot_id_size != id->size || memcmp(r->boot_id, id->data, id->size) != 0;
}

static void take_string(struct text *to, const struct fxt_record *record,
                        const char *name)
{
    const struct fxt_arg *arg = fxt_record_arg(record, name);

    if (arg != NULL && arg->type == FXT_ARG_STRING && arg->value.string.data != NULL)
        text_add(to, arg->value.string.data, arg->value.string.size);
}

static void take_statement(struct recording *recording, const struct fxt_record *record)
{
    struct recording_statement *statement;

    if (recording->n_statements == RECORDING_STATEMENTS_MAX)
        return;
    statement = &recording->statements[recording->n_statements++];
    take_string(&statement->command_line, record, "command_line");
    take_string(&statement->method, record, "method");
    take_string(&statement->version, record, "fxtrecord");
    statement->start_ns = record_find_number(record, "start_unix_ns");
    statement->period_ns = record_find_number(record, "period_ns");
    if (statement->period_ns == 0)
        statement->period_ns = record_find_number(record, "asked_period_ns");
    statement->n_throttled = record_find_number(record, "throttled");
}

/* What is known only when a recording ends. */
static void take_end(struct recording *r, const struct fxt_record *record)
{
    struct recording_statement *statement;

    r->present_ns = record_find_number(record, "period_ns");
    if (!r->has_statement)
        return;
    statement = &r->statements[r->n_statements - 1];
    statement->period_ns = r->present_ns;
    statement->n_throttled = record_find_number(record, "throttled");
}

static void take_start(struct recording *r, const struct fxt_record *record)
{
    const struct fxt_arg *boot_id = fxt_record_arg(record, "boot_id");

    r->present_ns = record_find_number(record, "period_ns");
    r->present_asked_ns = record_find_number(record, "asked_period_ns");
    r->present_start_ns = record_find_number(record, "start_unix_ns");
    if (boot_id != NULL && boot_id->type == FXT_ARG_STRING)
        take_boot_id(r, &boot_id->value.string);
    r->has_statement = r->n_statements < RECORDING_STATEMENTS_MAX;
    take_statement(r, record);
}

void recording_take(struct recording *recording, const struct fxt_record *record)
{
    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !fxt_string_is(record->event.category, "fxtrecord"))
        return;
    if (fxt_string_is(record->event.name, "recording")) {
        /* Archives may follow one another in a stream. */
        recording_end_stream(recording);
        take_start(recording, record);
    } else if (fxt_string_is(record->event.name, "recording_end")) {
        take_end(recording, record);
    }
}
