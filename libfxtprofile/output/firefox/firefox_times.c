/* SPDX-License-Identifier: BSD-2-Clause */
/* The times in a Firefox profile, and what has them: see firefox.h. */
#include "firefox.h"

#include "common/base/memory.h"

enum { NS_PER_MS = 1000000 };

void firefox_add_ms(struct text *text, uint64_t ns)
{
    text_u64(text, ns / NS_PER_MS);
    text_decimals(text, (uint32_t)(ns % NS_PER_MS) * 100);
}

void firefox_add_time(struct firefox *f, uint64_t time_ns)
{
    firefox_add_ms(&f->json.text, timeline_distance(f->profile, f->start_ns, time_ns));
}

/* ---- By track ---------------------------------------------------------------------- */

/* Room for the number of each track's items, two places after the track's own. Added up,
 * what is one place after is where the track begins; and once that has moved on with each
 * item, it is where the track ends and the next one begins. */
static size_t *make_firsts(const struct firefox *f)
{
    return memory_allocate((f->tracks.n + 2) * sizeof(size_t));
}

static void add_up(size_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[i + 1] += counts[i];
}

static void sort_rows(struct firefox *f)
{
    const struct profile *p = f->profile;
    size_t n = timeline_count_rows(p);

    f->first_rows = make_firsts(f);
    f->rows.times = (uint64_t *)memory_reserve(n * sizeof(*f->rows.times));
    f->rows.samples = (uint32_t *)memory_reserve(n * sizeof(*f->rows.samples));
    if (timeline_has_moments(p)) {
        for (size_t i = 0; i < f->tracks.n; i++)
            f->first_rows[i + 2] = (size_t)f->tracks.tracks[i].n_samples;
    } else {
        for (size_t i = 0; i < n; i++)
            f->first_rows[tracks_of_sample(&f->tracks, i) + 2]++;
    }
    add_up(f->first_rows, f->tracks.n + 1);
    for (size_t i = 0; i < n; i++) {
        struct profile_moment row = timeline_row(p, i);
        size_t at = f->first_rows[tracks_of_sample(&f->tracks, row.sample) + 1]++;

        f->rows.times[at] = row.time_ns;
        f->rows.samples[at] = row.sample;
    }
}

static void sort_events(struct firefox *f)
{
    const struct profile_events *list = &f->profile->events;

    f->first_events = make_firsts(f);
    f->events = (uint32_t *)memory_reserve(list->n * sizeof(*f->events));
    for (size_t i = 0; i < list->n; i++)
        f->first_events[tracks_of_event(&f->tracks, &list->events[i]) + 2]++;
    add_up(f->first_events, f->tracks.n + 1);
    for (uint32_t i = 0; i < list->n; i++)
        f->events[f->first_events[tracks_of_event(&f->tracks, &list->events[i]) + 1]++] =
            i;
}

void firefox_sort_by_track(struct firefox *f)
{
    f->start_ns = timeline_start(f->profile);
    sort_rows(f);
    sort_events(f);
}
