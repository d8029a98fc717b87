/* SPDX-License-Identifier: BSD-2-Clause */
/* See drawing.h. */
#include "drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Columns ----------------------------------------------------------------------- */

/* The highest column, and that of constant values; 0 is empty. */
enum { HIGHEST = 8, MIDDLE = 4 };

bool drawing_has_blocks(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *locale = getenv(names[i]);
        const char *encoding;

        if (locale == NULL || *locale == '\0')
            continue;
        encoding = strchr(locale, '.');
        return encoding != NULL && (strncasecmp(encoding, ".utf-8", 6) == 0 ||
                                    strncasecmp(encoding, ".utf8", 5) == 0);
    }
    return true;
}

static void add_column(struct text *text, unsigned height)
{
    static const char ascii[HIGHEST + 1] = " .:-=+*#@";
    /* The eight blocks follow one another. */
    char block[] = "\xe2\x96\x80";

    if (height == 0 || !drawing_has_blocks()) {
        text_char(text, ascii[height]);
        return;
    }
    block[2] = (char)(block[2] + (int)height);
    text_str(text, block);
}

/* ---- Times ------------------------------------------------------------------------- */

/* How many of the times, from `first` on, are below a limit. */
static size_t count_below(const uint64_t *times, size_t first, size_t n, double limit)
{
    size_t from = first;
    size_t to = n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if ((double)times[middle] < limit)
            from = middle + 1;
        else
            to = middle;
    }
    return from - first;
}

/* Where column `i` begins. */
static double limit_of(uint64_t min_ns, uint64_t max_ns, size_t i, size_t width)
{
    double least = min_ns > 0 ? (double)min_ns : 1;
    double most = max_ns > min_ns ? (double)max_ns : least + 1;

    if (i == width)
        return INFINITY;
    return least * pow(most / least, (double)i / (double)width);
}

static size_t count_column(const uint64_t *times, size_t *at, size_t n, double limit)
{
    size_t count = count_below(times, *at, n, limit);

    *at += count;
    return count;
}

void drawing_of_times(struct text *text, const uint64_t *times, size_t n, uint64_t min_ns,
                      uint64_t max_ns, size_t width)
{
    size_t most = 1;
    size_t at = 0;

    for (size_t i = 1; i <= width; i++) {
        size_t count = count_column(times, &at, n, limit_of(min_ns, max_ns, i, width));

        most = count > most ? count : most;
    }
    at = 0;
    for (size_t i = 1; i <= width; i++) {
        size_t count = count_column(times, &at, n, limit_of(min_ns, max_ns, i, width));

        add_column(text, (unsigned)ceil((double)count * HIGHEST / (double)most));
    }
}

/* ---- Values ------------------------------------------------------------------------ */

/* The mean over a part of the time; NAN before the first value. */
static double mean_of(const struct fxt_profile_counter *c, size_t *at, double from,
                      double to)
{
    double sum = 0;
    double length = 0;

    for (size_t i = *at; i < c->n_values && (double)c->values[i].time_ns <= to; i++) {
        double start = (double)c->values[i].time_ns;
        double end = i + 1 < c->n_values ? (double)c->values[i + 1].time_ns : to;

        if (end <= from) {
            *at = i;
            continue;
        }
        start = start > from ? start : from;
        end = end < to ? end : to;
        sum += c->values[i].value * (end - start);
        length += end - start;
        *at = i;
    }
    if (length > 0)
        return sum / length;
    return (double)c->values[*at].time_ns <= to ? c->values[*at].value : NAN;
}

void drawing_of_values(struct text *text, const struct fxt_profile_counter *c,
                       uint64_t first_ns, uint64_t last_ns, size_t width)
{
    double step = (double)(last_ns - first_ns) / (double)width;
    double least = INFINITY;
    double most = -INFINITY;
    size_t at = 0;

    for (size_t i = 0; i < c->n_values; i++) {
        least = c->values[i].value < least ? c->values[i].value : least;
        most = c->values[i].value > most ? c->values[i].value : most;
    }
    for (size_t i = 0; i < width; i++) {
        double from = (double)first_ns + step * (double)i;
        double mean = mean_of(c, &at, from, from + step);

        if (isnan(mean))
            add_column(text, 0);
        else if (most == least)
            add_column(text, MIDDLE);
        else
            add_column(text,
                       1 + (unsigned)((mean - least) / (most - least) * (HIGHEST - 1)));
    }
}
