/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that make rows share: see produce.h. */
#ifndef TOOLS_TABLES_PRODUCER_H
#define TOOLS_TABLES_PRODUCER_H

#include <fxt/profile.h>

#include "common/base/text.h"
#include "schema.h"
#include "stack_ids.h"
#include "thread_ids.h"

enum { CELL_STRINGS_MAX = 8 };

struct producer {
    const struct fxt_profile *profile;
    const struct table_sink *sink;
    /* The sink has returned false. */
    bool has_failed;
    /* What a time of the trace's clock becomes, if the wall clock is known: see
     * cell_time. */
    bool has_wall_clock;
    uint64_t clock_ns;
    uint64_t wall_ns;
    struct thread_ids threads;
    struct stack_ids stacks;
    /* Strings of the row that is being made, where they had to be changed. */
    struct text strings[CELL_STRINGS_MAX];
    size_t n_strings;
};

/* ---- Cells ------------------------------------------------------------------------- */

static inline struct cell cell_null(void)
{
    return (struct cell){.is_null = true};
}

static inline struct cell cell_int(int64_t value)
{
    return (struct cell){.int64 = value};
}

static inline struct cell cell_uint(uint64_t value)
{
    return (struct cell){.uint64 = value};
}

static inline struct cell cell_double(double value)
{
    return (struct cell){.real = value};
}

/* An id from 1 on; 0 is none. */
static inline struct cell cell_id(uint32_t id)
{
    return id != 0 ? cell_int(id) : cell_null();
}

/* An index; FXT_PROFILE_NONE is none. */
static inline struct cell cell_index(uint32_t index)
{
    return index != FXT_PROFILE_NONE ? cell_int(index) : cell_null();
}

static inline struct cell cell_bytes(const void *bytes, size_t n_bytes)
{
    return (struct cell){.bytes = bytes, .n_bytes = n_bytes};
}

static inline struct cell cell_hash(const struct hash *hash)
{
    return cell_bytes(hash->bytes, HASH_BYTES);
}

static inline struct cell cell_word(const char *word)
{
    return word != NULL ? cell_bytes(word, strlen(word)) : cell_null();
}

/* A duration; one of 2^63 ns or more is 2^63 - 1. */
static inline struct cell cell_duration(uint64_t ns)
{
    return cell_int(ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
}

/* A time of the trace's clock: of the wall clock, if that is known. What is beyond 64
 * bits is the first or the last time that there is. */
struct cell cell_time(const struct producer *producer, uint64_t clock_ns);

/* A string of the input, as valid UTF-8; valid until the row was given. */
struct cell cell_string(struct producer *producer, struct fxt_string string);

/* The same, but an empty one is null. */
struct cell cell_name(struct producer *producer, struct fxt_string string);

/* ---- Rows -------------------------------------------------------------------------- */

/* Gives a row to the sink. */
void producer_row(struct producer *producer, enum schema_table table,
                  const struct cell *cells, size_t n_cells);

#define PRODUCE_ROW(producer, table, ...)                                                \
    producer_row((producer), (table), (struct cell[]){__VA_ARGS__},                      \
                 sizeof((struct cell[]){__VA_ARGS__}) / sizeof(struct cell))

/* The rows of each table; in the file of that name. */
void produce_meta(struct producer *producer);
void produce_losses(struct producer *producer);
void produce_processes(struct producer *producer);
void produce_threads(struct producer *producer);
void produce_frames(struct producer *producer);
void produce_stacks(struct producer *producer);
void produce_samples(struct producer *producer);
void produce_slices(struct producer *producer);
void produce_instants(struct producer *producer);
void produce_async(struct producer *producer);
void produce_flows(struct producer *producer);
void produce_counters(struct producer *producer);
void produce_args(struct producer *producer);
void produce_sched(struct producer *producer);

#endif
