/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people read them. */
#ifndef FXTREPORT_UNITS_H
#define FXTREPORT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/* "1,234,567" */
void units_number(struct text *text, uint64_t number);

/* The same in at most 13 columns: "1e+10". */
void units_count(struct text *text, uint64_t number);

/* A value in the unit of a profile's type, three digits of it or more: "1.23 s", "12.3
 * ms", "1.50 MiB", "1,234". */
void units_value(struct text *text, int64_t value, const char *unit);

/* "12.3%", with one decimal; "-" where the whole is 0. */
void units_share(struct text *text, double part, double whole);

/* "2026-11-22 17:05:01 UTC" */
void units_date(struct text *text, uint64_t unix_ns);

/* "... 12 more steps (--rows 0 shows all)", of rows that are not shown; nothing for none.
 * The nouns may be NULL. */
void units_rest(struct text *text, size_t n, const char *one, const char *several);

/* "1.23 ms" */
void units_time(struct text *text, uint64_t ns);

/* A value of a counter, or a rate: "123,456", "0.125", "1.235 M". */
void units_decimal(struct text *text, double value);

/* ", 1,234 spans" where there is something before, and nothing of 0. */
void units_counted(struct text *line, uint64_t n, const char *noun);

#endif
