/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel objects and arguments of which there are two kinds by one name, counters whose
 * arguments have one name, and threads whose process is not stated. */
#ifndef FXTLINT_CHECK_OBJECTS_H
#define FXTLINT_CHECK_OBJECTS_H

#include <fxt/record.h>

#include "common/base/table.h"
#include "findings.h"
#include "name_cache.h"

struct object_kind {
    uint64_t koid;
    uint32_t type;
};

struct arg_kind {
    uint32_t event;
    uint32_t arg;
    bool is_text;
};

/* The counter that an argument's name was first of. */
struct counter_series {
    uint32_t arg;
    uint32_t event;
    uint64_t process;
    uint64_t id;
};

struct check_objects {
    struct findings *findings;
    struct object_kind *objects;
    size_t n_objects;
    size_t object_capacity;
    struct table object_table;
    struct name_cache names;
    struct arg_kind *args;
    size_t n_args;
    size_t arg_capacity;
    struct table arg_table;
    struct counter_series *series;
    size_t n_series;
    size_t series_capacity;
    struct table series_table;
    bool is_full;
};

void check_objects(struct check_objects *check, const struct fxt_record *record);
/* Takes the event of a counter. */
void check_counter(struct check_objects *check, const struct fxt_record *record);
void check_objects_free(struct check_objects *check);

#endif
