/* SPDX-License-Identifier: BSD-2-Clause */
/* See held.h. */
#include "held.h"

#include <string.h>

#include "common/base/memory.h"
#include "tools/common/references.h"

void held_clear(struct held *held)
{
    for (size_t i = 0; i < held->n_references; i++)
        registration_release(held->references[i].registration);
    held->n_references = 0;
    held->size = 0;
}

void held_free(struct held *held)
{
    held_clear(held);
    memory_release(held->bytes);
    memory_release(held->references);
    *held = (struct held){.source = NULL};
}

static void copy_bytes(struct held *held, const struct fxt_record *record)
{
    uint64_t header = registration_header(record);

    held->size = (size_t)record->size;
    if (held->size > held->capacity) {
        memory_release(held->bytes);
        held->bytes = (unsigned char *)memory_reserve(held->size);
        held->capacity = held->size;
    }
    memcpy(held->bytes, record->data, held->size);
    memcpy(held->bytes, &header, sizeof(header));
}

static void make_room(struct held *held, size_t n)
{
    if (n <= held->reference_capacity)
        return;
    memory_release(held->references);
    held->references =
        (struct held_reference *)memory_reserve(n * sizeof(*held->references));
    held->reference_capacity = n;
}

void held_set(struct held *held, struct trace_source *source,
              const struct fxt_record *record)
{
    struct reference references[REFERENCES_MAX];
    size_t n = references_find(references, record, &held->n_head);

    held_clear(held);
    held->source = source;
    held->swapped = record->swapped;
    held->thread = record->type == FXT_RECORD_EVENT ? record->event.thread
                                                    : (struct fxt_thread){.known = false};
    copy_bytes(held, record);
    make_room(held, n);
    for (size_t i = 0; i < n; i++) {
        const struct reference *r = &references[i];
        const struct slot *slot = source_slot(source, r->is_thread, r->index);
        struct held_reference *made = &held->references[held->n_references++];

        *made = (struct held_reference){NULL, r->is_thread, r->index};
        if (r->is_known && slot != NULL && slot->known != NULL)
            made->registration = registration_use(slot->known);
    }
}
