/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is added up of all events of one name and category: how many there were, and how
 * long each of them took.
 */
#ifndef FXTPROFILE_IMPORT_SUMMARY_LABELS_H
#define FXTPROFILE_IMPORT_SUMMARY_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/types.h>

#include "common/base/table.h"
#include "libfxtprofile/profile/values/event_summary.h"

/* Times, in an array that has room for them. */
struct time_list {
    uint64_t *ns;
    size_t n;
};

struct label {
    /* Numbers in the summary's strings. */
    uint32_t name;
    uint32_t category;
    /* Taken from the input, before it is known which of them count. */
    size_t n_events;
    uint64_t count;
    uint64_t n_unfinished;
    uint64_t total_ns;
    uint64_t self_ns;
    struct time_list times;
    /* Of flows: from each event to the next one. */
    struct time_list steps;
};

/* All zero is empty. */
struct labels {
    struct label *all;
    size_t n;
    size_t capacity;
    struct table table;
    /* Those of all, each in its place. */
    uint64_t *times;
    uint64_t *steps;
};

/* The number of a name and a category. */
uint32_t labels_find(struct labels *labels, uint32_t name, uint32_t category);

/* Saturates. */
static inline uint64_t add_times(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static inline void time_list_add(struct time_list *list, uint64_t ns)
{
    list->ns[list->n++] = ns;
}

/* One more that took so long. */
static inline void label_add(struct label *label, uint64_t ns)
{
    label->count++;
    label->total_ns = add_times(label->total_ns, ns);
    time_list_add(&label->times, ns);
}

/* After the last event and before the first time: makes room for as many times, and
 * steps, of each label as it has events. */
void labels_make_room(struct labels *labels, bool has_steps);

/* Moves all that have a count to rows in the order of their names and categories, by the
 * numbers that strings get, and their times in ascending order. */
void labels_finish(struct labels *labels, const uint32_t *numbers,
                   struct summary_rows *rows);

#endif
