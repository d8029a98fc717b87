/* SPDX-License-Identifier: BSD-2-Clause */
/* See fix_stays.h. */
#include "fix_stays.h"

#include <fxt/format.h>

static bool stays_name(const struct fix_tables *t, const struct fxt_string *string)
{
    return string->data != NULL && string->ref != 0 &&
           fix_tables_find_string(t, string->ref) == string->ref;
}

static bool stays_thread(const struct fix_tables *t, const struct fxt_thread *thread)
{
    return thread->known && thread->ref != FXT_THREAD_REF_INLINE &&
           fix_tables_find_thread(t, thread->ref) == thread->ref;
}

static bool stays_head(const struct fix_tables *t, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;

    if (record->type == FXT_RECORD_SCHEDULING)
        return record->kind != FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH;
    return record->type == FXT_RECORD_EVENT && stays_thread(t, &e->thread) &&
           stays_name(t, &e->category) && stays_name(t, &e->name);
}

static bool stays_arg(const struct fix_tables *t, const struct fxt_arg *arg)
{
    return arg->type <= FXT_ARG_BLOB && stays_name(t, &arg->name) &&
           (arg->type != FXT_ARG_STRING || stays_name(t, &arg->value.string));
}

bool fix_stays(const struct fix_tables *t, const struct fxt_record *record)
{
    bool is_big_endian = record->swapped != FXT_HOST_IS_BIG_ENDIAN;

    if (record->unknown || is_big_endian ||
        record->provider->ticks_per_second != FXT_DEFAULT_TICKS_PER_SECOND ||
        !stays_head(t, record))
        return false;
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (!stays_arg(t, &record->args[i]))
            return false;
    }
    return true;
}
