/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a region or file by thread: spans nested as they ran, everything else
 * between them at its time. A line is about one event, or about a begin and its end.
 *
 * Events need not be in the order of time, and an end may be anywhere after its begin. So
 * all are kept until the region's end, in memory that is a multiple of their size in the
 * input: each string is kept once, and long ones among arguments are cut.
 */
#ifndef FXTDUMP_TREE_H
#define FXTDUMP_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/spans/span_keys.h"
#include "common/base/string_table.h"
#include "tools/common/filter.h"
#include "tools/fxtdump/print.h"

/* Deeper lines are not indented but have their depth as a number. */
enum { TREE_MAX_INDENT = 40 };

/* Kinds of lines beside those of events (enum fxt_event_kind). */
enum tree_kind {
    TREE_LOG = 16,
    /* A complete event that ends before it begins. */
    TREE_BACKWARDS
};

/* A string is its number among the tree's, or a reference that was never registered with
 * this bit set. */
#define TREE_REF ((uint32_t)1 << 31)

struct tree_event {
    uint64_t time_ns;
    uint64_t end_ns;
    uint64_t id;
    /* Its place in the input. */
    uint32_t order;
    uint32_t thread;
    /* Of asynchronous begins and ends: what can match each other. */
    uint32_t group;
    uint32_t category;
    uint32_t name;
    /* The arguments as text, and those of its end: where they begin in the tree's. */
    size_t args;
    size_t end_args;
    uint8_t kind;
    bool is_wanted;
    /* A begin without an end, or an end without a begin. */
    bool is_unmatched;
    /* Times past 64 bits of nanoseconds. */
    bool is_late;
    bool is_end_late;
};

struct object_name {
    uint64_t koid;
    uint32_t type;
    uint32_t name;
};

/* The last name of each process and thread that a kernel object record has named. All
 * zero is an empty one. */
struct object_names {
    struct object_name *names;
    size_t n;
    size_t capacity;
    struct table table;
    struct string_table strings;
};

/* The name of an object of a type (enum fxt_object_type); empty if it is not known. Valid
 * until the next record. */
struct string object_names_find(const struct object_names *names, uint32_t type,
                                uint64_t koid);

struct tree {
    const struct filter *filter;
    /* The same but for times: a span is wanted if it overlaps these. */
    struct filter any_time;

    struct tree_event *events;
    size_t n;
    size_t capacity;
    struct span_thread_set threads;
    struct async_groups groups;
    struct string_table strings;
    struct object_names objects;
    /* Each ends in a NUL, which quoted text has not; the first is empty. */
    struct text args;
    struct text room;

    /* Records that are wanted but no events, and what could not be read. */
    uint64_t n_others;
    uint64_t n_faults;
    uint64_t n_skipped;

    /* Printing: the next event, and the ends of the spans that it may be in. */
    size_t next;
    uint64_t *open;
    size_t n_open;
    size_t open_capacity;
};

/* The filter must stay in place. */
void tree_init(struct tree *tree, const struct filter *filter);

void tree_take(struct tree *tree, const struct print_context *context,
               const struct fxt_record *record);
void tree_take_fault(struct tree *tree, const struct fault *fault);

/* After the last record: matches begins and ends, and sorts what is to be printed. */
void tree_finish(struct tree *tree);

/* Prints the next line, after a heading where it is the first one of its thread. Returns
 * false if there is none left. */
bool tree_print_next(struct tree *tree, struct text *out,
                     const struct print_context *context);

/* Prints how much was not shown. */
void tree_print_rest(const struct tree *tree, struct text *out);

/* Forgets everything but the filter. */
void tree_clear(struct tree *tree);

#endif
