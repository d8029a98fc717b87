/* SPDX-License-Identifier: BSD-2-Clause */
/* See sample_times.h. */
#include "sample_times.h"

static void add_start(struct sample_times *t, uint64_t start_ns)
{
    if (!t->has_start || start_ns < t->start_ns)
        t->start_ns = start_ns;
    t->has_start = true;
}

/* The wall clock time of a tick, where the provider gives it for another tick. */
static void add_wall_clock(struct sample_times *t, uint64_t ticks)
{
    const struct fxt_provider *clock = t->clock;
    bool is_later = ticks >= clock->base_ticks;
    uint64_t distance = is_later ? ticks - clock->base_ticks : clock->base_ticks - ticks;
    uint64_t ns;

    if (!fxt_ticks_to_ns(distance, t->rate, &ns))
        return;
    if (is_later && ns <= UINT64_MAX - clock->base_wall_ns)
        add_start(t, clock->base_wall_ns + ns);
    else if (!is_later && ns <= clock->base_wall_ns)
        add_start(t, clock->base_wall_ns - ns);
}

static void add_range(struct sample_times *t, uint64_t first_ns, uint64_t last_ns)
{
    if (!t->has_time || first_ns < t->first_ns)
        t->first_ns = first_ns;
    if (!t->has_time || last_ns > t->last_ns)
        t->last_ns = last_ns;
    t->has_time = true;
}

void sample_times_state_clock(struct sample_times *t, const struct fxt_provider *clock)
{
    if (t->has_wall_clock || !clock->has_base || clock->base_wall_ns > INT64_MAX ||
        !fxt_ticks_to_ns(clock->base_ticks, clock->ticks_per_second, &t->clock_ns))
        return;
    t->wall_ns = clock->base_wall_ns;
    t->has_wall_clock = true;
}

void sample_times_start_stream(struct sample_times *t)
{
    t->has_stream_time = false;
}

void sample_times_stop_clock(struct sample_times *t)
{
    uint64_t first_ns;
    uint64_t last_ns;

    if (t->clock == NULL)
        return;
    fxt_ticks_to_ns(t->first_ticks, t->rate, &first_ns);
    fxt_ticks_to_ns(t->last_ticks, t->rate, &last_ns);
    add_range(t, first_ns, last_ns);
    if (!t->has_stream_time || first_ns < t->stream_ns)
        t->stream_ns = first_ns;
    t->has_stream_time = true;
    if (t->clock->has_base)
        add_wall_clock(t, t->first_ticks);
    t->clock = NULL;
}

void sample_times_change_clock(struct sample_times *t, const struct fxt_provider *clock,
                               uint64_t ticks)
{
    sample_times_stop_clock(t);
    t->clock = clock;
    t->rate = clock->ticks_per_second;
    t->first_ticks = ticks;
    t->last_ticks = ticks;
}

bool sample_times_last(const struct sample_times *t, uint64_t *ns)
{
    if (t->clock == NULL)
        return false;
    fxt_ticks_to_ns(t->last_ticks, t->rate, ns);
    return true;
}

uint64_t sample_times_of_stream(const struct sample_times *t)
{
    return t->has_stream_time ? t->stream_ns : 0;
}

void sample_times_merge(struct sample_times *t, const struct sample_times *from)
{
    if (from->has_time)
        add_range(t, from->first_ns, from->last_ns);
    if (from->has_start)
        add_start(t, from->start_ns);
    if (from->has_wall_clock && !t->has_wall_clock) {
        t->has_wall_clock = true;
        t->clock_ns = from->clock_ns;
        t->wall_ns = from->wall_ns;
    }
}
