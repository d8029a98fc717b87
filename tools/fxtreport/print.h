/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a report as text. */
#ifndef FXTREPORT_PRINT_H
#define FXTREPORT_PRINT_H

#include "common/base/io/output.h"
#include "measure.h"
#include "tools/convert/conversion.h"
#include "view.h"

/* What was recorded, and how much. */
void print_header(const struct view *view, const struct recorded *recorded,
                  struct text *text);

/* What is missing, with the remedies. `functions` is by functions, or NULL where these
 * are not shown. */
void print_missing(const struct view *view, const struct measure *functions,
                   struct text *text);

/* How a heap has grown from point to point; of other recordings nothing. */
void print_growth(const struct view *view, struct text *text);

/* The first screen. */
void print_summary(const struct view *view, struct text *text);

/* One table; the measure gets sorted. */
void print_table(const struct view *view, struct measure *measure, struct text *text);

/* The trees of calls and callers. Returns false if no function matches. */
bool print_tree(const struct view *view, struct text *text);

/* The differences between the two recordings. */
void print_diff(const struct view *view, struct text *text);

/* All of it as JSON. Returns as print_tree does. */
bool print_json(const struct view *view, struct text *text);

/* Adds what a row is called. */
void print_name(const struct measure_row *row, enum measure_by by, struct text *text);

/* The same of a function, where its module does not stand beside it. */
void print_function(const struct measure_row *row, struct text *text);

/* What rows are called: "function", and "functions" for another number than 1. */
const char *print_noun(enum measure_by by);

/* From a profile to the report that the user wants: writes that of a conversion, whose
 * options have the settings (settings.h). Returns its exit status. */
int write_report(const struct conversion *conversion, struct output *output);

#endif
