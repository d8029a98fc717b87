/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h. */
#include "recording.h"

#include <string.h>

#include "record_args.h"

static void take_period(struct recording *recording, uint64_t period_ns)
{
    if (period_ns == 0 || period_ns > INT64_MAX || period_ns == recording->period_ns)
        return;
    recording->periods_differ |= recording->period_ns != 0;
    recording->period_ns = recording->periods_differ ? 0 : period_ns;
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

void recording_take(struct recording *recording, const struct fxt_record *record)
{
    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !record_text_is(record->event.name, "recording") ||
        !record_text_is(record->event.category, "fxtrecord"))
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (record_text_is(arg->name, "period_ns") && arg->type == FXT_ARG_UINT64)
            take_period(recording, arg->value.uint64);
        else if (record_text_is(arg->name, "period_ns") && arg->type == FXT_ARG_UINT32)
            take_period(recording, arg->value.uint32);
        else if (record_text_is(arg->name, "boot_id") && arg->type == FXT_ARG_STRING)
            take_boot_id(recording, &arg->value.string);
    }
}
