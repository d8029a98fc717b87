/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of the implementation of fxt/trace.h: which categories a list of patterns means.
 * Not for direct use. */
#ifndef FXT_TRACE_PATTERNS_H
#define FXT_TRACE_PATTERNS_H

#include <stdbool.h>
#include <string.h>

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

/* Whether all of a string matches a pattern, in which "*" stands for anything. */
FXT_INLINE bool fxt_trace_matches_(const char *pattern, const char *end,
                                   const char *string)
{
    const char *star = 0;
    const char *retry = string;

    while (*string) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            retry = string;
        } else if (pattern < end && *pattern == *string) {
            pattern++;
            string++;
        } else if (star) {
            pattern = star + 1;
            string = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

/* Whether a category is traced by a list of patterns, as FXT_TRACE has them. */
FXT_INLINE bool fxt_trace_wants_(const char *patterns, const char *category)
{
    bool only_some = false;
    bool wanted = false;
    bool decided = false;

    while (*patterns) {
        const char *end = patterns + strcspn(patterns, ",");
        bool is_not = *patterns == '-';

        only_some |= !is_not && end > patterns;
        if (end > patterns && fxt_trace_matches_(patterns + is_not, end, category)) {
            wanted = !is_not;
            decided = true;
        }
        patterns = *end ? end + 1 : end;
    }
    return decided ? wanted : !only_some;
}

FXT_END_DECLS

#endif
