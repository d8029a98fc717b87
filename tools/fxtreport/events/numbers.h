/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of events, as people read them. */
#ifndef FXTREPORT_EVENTS_NUMBERS_H
#define FXTREPORT_EVENTS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/text.h"

/* "1.23 ms" */
void numbers_time(struct text *text, uint64_t ns);

/* A value of a counter, or a rate: "123,456", "0.125", "1.235 M". */
void numbers_value(struct text *text, double value);

/* ", 1,234 spans" where there is something before, and nothing of 0. */
void numbers_count(struct text *line, uint64_t n, const char *noun);

struct counter_numbers {
    double min;
    double mean;
    double max;
    double last;
};

/* Of a counter's values. Each lasts until the next one of its series, and the mean is
 * over that time; of values at one time only it is that of the values. */
struct counter_numbers numbers_of(const struct fxt_profile_counter *counter);

#endif
