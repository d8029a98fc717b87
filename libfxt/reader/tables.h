/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One provider's strings and threads by index. The newest registration of an index wins;
 * an index can also be cleared, so that a reference to a lost registration is unresolved
 * and does not resolve to an older one.
 */
#ifndef LIBFXT_READER_TABLES_H
#define LIBFXT_READER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/types.h>

#include "libfxt/memory.h"

enum { STRING_PAGE = 256, STRING_PAGES = (FXT_STRING_INDEX_MAX + 1) / STRING_PAGE };

/* Small, since look-ups come at random: four to a cache line. */
struct string_slot {
    /* The reader's own memory, of `capacity` bytes, which stays with the slot when
     * another string is registered there; or, with capacity 0, the input's. */
    const char *data;
    uint32_t capacity;
    /* The string's size plus one; 0 where nothing is registered. */
    uint32_t size_plus_one;
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
 * where there is no memory; the index is then cleared. `index` must be in the format's
 * range, as everywhere here. */
bool tables_set_string(struct tables *tables, struct memory *memory, uint32_t index,
                       const char *data, uint32_t size, bool borrow);

bool tables_set_thread(struct tables *tables, struct memory *memory, uint32_t index,
                       uint64_t process, uint64_t thread);

void tables_forget_string(struct tables *tables, uint32_t index);
void tables_forget_thread(struct tables *tables, uint32_t index);

/* Fills in the string's data and size, or the thread's koids and whether they are known.
 * Returns false where the index is not registered; a string is then left as it is. */
static inline bool tables_get_string(const struct tables *tables, uint32_t index,
                                     struct fxt_string *string)
{
    const struct string_slot *slot = tables->strings[index / STRING_PAGE];

    if (FXT_UNLIKELY(slot == NULL))
        return false;
    slot += index % STRING_PAGE;
    if (FXT_UNLIKELY(slot->size_plus_one == 0))
        return false;
    string->data = slot->data;
    string->size = slot->size_plus_one - 1;
    return true;
}

static inline bool tables_get_thread(const struct tables *tables, uint32_t index,
                                     struct fxt_thread *thread)
{
    static const struct thread_slot unregistered = {0, 0, false};
    const struct thread_slot *slot =
        FXT_LIKELY(tables->threads != NULL) ? &tables->threads[index] : &unregistered;

    thread->process = slot->process;
    thread->thread = slot->thread;
    thread->known = slot->known;
    return slot->known;
}

/* Forgets everything; the tables may then be used again. */
void tables_free(struct tables *tables, struct memory *memory);

#endif
