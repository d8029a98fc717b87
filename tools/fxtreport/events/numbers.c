/* SPDX-License-Identifier: BSD-2-Clause */
/* See numbers.h. */
#include "numbers.h"

#include <math.h>

#include "tools/fxtreport/units.h"

void numbers_time(struct text *text, uint64_t ns)
{
    /* Longer ones would leave no room for names. */
    const uint64_t longest_ns = 1000000 * (uint64_t)1000000000;

    if (ns < longest_ns)
        units_value(text, (int64_t)ns, "nanoseconds");
    else
        text_printf(text, "%.2g s", (double)ns / 1e9);
}

void numbers_value(struct text *text, double value)
{
    static const char suffixes[] = "MGTPE";
    double size = fabs(value);
    size_t i = 0;

    if (size < 999999.5 && (size >= 1000 || floor(value) == value)) {
        if (value < 0)
            text_char(text, '-');
        units_number(text, (uint64_t)(size + 0.5));
        return;
    }
    if (size < 1000 || size >= 1e21) {
        text_printf(text, "%.3g", value);
        return;
    }
    for (value /= 1e6; fabs(value) >= 999.95 && suffixes[i + 1] != '\0'; i++)
        value /= 1000;
    text_printf(text, "%.4g %c", value, suffixes[i]);
}

void numbers_count(struct text *line, uint64_t n, const char *noun)
{
    if (n == 0)
        return;
    if (line->size > 0)
        text_str(line, ", ");
    units_number(line, n);
    text_char(line, ' ');
    text_str(line, noun);
    text_str(line, text_plural(n));
}

struct counter_numbers numbers_of(const struct fxt_profile_counter *c)
{
    struct counter_numbers n = {c->values[0].value, 0, c->values[0].value,
                                c->values[c->n_values - 1].value};
    double sum = 0;
    double weighted = 0;

    for (size_t i = 0; i < c->n_values; i++) {
        double value = c->values[i].value;

        n.min = value < n.min ? value : n.min;
        n.max = value > n.max ? value : n.max;
        sum += value / (double)c->n_values;
        if (i + 1 < c->n_values)
            weighted += value * (double)(c->values[i + 1].time_ns - c->values[i].time_ns);
    }
    if (c->values[c->n_values - 1].time_ns == c->values[0].time_ns)
        n.mean = sum;
    else
        n.mean = weighted /
                 (double)(c->values[c->n_values - 1].time_ns - c->values[0].time_ns);
    return n;
}
