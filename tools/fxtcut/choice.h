/* SPDX-License-Identifier: BSD-2-Clause */
/* Which records are kept, but for their time. */
#ifndef FXTCUT_CHOICE_H
#define FXTCUT_CHOICE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include <fxt/record.h>

#include "common/base/text.h"
#include "source.h"
#include "tools/common/filter.h"

/* What strings are matched by: the numbers of a registration's matches. */
enum expression { EXPRESSION_CATEGORY, EXPRESSION_NAME, EXPRESSION_AROUND };

struct expression_list {
    regex_t **expressions;
    size_t n;
    size_t capacity;
};

/* All zero matches every record. */
struct choice {
    /* Types, providers, processes and threads. */
    struct filter filter;
    struct expression_list lists[REGISTRATION_MATCHES];
    /* Only processes of some names; what has these is in the filter. */
    bool by_process_name;
    /* A string that is matched. */
    struct text text;
};

/* Adds an extended regular expression; returns false, with the reason added to `why`, if
 * it is none. */
bool choice_add(struct choice *choice, enum expression which, const char *expression,
                struct text *why);

/* Whether there is something by which records are chosen. */
bool choice_is_set(const struct choice *choice);

/* Whether a string of a record, by the tables of `source`, matches one of the
 * expressions. Strings that are not known are matched as fxtdump prints them. */
bool choice_matches_string(struct choice *choice, enum expression which,
                           const struct trace_source *source,
                           const struct fxt_string *string);

/* Whether a list lacks a number; one that is empty lacks none. */
static inline bool choice_lacks(const struct filter_numbers *list, uint64_t number)
{
    return list->n > 0 && !filter_numbers_have(list, number);
}

/* Whether an event or a context switch is of none of the processes and threads that are
 * asked for: soon known of most records, if it is asked for few of them. */
static inline bool choice_skips(const struct choice *choice,
                                const struct fxt_record *record)
{
    const struct filter *filter = &choice->filter;

    if (record->type == FXT_RECORD_EVENT)
        return choice_lacks(&filter->threads, record->event.thread.thread) ||
               choice_lacks(&filter->processes, record->event.thread.process);
    /* The kind has a condition for itself: with the type, it would be loaded by one wide
     * load, for which processors wait until both stores of the decoder are done. */
    if (record->type != FXT_RECORD_SCHEDULING || filter->threads.n == 0)
        return false;
    return record->kind == FXT_SCHEDULING_CONTEXT_SWITCH &&
           !filter_numbers_have(&filter->threads, record->scheduling.outgoing.thread) &&
           !filter_numbers_have(&filter->threads, record->scheduling.incoming.thread);
}

bool choice_matches(struct choice *choice, const struct trace_source *source,
                    const struct fxt_record *record);

/* Whether a record is of the providers, processes and threads that are asked for. */
static inline bool choice_matches_source(const struct choice *choice,
                                         const struct fxt_record *record)
{
    if (choice->by_process_name && choice->filter.processes.n == 0)
        return false;
    return !choice->filter.is_set || filter_matches_any_kind(&choice->filter, record);
}

/* Whether it matches, whatever its type is: a begin that is not written decides for its
 * end. */
bool choice_matches_track(struct choice *choice, const struct trace_source *source,
                          const struct fxt_record *record);

/* Whether events of a kind may be written. */
bool choice_allows_event(const struct choice *choice, uint32_t kind);

/* What the C library has for expressions. */
void choice_free(struct choice *choice);

#endif
