/* SPDX-License-Identifier: BSD-2-Clause */
/* See tables.h. */
#include "tables.h"

#include <string.h>

enum { THREADS = FXT_THREAD_INDEX_MAX + 1 };

static struct string_slot *slot_for(struct tables *tables, struct memory *memory,
                                    uint32_t index)
{
    struct string_slot **page = &tables->strings[index / STRING_PAGE];

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

static bool make_room(struct string_slot *slot, struct memory *memory, uint32_t size)
{
    uint32_t capacity = capacity_for(size);
    char *own;

    if (size <= slot->capacity)
        return true;
    own = (char *)memory_resize(memory, slot->own, slot->capacity, capacity);
    if (own == NULL)
        return false;
    slot->own = own;
    slot->capacity = capacity;
    return true;
}

bool tables_set_string(struct tables *tables, struct memory *memory, uint32_t index,
                       const char *data, uint32_t size, bool borrow)
{
    struct string_slot *slot = slot_for(tables, memory, index);

    if (slot == NULL)
        return false;
    slot->data = NULL;
    slot->size = 0;
    if (size == 0) {
        data = "";
    } else if (!borrow) {
        if (!make_room(slot, memory, size))
            return false;
        memcpy(slot->own, data, size);
        data = slot->own;
    }
    slot->data = data;
    slot->size = size;
    return true;
}

bool tables_set_thread(struct tables *tables, struct memory *memory, uint32_t index,
                       uint64_t process, uint64_t thread)
{
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

    if (page != NULL) {
        page[index % STRING_PAGE].data = NULL;
        page[index % STRING_PAGE].size = 0;
    }
}

void tables_forget_thread(struct tables *tables, uint32_t index)
{
    if (tables->threads != NULL)
        tables->threads[index] = (struct thread_slot){0, 0, false};
}

static void free_page(struct string_slot *page, struct memory *memory)
{
    for (int i = 0; i < STRING_PAGE; i++)
        memory_free(memory, page[i].own, page[i].capacity);
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
