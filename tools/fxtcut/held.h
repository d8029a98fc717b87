/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of a record that may be written later, or changed, with the registrations that
 * it needs as they were when it was read. */
#ifndef FXTCUT_HELD_H
#define FXTCUT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "source.h"

struct held_reference {
    /* NULL where it was not known. */
    struct registration *registration;
    bool is_thread;
    uint16_t index;
};

/* All zero holds nothing. Its memory is used again for the next record. */
struct held {
    struct trace_source *source;
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    struct held_reference *references;
    size_t n_references;
    size_t reference_capacity;
    /* How many of them are not of arguments. */
    size_t n_head;
    bool swapped;
    /* The one that it is about, if it is an event; not known otherwise. */
    struct fxt_thread thread;
};

void held_set(struct held *held, struct trace_source *source,
              const struct fxt_record *record);

/* Drops what it needs; its memory stays. */
void held_clear(struct held *held);
void held_free(struct held *held);

#endif
