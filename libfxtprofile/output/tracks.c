/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracks.h. */
#include "tracks.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/base/sort.h"

#define NO_TRACK UINT32_MAX

/* ---- Finding ----------------------------------------------------------------------- */

static uint32_t find_track(struct tracks *t, uint64_t process, uint64_t thread,
                           uint32_t cpu)
{
    struct track track = {.process = process, .thread = thread, .cpu = cpu};

    return TABLE_PUT(&t->table, t->tracks, t->n, t->capacity, &track, process, thread,
                     cpu);
}

static uint32_t *make_map(size_t n)
{
    uint32_t *map = (uint32_t *)memory_reserve(n * sizeof(*map));

    memset(map, 0xff, n * sizeof(*map));
    return map;
}

static void find_sample(struct tracks *t, size_t sample)
{
    const struct profile *p = t->profile;
    uint32_t number = p->samples[sample].labels;
    const struct profile_labels *labels = &p->labels[number];
    bool is_cpu = p->is_of_captures && labels->thread == 0;

    if (t->of_labels[number] == NO_TRACK)
        t->of_labels[number] = find_track(t, labels->process, labels->thread,
                                          is_cpu ? labels->cpu : PROFILE_NO_CPU);
    t->tracks[t->of_labels[number]].n_samples += profile_count(p, sample);
}

/* What a recorder states about itself is no reason to look at its thread, and neither is
 * that it did not run. */
static bool is_dull(const struct profile_events *list, const struct profile_event *event)
{
    static const char category[] = "fxtrecord";
    struct string string = string_table_get(&list->strings, event->category);

    return event->kind == PROFILE_EVENT_OFF_CPU ||
           (string.size == strlen(category) &&
            memcmp(string.data, category, string.size) == 0);
}

/* By its number among those of events. */
static uint32_t find_thread(struct tracks *t, uint32_t number)
{
    const struct profile *p = t->profile;
    const struct profile_event_thread *thread = &p->events.threads[number];
    uint64_t process = thread->process;

    if (t->of_threads[number] != NO_TRACK)
        return t->of_threads[number];
    if (process == 0)
        process = koid_names_process(&p->koid_names, thread->thread);
    t->of_threads[number] = find_track(t, process, thread->thread, PROFILE_NO_CPU);
    return t->of_threads[number];
}

static void find_event(struct tracks *t, const struct profile_event *event)
{
    uint32_t track;

    if (event->kind == PROFILE_EVENT_DROPS) {
        if (t->of_drops == NO_TRACK)
            t->of_drops = find_track(t, 0, 0, TRACK_OF_DROPS);
        track = t->of_drops;
    } else {
        track = find_thread(t, event->thread);
    }
    t->tracks[track].n_events += !is_dull(&t->profile->events, event);
}

static void find_scheduling(struct tracks *t)
{
    const struct profile_scheduling *s = &t->profile->events.scheduling;

    for (size_t i = 0; i < s->n_runs; i++) {
        if (s->runs[i].thread != PROFILE_NO_THREAD)
            find_thread(t, s->runs[i].thread);
    }
    for (size_t i = 0; i < s->n_waits; i++) {
        find_thread(t, s->waits[i].thread);
        if (s->waits[i].waker != PROFILE_NO_THREAD)
            find_thread(t, s->waits[i].waker);
    }
}

uint32_t tracks_of_event(const struct tracks *t, const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_DROPS ? t->of_drops
                                              : t->of_threads[event->thread];
}

/* ---- The order --------------------------------------------------------------------- */

/* A track and its number until now. */
struct placed {
    struct track track;
    uint32_t number;
};

/* What samplers dropped is of no process: it has a separate track. */
static bool is_of_drops(const struct track *track)
{
    return track->cpu == TRACK_OF_DROPS;
}

static int order_processes(const void *left, const void *right)
{
    const struct track *a = &((const struct placed *)left)->track;
    const struct track *b = &((const struct placed *)right)->track;

    if (is_of_drops(a) != is_of_drops(b))
        return is_of_drops(a) ? 1 : -1;
    return order_numbers(a->process, b->process);
}

static bool is_named_main(const struct track *track)
{
    return track->thread == track->process && track->cpu == PROFILE_NO_CPU;
}

static int order_tracks(const void *left, const void *right)
{
    const struct track *a = &((const struct placed *)left)->track;
    const struct track *b = &((const struct placed *)right)->track;
    int order;

    if (a->n_process_samples != b->n_process_samples)
        return order_numbers(b->n_process_samples, a->n_process_samples);
    if (a->n_process_events != b->n_process_events)
        return order_numbers(b->n_process_events, a->n_process_events);
    order = order_processes(left, right);
    if (order != 0)
        return order;
    if (is_named_main(a) != is_named_main(b))
        return is_named_main(a) ? -1 : 1;
    if (a->n_samples != b->n_samples)
        return order_numbers(b->n_samples, a->n_samples);
    if (a->n_events != b->n_events)
        return order_numbers(b->n_events, a->n_events);
    return order_pairs(a->thread, b->thread, a->cpu, b->cpu);
}

/* The tracks are sorted by their processes. */
static void add_up_processes(struct placed *tracks, size_t n)
{
    size_t last;

    for (size_t first = 0; first < n; first = last) {
        uint64_t n_samples = 0;
        uint64_t n_events = 0;

        for (last = first; last < n; last++) {
            if (order_processes(&tracks[first], &tracks[last]) != 0)
                break;
            n_samples += tracks[last].track.n_samples;
            n_events += tracks[last].track.n_events;
        }
        for (size_t i = first; i < last; i++) {
            tracks[i].track.n_process_samples = n_samples;
            tracks[i].track.n_process_events = n_events;
        }
    }
}

