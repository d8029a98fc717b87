/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables that a trace becomes, and their columns: the one place where they are
 * listed. docs/schema.md has them for users, and a test compares it. A change of a
 * column, or of what it means, raises SCHEMA_VERSION; a new column does not.
 */
#ifndef TOOLS_TABLES_SCHEMA_H
#define TOOLS_TABLES_SCHEMA_H

#include "sink.h"

enum { SCHEMA_VERSION = 1 };

/* What is referred to comes before what refers to it. */
enum schema_table {
    SCHEMA_META,
    SCHEMA_LOSS,
    SCHEMA_PROCESS,
    SCHEMA_THREAD,
    SCHEMA_FRAME,
    SCHEMA_STACK,
    SCHEMA_SAMPLE,
    SCHEMA_SLICE,
    SCHEMA_INSTANT,
    SCHEMA_ASYNC,
    SCHEMA_FLOW,
    SCHEMA_COUNTER,
    SCHEMA_ARGS,
    SCHEMA_SCHED,
    SCHEMA_TABLES
};

extern const struct table_info schema_tables[SCHEMA_TABLES];

/* "int64" and the like. */
const char *column_type_name(enum column_type type);

#endif
