/* SPDX-License-Identifier: BSD-2-Clause */
/* The queries that have names: those of the files in queries/. */
#ifndef FXTQUERY_QUERIES_H
#define FXTQUERY_QUERIES_H

#include "common/base/text.h"

/* Adds the SQL of a query, such as "slowest-spans". Returns false if there is none. */
bool queries_find(struct text *sql, const char *name);

/* Adds a line for each, with what it is about. */
void queries_list(struct text *text);

#endif
