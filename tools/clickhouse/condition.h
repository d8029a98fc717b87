/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A condition in SQL that a user has written, and that stands between parentheses in our
 * statements: it must not close these, begin a comment, or leave a string open, so that
 * it stays a condition. All else is left to the server, which is asked for a query that
 * changes nothing.
 */
#ifndef TOOLS_CLICKHOUSE_CONDITION_H
#define TOOLS_CLICKHOUSE_CONDITION_H

/* Why it cannot be one; NULL if it can. */
const char *condition_problem(const char *condition);

#endif
