/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be chosen by name or number in a trace. */
#ifndef FXT_TRACE_NAMES_H
#define FXT_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

/* A process or a thread. */
struct named_koid {
    uint64_t koid;
    /* Its number in `names`, where it is known. */
    uint32_t name;
};

struct named_koids {
    struct named_koid *koids;
    size_t n;
    size_t capacity;
    struct table table;
};

/* All zero is an empty one. The first string in `names` is empty. */
struct trace_names {
    struct named_koids processes;
    struct named_koids threads;
    struct string_table names;
    struct string_table categories;
    struct string_table events;
    struct string_table providers;
};

/* Adds what is in a file, or in its first part if it is large. Files that cannot be read
 * have nothing. */
void trace_names_read(struct trace_names *names, const char *file);

#endif
