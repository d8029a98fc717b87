/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which records a tool prints or keeps. If an option is given several times, a record
 * must match any of its values; if several options are given, it must match all of them.
 * A record that lacks what an option is about does not match.
 *
 * Filters affect only that: strings, threads and clock rates of other records still
 * apply, and errors are reported.
 */
#ifndef TOOLS_FILTER_H
#define TOOLS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "kinds.h"

struct filter_patterns {
    const char **patterns;
    size_t n;
    size_t capacity;
};

struct filter_numbers {
    uint64_t *numbers;
    size_t n;
    size_t capacity;
};

/* All zero matches every record. */
struct filter {
    bool is_set;
    bool by_kind;
    bool by_time;
    bool kinds[KINDS];
    struct filter_numbers provider_ids;
    struct filter_patterns providers;
    struct filter_patterns categories;
    struct filter_patterns names;
    struct filter_numbers processes;
    struct filter_numbers threads;
    uint64_t first_ns;
    uint64_t last_ns;
    /* Times beyond 64 bits of nanoseconds match, too. */
    bool is_open_ended;
};

/* Each takes the value of an option, which must stay in place, and returns false if it is
 * not one. */

/* Types or kinds by their words, as in "event,context_switch". */
bool filter_add_kinds(struct filter *filter, const char *list);
/* A provider by its number, or by its name as a pattern; a number is matched as both. */
bool filter_add_provider(struct filter *filter, const char *pattern);
bool filter_add_category(struct filter *filter, const char *pattern);
bool filter_add_name(struct filter *filter, const char *pattern);
/* Numbers, as in "1045,2077". */
bool filter_add_processes(struct filter *filter, const char *list);
bool filter_add_threads(struct filter *filter, const char *list);
/* One more process. */
void filter_add_process(struct filter *filter, uint64_t koid);
/* Times of the clock as in "1.5s-2s", "1.5-" or "-800ms", both ends included; the second
 * stores them. Where an end is missing it is 0, or UINT64_MAX. */
bool filter_set_time(struct filter *filter, const char *window);
bool filter_parse_window(const char *window, uint64_t *first_ns, uint64_t *last_ns);

static inline bool filter_numbers_have(const struct filter_numbers *numbers,
                                       uint64_t number)
{
    for (size_t i = 0; i < numbers->n; i++) {
        if (numbers->numbers[i] == number)
            return true;
    }
    return false;
}

/* The category and the name by which a record is chosen, or NULL. */
const struct fxt_string *filter_category(const struct fxt_record *record);
const struct fxt_string *filter_name(const struct fxt_record *record);

/* Whether a record matches. */
bool filter_matches(const struct filter *filter, const struct fxt_record *record);

/* The same without regard to processes and threads. */
bool filter_matches_any_thread(const struct filter *filter,
                               const struct fxt_record *record);

/* The same without regard to types and kinds; and only with regard to these. */
bool filter_matches_any_kind(const struct filter *filter,
                             const struct fxt_record *record);

static inline bool filter_matches_kind(const struct filter *filter,
                                       const struct fxt_record *record)
{
    return !filter->by_kind || filter->kinds[kind_of(record)];
}

/* Whether a thread of a process, 0 if that is not known, is one of those asked for. */
bool filter_matches_thread(const struct filter *filter, uint64_t process,
                           uint64_t thread);

static inline bool filter_takes(const struct filter *filter,
                                const struct fxt_record *record)
{
    return !filter->is_set || filter_matches(filter, record);
}

#endif
