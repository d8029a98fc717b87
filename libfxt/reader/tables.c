/* SPDX-License-Identifier: BSD-2-Clause */
/* See tables.h. */
#include "tables.h"

#include <assert.h>
#include <string.h>

enum { THREADS = FXT_THREAD_INDEX_MAX + 1 };

static struct string_slot *slot_for(struct tables *tables, struct memory *memory,
                                    uint32_t index)
{
    struct string_slot **page = &tables->strings[index / STRING_PAGE];

    assert(index > 0 && index <= FXT_STRING_INDEX_MAX);
    if (*page == NULL)
        *page = (struct string_slot *)memory_zeroed(memory, STRING_PAGE * sizeof(**page));
    return *page != NULL ? &(*page)[index % STRING_PAGE] : NULL;
}

/* Room comes in powers of two, so that a slot whose strings grow slowly seldom moves. */
static uint32_t capacity_for(uint32_t size)
{
    uint32_t capacity = 16;

    while (capacity < size)
        capacity *= 2;
    return capacity;
}

/* The memory that belongs to a slot, or NULL. */
static char *own_bytes(const struct string_slot *slot)
{
    return slot->capacity > 0 ? (char *)(uintptr_t)slot->data : NULL;
}

static bool copy_string(struct string_slot *slot, struct memory *memory, const char *data,
                        uint32_t size)
{
    char *to = own_bytes(slot);

    if (size > slot->capacity || to == NULL) {
        uint32_t capacity = capacity_for(size);

        to = (char *)memory_resize(memory, to, slot->capacity, capacity);
        if (to == NULL)
            return false;
        slot->data = to;
        slot->capacity = capacity;
    }
    memcpy(to, data, size);
    return true;
}

bool tables_set_string(struct tables *tables, struct memory *memory, uint32_t index,
                       const char *data, uint32_t size, bool borrow)
{
    struct string_slot *slot = slot_for(tables, memory, index);

    if (slot == NULL)
        return false;
    slot->size_plus_one = 0;
    if (slot->capacity == 0 && (borrow || size == 0))
        slot->data = size > 0 ? data : "";
    else if (!copy_string(slot, memory, data, size))
        return false;
    slot->size_plus_one = size + 1;
    return true;
}

bool tables_set_thread(struct tables *tables, struct memory *memory, uint32_t index,
                       uint64_t process, uint64_t thread)
{
    assert(index > 0 && index <= FXT_THREAD_INDEX_MAX);
    if (tables->threads == NULL) {
        tables->threads = (struct thread_slot *)memory_zeroed(
            memory, THREADS * sizeof(*tables->threads));
        if (tables->threads == NULL)
            return false;
    }
    tables->threads[index] = (struct thread_slot){process, thread, true};
    return true;
}

void tables_forget_string(struct tables *tables, uint32_t index)
{
    struct string_slot *page = tables->strings[index / STRING_PAGE];

    if (page != NULL)
        page[index % STRING_PAGE].size_plus_one = 0;
}

void tables_forget_thread(struct tables *tables, uint32_t index)
{
    if (tables->threads != NULL)
        tables->threads[index] = (struct thread_slot){0, 0, false};
}

static void free_page(struct string_slot *page, struct memory *memory)
{
    for (int i = 0; i < STRING_PAGE; i++)
        memory_free(memory, own_bytes(&page[i]), page[i].capacity);
    memory_free(memory, page, STRING_PAGE * sizeof(*page));
}

void tables_free(struct tables *tables, struct memory *memory)
{
    for (int i = 0; i < STRING_PAGES; i++) {
        if (tables->strings[i] != NULL)
            free_page(tables->strings[i], memory);
    }
    memory_free(memory, tables->threads, THREADS * sizeof(*tables->threads));
    memset(tables, 0, sizeof(*tables));
}
