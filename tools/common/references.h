/* SPDX-License-Identifier: BSD-2-Clause */
/* What a record refers to by the tables of strings and threads. */
#ifndef TOOLS_REFERENCES_H
#define TOOLS_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>

struct reference {
    bool is_thread;
    /* The reader knows what it refers to. */
    bool is_known;
    uint16_t index;
};

/* A log's message, a large blob's or an event's category and name, two threads, and the
 * arguments' names and values. */
enum { REFERENCES_MAX = 4 + 2 * FXT_ARGS_MAX };

/* Stores the references of a record to tables, those of its arguments last, and returns
 * how many there are. How many are not of arguments is stored in `*n_head`, unless that
 * is NULL. */
size_t references_find(struct reference references[REFERENCES_MAX],
                       const struct fxt_record *record, size_t *n_head);

#endif
