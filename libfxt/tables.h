/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One provider's strings and threads by index. The newest registration of an index wins;
 * an index can also be forgotten, so that what is lost resolves to nothing rather than to
 * something old.
 */
#ifndef LIBFXT_TABLES_H
#define LIBFXT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/types.h>

#include "memory.h"

enum { STRING_PAGE = 256, STRING_PAGES = (FXT_STRING_INDEX_MAX + 1) / STRING_PAGE };

struct string_slot {
    /* NULL where nothing is registered. */
    const char *data;
    uint32_t size;
    /* How much memory `own` has; it stays with the slot when another string comes. */
    uint32_t capacity;
    char *own;
};

struct thread_slot {
    uint64_t process;
    uint64_t thread;
    bool known;
};

struct tables {
    struct string_slot *strings[STRING_PAGES];
    struct thread_slot *threads;
};

/* Registers a string, as a copy or, if `borrow`, by its pointer alone. Returns false
 * where there is no memory; the index is then forgotten. `index` must be in the format's
 * range, as everywhere here. */
bool tables_set_string(struct tables *tables, struct memory *memory, uint32_t index,
                       const char *data, uint32_t size, bool borrow);

bool tables_set_thread(struct tables *tables, struct memory *memory, uint32_t index,
                       uint64_t process, uint64_t thread);

void tables_forget_string(struct tables *tables, uint32_t index);
void tables_forget_thread(struct tables *tables, uint32_t index);

/* Fills in `string->data` and `string->size` from `string->ref`, which must be an index.
 * Returns false where it is not registered. */
static inline bool tables_get_string(const struct tables *tables,
                                     struct fxt_string *string)
{
    const struct string_slot *page = tables->strings[string->ref / STRING_PAGE];

    if (FXT_UNLIKELY(page == NULL))
        return false;
    string->data = page[string->ref % STRING_PAGE].data;
    string->size = page[string->ref % STRING_PAGE].size;
    return string->data != NULL;
}

static inline bool tables_get_thread(const struct tables *tables,
                                     struct fxt_thread *thread)
{
    const struct thread_slot *slot;

    if (FXT_UNLIKELY(tables->threads == NULL))
        return false;
    slot = &tables->threads[thread->ref];
    thread->process = slot->process;
    thread->thread = slot->thread;
    thread->known = slot->known;
    return slot->known;
}

/* Forgets everything; the tables may then be used again. */
void tables_free(struct tables *tables, struct memory *memory);

#endif
