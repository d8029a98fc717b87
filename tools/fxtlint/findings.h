/* SPDX-License-Identifier: BSD-2-Clause */
/* What was found in a file, by rules: all is counted, and of each rule the first places
 * are kept. */
#ifndef FXTLINT_FINDINGS_H
#define FXTLINT_FINDINGS_H

#include <stddef.h>

#include "common/base/text.h"
#include "rules.h"

struct finding_place {
    /* Of the record, in bytes from the start of the file. */
    uint64_t offset;
    /* Where what is special about it begins and ends in the texts. */
    size_t begin;
    size_t end;
};

struct rule_findings {
    uint64_t n;
    struct finding_place *places;
    size_t n_places;
    size_t capacity;
};

struct findings {
    struct rule_findings rules[N_RULES];
    struct text texts;
    /* The trace says that it lacks records. */
    bool is_part;
    /* How many places are kept of each rule. */
    uint64_t max_places;
};

/* Counts a finding. Returns the text that is special about this place, to be added to; or
 * NULL if it is not kept. Nothing else may be found in between. */
struct text *finding_begin(struct findings *findings, enum rule rule, uint64_t offset);
void finding_end(struct findings *findings, enum rule rule);

/* The same without a text. */
void finding_add(struct findings *findings, enum rule rule, uint64_t offset);

/* By offset. What is found at the end is about what was before it. */
void findings_sort(struct findings *findings);

/* Forgets all of it. */
void findings_clear(struct findings *findings);

/* What is asked for: rules that are ignored, and the readers that have to read all. */
struct finding_choice {
    bool ignored[N_RULES];
    uint32_t readers;
};

/* Whether what a rule finds is what a trace lacks that is not whole. */
static inline bool finding_is_lack(const struct findings *findings, enum rule rule)
{
    return findings->is_part && rule >= RULE_SPAN_UNCLOSED && rule <= RULE_FLOW_UNOPENED;
}

/* Whether a rule's findings count, and are not just reported. */
static inline bool finding_counts(const struct findings *findings,
                                  const struct finding_choice *choice, enum rule rule)
{
    if (finding_is_lack(findings, rule))
        return false;
    return lint_rules[rule].readers == 0 ||
           (lint_rules[rule].readers & choice->readers) != 0;
}

/* Adds what is to be printed of a file; its name, quoted. */
void findings_text(struct text *text, const char *name, const struct findings *findings,
                   const struct finding_choice *choice);
/* One line, an object. */
void findings_json(struct text *text, const char *name, const struct findings *findings,
                   const struct finding_choice *choice);

/* Adds all rules, as a table or as JSON. */
void rules_text(struct text *text);
void rules_json(struct text *text);

#endif
