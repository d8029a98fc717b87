/* SPDX-License-Identifier: BSD-2-Clause */
/* See sample_time.h. */
#include "sample_time.h"

#include <string.h>

#include <fxt/format.h>

static bool is_text(const struct fxt_string *string, const char *text)
{
    return string->data != NULL && string->size == strlen(text) &&
           memcmp(string->data, text, string->size) == 0;
}

/* The period that a recording says, or 0. */
static uint64_t period_of(const struct fxt_record *record)
{
    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !is_text(&record->event.category, "fxtrecord") ||
        !is_text(&record->event.name, "recording"))
        return 0;
    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (arg->type == FXT_ARG_UINT64 && is_text(&arg->name, "period_ns") &&
            arg->value.uint64 <= INT64_MAX)
            return arg->value.uint64;
    }
    return 0;
}

static void set_period(struct collect *c, uint64_t period_ns)
{
    c->values[1] = (int64_t)period_ns;
    c->profile->period_ns = period_ns;
    c->profile->default_type = c->profile->n_types - 1;
}

void sample_time_init(struct collect *c, uint64_t period_ns)
{
    c->takes_period = period_ns == 0 && c->spans == NULL;
    if (period_ns == 0)
        return;
    profile_add_type(c->profile, "cpu", "nanoseconds");
    set_period(c, period_ns);
}

void sample_time_start(struct collect *c)
{
    c->n_samples_before = c->tally.n_samples;
    if (c->takes_period)
        c->values[1] = 0;
}

/* Samples that were added before have no place for a time: they may get it at the end. */
void sample_time_take(struct collect *c, const struct fxt_record *record)
{
    uint64_t period_ns = c->takes_period ? period_of(record) : 0;

    if (period_ns == 0)
        return;
    c->has_periods |= c->profile->period_ns != 0 && c->profile->period_ns != period_ns;
    if (c->tally.n_samples == 0 && c->profile->n_types == 1)
        profile_add_type(c->profile, "cpu", "nanoseconds");
    set_period(c, period_ns);
}

void sample_time_end(struct collect *c)
{
    c->has_timeless |= c->takes_period && c->tally.n_samples > c->n_samples_before &&
                       (c->profile->n_types == 1 || c->values[1] == 0);
    c->n_samples_before = c->tally.n_samples;
}

void sample_time_finish(struct collect *c)
{
    struct profile *p = c->profile;

    if (!c->takes_period || (p->period_ns == 0 && p->n_types == 1))
        return;
    profile_settle(p);
    if (c->has_timeless && !c->has_periods)
        profile_set_time(p, p->period_ns);
    else if (c->has_timeless)
        profile_forget_time(p);
    /* A profile has only one. */
    if (c->has_periods)
        p->period_ns = 0;
}
