/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library reports, on standard error: about inputs at once, and about symbols
 * and the like when reports_print is called.
 */
#ifndef CONVERT_REPORTS_H
#define CONVERT_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "options.h"
#include "tools/common/report.h"

/* A report that was not printed yet. */
struct held_report {
    enum fxt_profile_report_kind kind;
    /* NULL for none. */
    char *name;
    char *message;
};

struct reports {
    const struct options *options;
    /* The input that is being read: faults in FXT data, and in captures. */
    bool has_input;
    size_t input;
    struct report report;
    uint64_t n_faults;
    struct held_report *held;
    size_t n_held;
    size_t held_capacity;
};

/* Starts with all zero, and has the functions in `build` that the builder calls. The
 * struct must stay in place as long as the builder. */
void reports_start(struct reports *reports, const struct options *options,
                   struct fxt_profile_options *build);

/* All inputs were read. */
void reports_end_inputs(struct reports *reports);

/* Whether there was a report of a kind that is held. */
bool reports_have(const struct reports *reports, enum fxt_profile_report_kind kind);

/* Prints the held reports of a kind, with `message` in place of theirs unless it is
 * NULL. */
void reports_print(const struct reports *reports, enum fxt_profile_report_kind kind,
                   const char *message);

/* Prints the first ones of a kind, and how many more there are, of such a noun. */
void reports_print_first(const struct reports *reports, enum fxt_profile_report_kind kind,
                         size_t max, const char *of_more);

/* Adds the commands that may bring missing symbols, a line for each, which can be pasted;
 * or prints them, if there are any. */
void reports_add_remedies(const struct reports *reports, struct text *text);
void reports_print_remedies(const struct reports *reports);

#endif
