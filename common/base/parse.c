/* SPDX-License-Identifier: BSD-2-Clause */
/* See parse.h. */
#include "parse.h"

#include <string.h>

#include "hex.h"
#include "text.h"

/* Takes a number off the start of `*string`. */
static bool take_u64(const char **string, uint64_t *value)
{
    unsigned base = 10;
    const char *s = *string;
    const char *start;

    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    }
    start = s;
    *value = 0;
    for (unsigned digit; (digit = (unsigned)hex_digit(*s)) < base; s++) {
        if (*value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    *string = s;
    return s > start;
}

bool parse_u64(const char *string, uint64_t *value)
{
    return take_u64(&string, value) && *string == '\0';
}

bool parse_size(const char *string, uint64_t *value)
{
    int shift = 0;

    if (!take_u64(&string, value))
        return false;
    if (*string == 'K' || *string == 'k')
        shift = 10;
    else if (*string == 'M')
        shift = 20;
    else if (*string == 'G')
        shift = 30;
    if (shift > 0)
        string++;
    if (*string != '\0' || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

/* `*value` times `factor`, where that fits. */
static bool multiply_by(uint64_t *value, uint64_t factor)
{
    if (*value > UINT64_MAX / factor)
        return false;
    *value *= factor;
    return true;
}

/* How many nanoseconds a unit of time has; 0 if there is no such unit. */
static uint64_t unit_ns(const char *unit)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].ns;
    }
    return 0;
}

bool parse_duration(const char *string, uint64_t *ns)
{
    uint64_t factor;

    if (!take_u64(&string, ns))
        return false;
    factor = unit_ns(string);
    return factor > 0 && multiply_by(ns, factor);
}

/* Takes a number with or without decimals off the start of `*string`, and gives it times
 * `factor`, a power of ten, if that is a whole number. */
static bool take_decimal(const char **string, uint64_t factor, uint64_t *value)
{
    const char *s = *string;
    uint64_t part = factor;

    if (!take_u64(&s, value) || !multiply_by(value, factor))
        return false;
    if (*s == '.') {
        if (*++s < '0' || *s > '9')
            return false;
        for (; *s >= '0' && *s <= '9'; s++) {
            uint64_t more;

            part /= 10;
            more = (uint64_t)(*s - '0') * part;
            if (part == 0 || more > UINT64_MAX - *value)
                return false;
            *value += more;
        }
    }
    *string = s;
    return true;
}

bool parse_seconds(const char *string, uint64_t *ns)
{
    return take_decimal(&string, 1000000000, ns) && *string == '\0';
}

bool parse_time(const char *string, uint64_t *ns)
{
    const char *unit = string + strspn(string, "0123456789.");
    uint64_t factor = *unit == '\0' ? 1000000000 : unit_ns(unit);

    return factor > 0 && take_decimal(&string, factor, ns) && string == unit;
}

bool parse_hundredths(const char *string, uint64_t *value)
{
    return take_decimal(&string, 100, value) && *string == '\0';
}

void cpu_set_add(struct cpu_set *set, uint64_t cpu)
{
    size_t n_words = (size_t)(cpu / 64 + 1);

    if (n_words > set->n_words) {
        set->words = memory_reallocate(set->words, n_words * sizeof(*set->words));
        memset(set->words + set->n_words, 0,
               (n_words - set->n_words) * sizeof(*set->words));
        set->n_words = n_words;
    }
    set->words[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

bool parse_cpu_list(const char *string, struct cpu_set *set)
{
    for (;;) {
        uint64_t first;
        uint64_t last;

        if (!take_u64(&string, &first))
            return false;
        last = first;
        if (*string == '-') {
            string++;
            if (!take_u64(&string, &last))
                return false;
        }
        if (last < first || last > CPU_MAX)
            return false;
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpu_set_add(set, cpu);
        if (*string == '\0')
            return true;
        if (*string++ != ',')
            return false;
    }
}

/* Divides a decimal number, as digits, by two in place. Returns the remainder. */
static int halve_decimal(char *digits, size_t size)
{
    int rest = 0;

    for (size_t i = 0; i < size; i++) {
        int value = rest * 10 + (digits[i] - '0');

        digits[i] = (char)('0' + value / 2);
        rest = value % 2;
    }
    return rest;
}

static bool add_hex_mask(const char *digits, struct cpu_set *set)
{
    size_t size = strlen(digits);

    for (size_t i = 0; i < size; i++) {
        int value = hex_digit(digits[size - 1 - i]);

        if (value < 0)
            return false;
        for (unsigned bit = 0; bit < 4; bit++) {
            if (value >> bit & 1) {
                if (i * 4 + bit > CPU_MAX)
                    return false;
                cpu_set_add(set, i * 4 + bit);
            }
        }
    }
    return size > 0;
}

static bool add_decimal_mask(const char *string, struct cpu_set *set)
{
    size_t size = strspn(string, "0123456789");
    uint64_t cpu = 0;
    char *digits;

    /* 65536 bits are 19729 decimal digits. */
    if (size == 0 || string[size] != '\0' || size > 19729)
        return false;
    digits = memory_copy_string(string);
    for (char *first = digits; *first != '\0'; cpu++) {
        if (halve_decimal(first, strlen(first)) && cpu <= CPU_MAX)
            cpu_set_add(set, cpu);
        while (*first == '0')
            first++;
    }
    memory_release(digits);
    return cpu <= CPU_MAX + 1;
}

bool parse_cpu_mask(const char *string, struct cpu_set *set)
{
    if (string[0] == '0' && (string[1] == 'x' || string[1] == 'X'))
        return add_hex_mask(string + 2, set);
    return add_decimal_mask(string, set);
}

bool cpu_set_has(const struct cpu_set *set, uint64_t cpu)
{
    return cpu / 64 < set->n_words && (set->words[cpu / 64] >> (cpu % 64) & 1);
}
