/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous operations and flows, added up by their names.
 *
 * Operations are matched as events.h has it: an end ends the innermost operation of its
 * process, id and name. A flow begins with its begin, and has all later steps of its id,
 * name and category up to an end; another begin of these begins another flow. Both are
 * kept to the end, for events are not sorted in an input.
 */
#ifndef FXTPROFILE_IMPORT_SUMMARY_OPERATIONS_H
#define FXTPROFILE_IMPORT_SUMMARY_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "labels.h"
#include "common/spans/span_keys.h"

enum operation_kind { OPERATION_BEGIN, OPERATION_END, OPERATION_STEP };

struct operation_event {
    uint64_t time_ns;
    uint32_t group;
    uint32_t label;
    uint32_t thread;
    uint32_t kind;
};

/* All zero is empty. */
struct operations {
    struct operation_event *events;
    size_t n;
    size_t capacity;
    /* Events of one of them can belong together. */
    struct async_groups groups;
    struct labels labels;
};

void operations_add(struct operations *operations, const struct operation_event *event);

/* Which of them count: their threads, by number, and from when to when they last. */
typedef bool operations_want_fn(void *context, uint32_t thread, uint64_t from_ns,
                                uint64_t to_ns);

struct operations_output {
    operations_want_fn *wants;
    void *context;
    /* Ends without a begin; and of flows steps. */
    uint64_t n_unopened;
};

/* After the last event. */
void operations_add_async(struct operations *operations,
                          struct operations_output *output);
void operations_add_flows(struct operations *operations,
                          struct operations_output *output);

void operations_free(struct operations *operations);

#endif
