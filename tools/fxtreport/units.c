/* SPDX-License-Identifier: BSD-2-Clause */
/* See units.h. */
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct unit {
    const char *name;
    /* What one of it is in the smallest unit. */
    double size;
};

static const struct unit times[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};

static const struct unit sizes[] = {{"B", 1},
                                    {"KiB", 1024.0},
                                    {"MiB", 1048576.0},
                                    {"GiB", 1073741824.0},
                                    {"TiB", 1099511627776.0},
                                    {NULL, 0}};

/* Larger counts are not printed in full. */
#define LARGEST_WHOLE 10000000000U

void units_number(struct text *text, uint64_t number)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            text_char(text, ',');
        text_char(text, digits[i]);
    }
}

/* Three digits; all digits of what is larger. `value` is below 1000 or a thousand of the
 * largest unit. */
static void add_digits(struct text *text, double value)
{
    if (value >= 999.5)
        units_number(text, value < 1e18 ? (uint64_t)(value + 0.5) : UINT64_MAX);
    else
        text_printf(text, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

/* `limit`: the next unit is used from so many on. */
static void add_scaled(struct text *text, double value, const struct unit *unit,
                       double limit)
{
    const struct unit *smallest = unit;

    while (unit[1].name != NULL && value / unit->size >= limit)
        unit++;
    if (unit == smallest)
        text_printf(text, "%.0f", value);
    else
        add_digits(text, value / unit->size);
    text_char(text, ' ');
    text_str(text, unit->name);
}

void units_count(struct text *text, uint64_t number)
{
    if (number < LARGEST_WHOLE)
        units_number(text, number);
    else
        text_printf(text, "%.3g", (double)number);
}

void units_value(struct text *text, int64_t value, const char *unit)
{
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    if (value < 0)
        text_char(text, '-');
    if (strcmp(unit, "nanoseconds") == 0)
        add_scaled(text, (double)size, times, 999.5);
    else if (strcmp(unit, "bytes") == 0)
        add_scaled(text, (double)size, sizes, 1023.5);
    else
        units_count(text, size);
}

void units_share(struct text *text, double part, double whole)
{
    if (whole == 0)
        text_char(text, '-');
    else
        text_printf(text, "%.1f%%", 100 * part / whole);
}

void units_date(struct text *text, uint64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000);
    struct tm tm;
    char date[40];

    if (gmtime_r(&seconds, &tm) == NULL ||
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
        return;
    text_str(text, date);
}

void units_rest(struct text *text, size_t n, const char *one, const char *several)
{
    if (n == 0)
        return;
    text_str(text, "... ");
    units_number(text, n);
    text_str(text, " more");
    if (one != NULL)
        text_printf(text, " %s", n == 1 ? one : several);
    text_str(text, " (--rows 0 shows all)\n");
}

/* ---- Of events --------------------------------------------------------------------- */

void units_time(struct text *text, uint64_t ns)
{
    /* Longer ones would leave no room for names. */
    const uint64_t longest_ns = 1000000 * (uint64_t)1000000000;

    if (ns < longest_ns)
        units_value(text, (int64_t)ns, "nanoseconds");
    else
        text_printf(text, "%.2g s", (double)ns / 1e9);
}

void units_decimal(struct text *text, double value)
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

void units_counted(struct text *line, uint64_t n, const char *noun)
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
