/* SPDX-License-Identifier: BSD-2-Clause */
/* See glob.h. */
#include "glob.h"

#include <string.h>

/* Where the set that begins after a `[` ends: its `]`, or NULL. A `]` that comes first is
 * a member. */
static const char *set_end(const char *set)
{
    if (*set == '!' || *set == '^')
        set++;
    return *set != '\0' ? strchr(set + 1, ']') : NULL;
}

static bool set_has(const char *set, const char *end, unsigned char c)
{
    bool wanted = true;
    bool found = false;

    if (*set == '!' || *set == '^') {
        wanted = false;
        set++;
    }
    while (set < end) {
        unsigned char low = (unsigned char)*set++;
        unsigned char high = low;

        if (end - set >= 2 && *set == '-') {
            high = (unsigned char)set[1];
            set += 2;
        }
        found = found || (c >= low && c <= high);
    }
    return found == wanted;
}

/* Matches one byte against the element at `*pattern`, which is no star, and moves past
 * that element if it matches. */
static bool match_one(const char **pattern, unsigned char c)
{
    const char *p = *pattern;
    const char *end;
    bool matches;

    if (*p == '[' && (end = set_end(p + 1)) != NULL) {
        matches = set_has(p + 1, end, c);
        p = end;
    } else if (*p == '?') {
        matches = true;
    } else {
        if (*p == '\\' && p[1] != '\0')
            p++;
        matches = *p != '\0' && (unsigned char)*p == c;
    }
    if (matches)
        *pattern = p + 1;
    return matches;
}

/* What follows a star is tried at every place; only the last star needs to be tried
 * again, since what an earlier one took can do no better elsewhere. */
bool glob_matches(const char *pattern, const char *name, size_t size)
{
    const char *after_star = NULL;
    size_t star_at = 0;
    size_t at = 0;

    while (at < size) {
        if (*pattern == '*') {
            after_star = ++pattern;
            star_at = at;
        } else if (match_one(&pattern, (unsigned char)name[at])) {
            at++;
        } else if (after_star != NULL) {
            pattern = after_star;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
