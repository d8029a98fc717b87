/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptions (tools/common/descriptions.h), which are written once a record is that
 * they are about. Those that come later are written where they are. */
#ifndef FXTCUT_DESCRIPTION_H
#define FXTCUT_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "held.h"
#include "part.h"
#include "tools/common/descriptions.h"

struct held_description {
    struct held held;
    /* What sort of object it is; enum fxt_record_type for code. */
    uint32_t type;
    /* The process of an object that is in one; 0 for none. */
    uint64_t process;
    /* The number of the part that has it. */
    uint64_t part;
};

struct description_list {
    struct held_description *descriptions;
    size_t n;
    size_t capacity;
};

/* What has a koid. */
struct described {
    uint64_t koid;
    struct description_list names;
    struct description_list code;
    /* The number of the part that has records about it. */
    uint64_t names_part;
    uint64_t code_part;
};

struct described_set {
    struct described *items;
    size_t n;
    size_t capacity;
    struct table table;
};

enum { NAMED_RECENTLY = 64 };

/* All zero has none. */
struct descriptions {
    /* Objects whose names a part has: the one of each remainder that came last. */
    uint64_t named[NAMED_RECENTLY];
    uint64_t named_part;
    struct described_set objects;
    /* By their pointers. */
    struct described_set user_objects;
    uint64_t n_bytes;
    /* How many there was no room for. */
    uint64_t n_lost;
};

/* The bound on the bytes of descriptions. */
#define DESCRIPTIONS_MAX_BYTES FXT_DEFAULT_MAX_KEPT_BYTES

/* Takes a description; `is_written` if the part has it. It is written if the part has
 * records that it is about. */
void descriptions_take(struct descriptions *descriptions, struct output_part *part,
                       struct trace_source *source, const struct fxt_record *record,
                       bool is_written);

/* Writes what describes a record that is to be written next. */
void descriptions_write(struct descriptions *descriptions, struct output_part *part,
                        const struct fxt_record *record);

/* The names of a process and a thread. */
void descriptions_write_thread(struct descriptions *descriptions,
                               struct output_part *part, const struct fxt_thread *thread);

void descriptions_free(struct descriptions *descriptions);

#endif
