/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a page, in the groups that its columns are of: each group has the numbers
 * of its events, those of one track beside each other and in the order of time.
 *
 * A label is a name with its category. A series is what one counter has for one of its
 * arguments.
 */
#ifndef FXTPROFILE_OUTPUT_HTML_EVENTS_H
#define FXTPROFILE_OUTPUT_HTML_EVENTS_H

#include "html_tables.h"
#include "libfxtprofile/output/tracks.h"

enum html_group {
    /* By threads. */
    HTML_SLICES,
    HTML_MARKS,
    HTML_FLOWS,
    HTML_WAITS,
    /* All together. */
    HTML_ASYNCS,
    /* By series. */
    HTML_VALUES,
    /* By CPUs: what they ran. These are numbers of the profile's runs. */
    HTML_RUNS,
    HTML_EVENT_GROUPS,
    HTML_GROUPS_BY_THREAD = HTML_WAITS + 1
};

#define HTML_NO_THREAD UINT32_MAX

/* Numbers in the page's strings. */
struct html_label {
    uint32_t name;
    uint32_t category;
};

/* A thread that has events. What is one lane may be several here, whose spans are nested
 * separately; all else of the lane is of one of them. */
struct html_thread {
    uint32_t lane;
    /* Its number in the profile. */
    uint32_t number;
    uint32_t n[HTML_GROUPS_BY_THREAD];
};

struct html_series {
    uint32_t label;
    /* The lane of its process. */
    uint32_t lane;
    /* Numbers in the page's strings: of the argument, and of the counter's id, if it has
     * one. */
    uint32_t arg;
    uint32_t id;
    uint32_t n_values;
};

struct html_cpu {
    uint32_t number;
    uint32_t n_runs;
};

struct html_value {
    uint32_t event;
    uint32_t arg;
    uint32_t series;
};

enum html_arg_kind { HTML_ARG_TEXT, HTML_ARG_NUMBER, HTML_ARG_NEGATIVE };

/* A number in the page's strings, a number, or what is subtracted from 0. */
struct html_arg {
    uint64_t value;
    uint32_t name;
    enum html_arg_kind kind;
};

/* All zero has none. */
struct html_events {
    const struct profile_events *list;
    /* When the first of them begins. */
    uint64_t first_ns;
    uint32_t *groups[HTML_EVENT_GROUPS];
    size_t n[HTML_EVENT_GROUPS];
    struct html_value *values;
    /* Of each event. */
    uint32_t *labels_of;
    struct html_label *labels;
    size_t n_labels;
    size_t label_capacity;
    struct table label_table;
    struct html_thread *threads;
    size_t n_threads;
    /* By the profile's threads: where the slices are, and all else; HTML_NO_THREAD for
     * those that have no events. */
    uint32_t *places;
    uint32_t *homes;
    struct html_cpu *cpus;
    size_t n_cpus;
    struct html_series *series;
    size_t n_series;
    size_t series_capacity;
    struct table series_table;
    /* The events' strings in the page, and one more; 0 for those that it does not have.
     */
    uint32_t *strings;
    /* In the order of the groups' events. */
    struct html_arg *args;
    size_t n_args;
    /* Of each event of a flow, in the order of its group: the flow's number. */
    uint32_t *flows;
    /* Of each wait, in the order of its group: the thread that ended it, a number in the
     * page's strings and one more, or 0. */
    uint32_t *wakers;
};

void html_events_make(struct html_events *events, struct html_tables *tables,
                      const struct tracks *tracks);

/* The part of it that follows the groups: html_event_details.c. */
void html_events_make_details(struct html_events *events, struct html_tables *tables,
                              const struct tracks *tracks);

/* The page's string for one of the list's. */
uint32_t html_events_string(struct html_events *events, struct html_tables *tables,
                            uint32_t number);

/* HTML_EVENT_GROUPS for what is in none. */
enum html_group html_group_of(const struct profile_events *list,
                              const struct profile_event *event);

static inline const struct profile_run *html_run(const struct html_events *events,
                                                 size_t row)
{
    return &events->list->scheduling.runs[events->groups[HTML_RUNS][row]];
}

static inline const struct profile_event *html_event(const struct html_events *events,
                                                     enum html_group group, size_t row)
{
    return &events->list->events[events->groups[group][row]];
}

#endif
