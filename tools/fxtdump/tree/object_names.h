/* SPDX-License-Identifier: BSD-2-Clause */
/* The last name of each process and thread that a kernel object record has named. */
#ifndef FXTDUMP_OBJECT_NAMES_H
#define FXTDUMP_OBJECT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

struct object_name {
    uint64_t koid;
    uint32_t type;
    uint32_t name;
};

/* All zero is an empty one. */
struct object_names {
    struct object_name *names;
    size_t n;
    size_t capacity;
    struct table table;
    struct string_table strings;
};

/* Takes a record, if it names a process or a thread. */
void object_names_take(struct object_names *names, const struct fxt_record *record);

/* The name of an object of a type (enum fxt_object_type); empty if it is not known. Valid
 * until the next record. */
struct string object_names_find(const struct object_names *names, uint32_t type,
                                uint64_t koid);

void object_names_free(struct object_names *names);

#endif
