/* SPDX-License-Identifier: BSD-2-Clause */
/* The values that an option can have, as lines for a shell. */
#ifndef FXT_VALUES_H
#define FXT_VALUES_H

#include "help_options.h"
#include "trace_names.h"

/* What a shell offers as well. */
enum value_kind { VALUE_OTHER, VALUE_FILE, VALUE_DIRECTORY, VALUE_COMMAND };

/* Adds a line: `prefix`, which the word has already, a candidate, and after a tab what it
 * is. Those that are not plain text are left out. */
void value_add(struct text *lines, const char *prefix, struct string candidate,
               struct string about);

/* What a shell should offer for an argument by that name, such as FILE. */
enum value_kind value_kind_of(const char *argument);

/* Adds the values of an option. `word` is what there is of it; `names` those of the
 * traces on the line. */
void value_add_all(struct text *lines, const struct help_option *option, const char *word,
                   const struct trace_names *names);

/* Adds the processes that run now. */
void value_add_running(struct text *lines, const char *prefix);

#endif
