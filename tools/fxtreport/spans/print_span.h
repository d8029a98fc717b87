/* SPDX-License-Identifier: BSD-2-Clause */
/* The view of one span (--span) and of the way to its end (--critical-path). */
#ifndef FXTREPORT_SPANS_PRINT_SPAN_H
#define FXTREPORT_SPANS_PRINT_SPAN_H

#include "common/base/text.h"
#include "critical_path.h"
#include "slowest.h"
#include "span_set.h"
#include "span_threads.h"
#include "tools/fxtreport/view.h"

/* Adds the view as text or, with --json, as members of the report's object. Returns
 * false, with a message, if no span matches. */
bool print_span(const struct view *view, struct text *text);

/* ---- Its parts --------------------------------------------------------------------- */

/* What the view is of, once it was found. */
struct span_view {
    const struct view *view;
    struct span_set set;
    struct span_threads threads;
};

void print_histogram(const struct span_view *span, struct text *text);
void print_histogram_json(const struct span_view *span, struct text *text);

void print_slowest(const struct span_view *span, struct text *text);
void print_slowest_json(const struct span_view *span, struct text *text);

void print_critical_path(const struct span_view *span, const struct critical_path *path,
                         struct text *text);
void print_critical_path_json(const struct span_view *span,
                              const struct critical_path *path, struct text *text);

/* Adds the names and numbers of a thread and its process, as members of an object. */
void print_span_thread_json(const struct span_view *span, uint32_t thread,
                            struct text *text);

/* Adds a bold title that begins a line, with something after it. */
void print_span_title(const struct span_view *span, const char *title, struct text *rest,
                      struct text *text);

/* Seconds of the trace's clock with all nine decimals, as --at takes them. */
void print_span_clock(struct text *text, uint64_t ns);

#endif