static void renumber(uint32_t *map, size_t n, const uint32_t *numbers)
{
    for (size_t i = 0; i < n; i++) {
        if (map[i] != NO_TRACK)
            map[i] = numbers[map[i]];
    }
}

static void sort_tracks(struct tracks *t)
{
    struct placed *placed = (struct placed *)memory_reserve(t->n * sizeof(*placed));
    uint32_t *numbers = (uint32_t *)memory_reserve(t->n * sizeof(*numbers));

    for (uint32_t i = 0; i < t->n; i++)
        placed[i] = (struct placed){t->tracks[i], i};
    SORT(placed, t->n, order_processes);
    add_up_processes(placed, t->n);
    SORT(placed, t->n, order_tracks);
    for (uint32_t i = 0; i < t->n; i++) {
        t->tracks[i] = placed[i].track;
        t->tracks[i].is_main = i == 0 || order_processes(&placed[i - 1], &placed[i]) != 0;
        numbers[placed[i].number] = i;
    }
    renumber(t->of_labels, t->profile->n_labels, numbers);
    renumber(t->of_threads, t->profile->events.n_threads, numbers);
    renumber(&t->of_drops, 1, numbers);
    memory_release(placed);
    memory_release(numbers);
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* Returns false if the number is there already. */
static bool add_number(struct track_ids *set, uint32_t number)
{
    size_t n_before = set->n;

    TABLE_PUT_NUMBER(&set->table, set->numbers, set->n, set->capacity, number);
    return set->n > n_before;
}

/* Readers have signed ids. 0 is for what the recording calls so, which may be idle. */
static bool fits(const struct track *track, uint64_t koid)
{
    return koid <= INT32_MAX && track->cpu == PROFILE_NO_CPU;
}

#define NO_NUMBER UINT32_MAX

static void keep_koids(struct tracks *t, struct track_ids *pids, struct track_ids *tids)
{
    for (size_t i = 0; i < t->n; i++) {
        struct track *track = &t->tracks[i];

        track->pid = NO_NUMBER;
        track->tid = NO_NUMBER;
        if (!track->is_main)
            track->pid = t->tracks[i - 1].pid;
        else if (fits(track, track->process))
            track->pid = (uint32_t)track->process;
        if (track->pid != NO_NUMBER)
            add_number(pids, track->pid);
        if (fits(track, track->thread) && add_number(tids, (uint32_t)track->thread))
            track->tid = (uint32_t)track->thread;
    }
}

static uint32_t next_free(struct track_ids *pids, struct track_ids *tids, uint32_t *last)
{
    do
        ++*last;
    while (!add_number(pids, *last) || !add_number(tids, *last));
    return *last;
}

static void number_tracks(struct tracks *t)
{
    struct track_ids pids = {.n = 0};
    struct track_ids tids = {.n = 0};
    uint32_t last = 0;

    keep_koids(t, &pids, &tids);
    for (size_t i = 0; i < t->n; i++) {
        struct track *track = &t->tracks[i];

        if (track->pid == NO_NUMBER)
            track->pid =
                track->is_main ? next_free(&pids, &tids, &last) : t->tracks[i - 1].pid;
        if (track->tid == NO_NUMBER)
            track->tid = next_free(&pids, &tids, &last);
    }
    for (size_t i = 0; i < pids.n; i++)
        add_number(&tids, pids.numbers[i]);
    t->ids = tids;
    t->last_id = last;
}

uint32_t tracks_add_id(struct tracks *t)
{
    do
        ++t->last_id;
    while (!add_number(&t->ids, t->last_id));
    return t->last_id;
}

/* ---- Names ------------------------------------------------------------------------- */

/* The name, and the koid where that is not the number that viewers show. */
static void add_name(const struct tracks *t, struct koid_names_id id, uint32_t shown,
                     struct text *text)
{
    struct string name = koid_names_name(&t->profile->koid_names, id);

    if (name.size > 0 && shown == id.koid)
        text_add(text, name.data, name.size);
    else
        koid_names_describe(&t->profile->koid_names, id, text);
}

void tracks_name_process(const struct tracks *t, const struct track *track,
                         struct text *text)
{
    if (track->cpu == TRACK_OF_DROPS)
        text_str(text, "[sampler]");
    else if (t->profile->is_of_captures && track->process == 0)
        text_str(text, "captures");
    else
        add_name(t, (struct koid_names_id){KOID_PROCESS, track->process, 0}, track->pid,
                 text);
}

void tracks_name_thread(const struct tracks *t, const struct track *track,
                        struct text *text)
{
    if (track->cpu == TRACK_OF_DROPS)
        text_str(text, "[records dropped]");
    else if (track->cpu != PROFILE_NO_CPU)
        text_printf(text, "CPU %u", track->cpu);
    else
        add_name(t, (struct koid_names_id){KOID_THREAD, track->thread, 0}, track->tid,
                 text);
}

/* ---- All --------------------------------------------------------------------------- */

void tracks_make(struct tracks *t, const struct profile *p)
{
    *t = (struct tracks){.profile = p, .of_drops = NO_TRACK};
    t->of_labels = make_map(p->n_labels);
    t->of_threads = make_map(p->events.n_threads);
    for (size_t i = 0; i < p->n_samples; i++)
        find_sample(t, i);
    for (size_t i = 0; i < p->events.n; i++)
        find_event(t, &p->events.events[i]);
    find_scheduling(t);
    sort_tracks(t);
    number_tracks(t);
}
