/* SPDX-License-Identifier: BSD-2-Clause */
/* See condition.h. */
#include "condition.h"

#include <stdbool.h>
#include <string.h>

/* The end of what is quoted at `at`, after its last quote; NULL if there is none. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    for (; *at != '\0'; at++) {
        if (*at == quote)
            return at + 1;
        if (*at == '\\' && *++at == '\0')
            return NULL;
    }
    return NULL;
}

static bool begins_comment(const char *at)
{
    return strncmp(at, "--", 2) == 0 || strncmp(at, "/*", 2) == 0 || *at == '#';
}

const char *condition_problem(const char *at)
{
    size_t depth = 0;

    if (at[strspn(at, " \t\r\n")] == '\0')
        return "a condition is needed, as in \"host like 'web%'\"";
    while (*at != '\0') {
        if (strchr("'\"`", *at) != NULL) {
            at = skip_quoted(at);
            if (at == NULL)
                return "a quote is not closed";
            continue;
        }
        if (begins_comment(at) || *at == ';')
            return "a condition has no comments and no ;";
        if (*at == ')' && depth == 0)
            return "a parenthesis is closed that is not open";
        depth += *at == '(';
        depth -= *at == ')';
        at++;
    }
    return depth > 0 ? "a parenthesis is not closed" : NULL;
}
