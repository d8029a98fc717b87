/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_values.h. */
#include "event_values.h"

#include <assert.h>
#include <string.h>

#include "common/base/memory.h"

static int64_t multiply(int64_t n, uint64_t weight)
{
    int64_t product;

    if (weight <= INT64_MAX && !__builtin_mul_overflow(n, (int64_t)weight, &product))
        return product;
    return INT64_MAX;
}

/* The rest that is below one goes to the event's next sample, so that the total is right.
 */
static int64_t scale(const struct event_value *event, int64_t value, double *rest)
{
    double exact;

    if (event->sampled == 0)
        return value;
    exact = (double)value * ((double)event->counted / (double)event->sampled) + *rest;
    if (exact >= 0x1p63)
        return INT64_MAX;
    *rest = exact - (double)(int64_t)exact;
    return (int64_t)exact;
}

static uint64_t count_others(const struct profile *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        if (p->labels[p->samples[i].labels].event == 0)
            n += profile_count(p, i);
    }
    return n;
}

static void add_types(struct profile_builder *b, const struct event_values *v,
                      bool has_others)
{
    struct profile *p = &b->profile;

    for (size_t i = 0; i < v->n_events; i++) {
        p->event_names[i] = memory_copy_string(v->events[i].type.type);
        p->types[p->n_types++] =
            (struct profile_type){p->event_names[i], v->events[i].type.unit};
    }
    if (has_others)
        p->types[p->n_types++] = (struct profile_type){"cpu", "nanoseconds"};
}

/* Samples that differ only in how many events they stand for are equal, except in a
 * timeline. */
static void forget_weights(struct profile_builder *b)
{
    struct profile *p = &b->profile;

    if (b->moments.is_kept)
        return;
    for (size_t i = 0; i < p->n_labels; i++)
        p->labels[i].weight = 0;
    b->may_have_equals = true;
}

uint64_t event_values_set(struct profile_builder *b, const struct event_values *v)
{
    struct profile *p = &b->profile;
    uint64_t n_others = count_others(p);
    double rests[PROFILE_EVENTS_MAX];
    int64_t *values;

    for (size_t i = 0; i < PROFILE_EVENTS_MAX; i++)
        rests[i] = 0.5;
    assert(p->n_types == 1 && v->n_events > 0 && v->n_events <= PROFILE_EVENTS_MAX);
    add_types(b, v, n_others > 0 && v->period_ns > 0);
    values = (int64_t *)memory_allocate(p->n_samples * p->n_types * sizeof(*values));
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_labels *labels = &p->labels[p->samples[i].labels];
        int64_t *of_sample = values + i * p->n_types;

        of_sample[0] = p->values[i];
        if (labels->event > 0)
            of_sample[labels->event] =
                scale(&v->events[labels->event - 1],
                      multiply(p->values[i], labels->weight), &rests[labels->event - 1]);
        else if (v->period_ns > 0)
            of_sample[1 + v->n_events] = multiply(p->values[i], v->period_ns);
    }
    memory_release(p->values);
    p->values = values;
    b->value_capacity = p->n_samples;
    p->default_type = 1;
    p->has_events = true;
    forget_weights(b);
    return n_others;
}

static uint64_t set_time(const struct profile_labels *labels,
                         const struct event_values *v, int64_t *of_sample, double *rests)
{
    uint64_t n = (uint64_t)of_sample[0];
    const struct event_value *event;

    if (labels->event == 0)
        return 0;
    of_sample[1] = 0;
    if (labels->event == EVENT_OF_PERIOD) {
        of_sample[1] = multiply(of_sample[0], v->period_ns);
    } else if (labels->event != EVENT_OF_NO_TIME) {
        event = &v->events[labels->event - 1];
        if (strcmp(event->type.unit, "nanoseconds") == 0)
            of_sample[1] = scale(event, multiply(of_sample[0], labels->weight),
                                 &rests[labels->event - 1]);
    }
    if (of_sample[1] > 0)
        return 0;
    of_sample[0] = 0;
    return n;
}

uint64_t event_values_set_times(struct profile_builder *b, const struct event_values *v)
{
    struct profile *p = &b->profile;
    double rests[PROFILE_EVENTS_MAX];
    uint64_t n = 0;

    assert(p->n_types == 2);
    for (size_t i = 0; i < PROFILE_EVENTS_MAX; i++)
        rests[i] = 0.5;
    for (size_t i = 0; i < p->n_samples; i++)
        n += set_time(&p->labels[p->samples[i].labels], v, p->values + 2 * i, rests);
    for (size_t i = 0; i < p->n_labels; i++) {
        p->labels[i].event = 0;
        p->labels[i].weight = 0;
    }
    b->may_have_equals = true;
    profile_builder_drop_empty(b);
    return n;
}
