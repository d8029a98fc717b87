/* SPDX-License-Identifier: BSD-2-Clause */
/* See window.h. */
#include "window.h"

#include <stdalign.h>
#include <string.h>

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "common/base/memory.h"

/* Up to so many places from its end, a record is put into the queue: spans that are
 * written when they end are a few places late. */
enum { MOST_PLACES = 32 };

/* How many places ahead of the first one records are prefetched: the nearest would come
 * too late. */
enum { PLACES_AHEAD = 8 };

enum { CACHE_LINE_BYTES = 64 };

#define BLOCK_BYTES ((size_t)16 << 10)

/* ---- Memory ------------------------------------------------------------------------ */

struct window_block {
    struct window_block *next_spare;
    size_t n_records;
    size_t size;
    size_t capacity;
    max_align_t records[];
};

static size_t round_up(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) *
           alignof(max_align_t);
}

/* A block without records is filled again from its start, now or later. The one that was
 * emptied last is the next: the cache still has it. */
static void empty_block(struct window *w, struct window_block *block)
{
    w->n_bytes -= block->size;
    block->size = 0;
    if (block == w->block && block->capacity == BLOCK_BYTES)
        return;
    if (block == w->block)
        w->block = NULL;
    if (block->capacity == BLOCK_BYTES) {
        block->next_spare = w->memory->spare;
        w->memory->spare = block;
    } else {
        memory_release(block);
    }
}

static struct window_block *take_block(struct window_memory *memory, size_t capacity)
{
    struct window_block *block = memory->spare;

    if (capacity != BLOCK_BYTES) {
        block = (struct window_block *)memory_reserve(sizeof(*block) + capacity);
    } else if (block != NULL) {
        memory->spare = block->next_spare;
    } else {
        block = (struct window_block *)(void *)arena_add(
            &memory->blocks, (sizeof(*block) + capacity) / sizeof(uint32_t));
    }
    *block = (struct window_block){.capacity = capacity};
    return block;
}

/* Begins a block that has room for a copy of this size. */
static void begin_block(struct window *w, size_t size)
{
    struct window_block *full = w->block;

    w->block = take_block(w->memory, size > BLOCK_BYTES ? size : BLOCK_BYTES);
    if (full != NULL && full->n_records == 0)
        empty_block(w, full);
}

/* ---- Copies ------------------------------------------------------------------------ */

/* A record of a type that comes by the million, or of which all inputs have thousands at
 * their start (names), without what the others have. Its strings follow the arguments:
 * they may be registered again while it waits. */
struct window_plain {
    union {
        struct fxt_event event;
        struct fxt_scheduling scheduling;
        struct fxt_kernel_object kernel_object;
    };
    struct fxt_arg args[];
};

static bool is_plain(const struct fxt_record *record)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (record->args[i].type >= FXT_ARG_BLOB)
            return false;
    }
    return (record->type == FXT_RECORD_EVENT || record->type == FXT_RECORD_SCHEDULING ||
            record->type == FXT_RECORD_KERNEL_OBJECT) &&
           !record->unknown;
}

static size_t plain_size(const struct fxt_record *record)
{
    size_t size = sizeof(struct window_plain) + record->n_args * sizeof(*record->args);

    if (record->type == FXT_RECORD_EVENT)
        size += record->event.category.size + record->event.name.size;
    else if (record->type == FXT_RECORD_KERNEL_OBJECT)
        size += record->kernel_object.name.size;
    for (uint32_t i = 0; i < record->n_args; i++) {
        size += record->args[i].name.size;
        if (record->args[i].type == FXT_ARG_STRING)
            size += record->args[i].value.string.size;
    }
    return size;
}

/* Returns the end of what has moved to `room`. Most strings are short: to call memcpy()
 * would take longer. */
static char *move_string(struct fxt_string *string, char *room)
{
    const char *from = string->data;
    uint32_t size = string->size;

    if (from == NULL)
        return room;
    string->data = room;
    if (size < FXT_WORD_BYTES) {
        memcpy(room, from, size);
        return room + size;
    }
    for (uint32_t i = 0; i < size - FXT_WORD_BYTES; i += FXT_WORD_BYTES)
        FXT_COPY(room + i, from + i, FXT_WORD_BYTES);
    FXT_COPY(room + size - FXT_WORD_BYTES, from + size - FXT_WORD_BYTES, FXT_WORD_BYTES);
    return room + size;
}

static void copy_plain(const struct fxt_record *record, struct window_plain *to)
{
    char *end = (char *)(to->args + record->n_args);

    if (record->type == FXT_RECORD_EVENT) {
        to->event = record->event;
        end = move_string(&to->event.category, end);
        end = move_string(&to->event.name, end);
    } else if (record->type == FXT_RECORD_KERNEL_OBJECT) {
        to->kernel_object = record->kernel_object;
        end = move_string(&to->kernel_object.name, end);
    } else {
        to->scheduling = record->scheduling;
    }
    for (uint32_t i = 0; i < record->n_args; i++) {
        to->args[i] = record->args[i];
        end = move_string(&to->args[i].name, end);
        if (to->args[i].type == FXT_ARG_STRING)
            end = move_string(&to->args[i].value.string, end);
    }
}

static struct window_copy *reserve_copy(struct window *w, size_t size)
{
    struct window_copy *copy;

    if (size > SIZE_MAX / 2)
        memory_fail(MEMORY_EXHAUSTED);
    size = round_up(sizeof(*copy) + size);
    if (w->block == NULL || size > w->block->capacity - w->block->size)
        begin_block(w, size);
    copy = (struct window_copy *)(void *)((char *)w->block->records + w->block->size);
    copy->block = w->block;
    w->block->n_records++;
    w->block->size += size;
    w->n_bytes += size;
    return copy;
}

static struct window_copy *copy_record(struct window *w, const struct fxt_record *record)
{
    bool plain = is_plain(record);
    size_t size = plain ? plain_size(record) : fxt_record_copy_to(record, NULL, 0);
    struct window_copy *copy = reserve_copy(w, size);

    copy->offset = record->offset;
    copy->header = record->header;
    copy->is_plain = plain;
    copy->type = (uint8_t)record->type;
    copy->kind = (uint8_t)record->kind;
    copy->n_args = (uint8_t)record->n_args;
    if (plain)
        copy_plain(record, (struct window_plain *)(copy + 1));
    else
        fxt_record_copy_to(record, copy + 1, size);
    return copy;
}

/* Since it was copied, its memory has left the nearest cache. */
static void prefetch_copy(const struct window_copy *copy)
{
    const char *at = (const char *)copy;

    for (size_t i = 0; i < sizeof(struct fxt_record) + 2 * CACHE_LINE_BYTES;
         i += CACHE_LINE_BYTES)
        FXT_PREFETCH(at + i);
}

/* ---- The queue --------------------------------------------------------------------- */

/* What was at its start follows what was at its end. */
static void grow_queue(struct window *w)
{
    size_t n = w->queue_capacity;

    w->queue = (struct window_entry *)memory_enlarge(w->queue, &w->queue_capacity,
                                                     sizeof(*w->queue));
    memcpy(w->queue + n, w->queue, w->first * sizeof(*w->queue));
}

static bool is_far_from_end(const struct window *w, uint64_t time)
{
    return w->n_queue > MOST_PLACES &&
           time < window_queue_at(w, w->n_queue - 1 - MOST_PLACES)->time;
}

/* Returns whether it is not the last one. */
static bool add_to_queue(struct window *w, struct window_entry entry)
{
    size_t at = w->n_queue;

    if (w->n_queue == w->queue_capacity)
        grow_queue(w);
    for (; at > 0 && entry.time < window_queue_at(w, at - 1)->time; at--)
        *window_queue_at(w, at) = *window_queue_at(w, at - 1);
    *window_queue_at(w, at) = entry;
    return at < w->n_queue++;
}

/* ---- The heap ---------------------------------------------------------------------- */

static void add_to_heap(struct window *w, struct window_entry entry)
{
    size_t at = w->n_heap;

    w->heap = (struct window_entry *)memory_grow(w->heap, w->n_heap, &w->heap_capacity,
                                                 sizeof(*w->heap));
    w->n_heap++;
    while (at > 0 && window_is_before(&entry, &w->heap[(at - 1) / 2])) {
        w->heap[at] = w->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->heap[at] = entry;
}

static void remove_from_heap(struct window *w)
{
    struct window_entry last = w->heap[--w->n_heap];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= w->n_heap)
            break;
        if (child + 1 < w->n_heap &&
            window_is_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!window_is_before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    if (w->n_heap > 0)
        w->heap[at] = last;
}

/* ---- Both -------------------------------------------------------------------------- */

bool window_push(struct window *w, uint64_t time, const struct fxt_record *record,
                 size_t provider)
{
    struct window_entry entry = {time, copy_record(w, record)};

    entry.copy->provider = (uint32_t)provider;
    w->n_bytes += sizeof(entry);
    if (!is_far_from_end(w, time))
        return add_to_queue(w, entry);
    add_to_heap(w, entry);
    return true;
}

struct fxt_record *window_record(struct window *w, struct window_copy *copy)
{
    struct window_plain *plain = (struct window_plain *)(copy + 1);
    struct fxt_record *record = &w->record;

    if (!copy->is_plain)
        return (struct fxt_record *)(copy + 1);
    record->type = copy->type;
    record->kind = copy->kind;
    record->n_args = copy->n_args;
    record->args = plain->args;
    record->offset = copy->offset;
    record->size = FXT_GET(copy->header, RECORD_WORDS) * FXT_WORD_BYTES;
    record->header = copy->header;
    if (record->type == FXT_RECORD_EVENT)
        record->event = plain->event;
    else if (record->type == FXT_RECORD_KERNEL_OBJECT)
        record->kernel_object = plain->kernel_object;
    else
        record->scheduling = plain->scheduling;
    return record;
}

void window_pop(struct window *w)
{
    const struct window_entry *entry = window_first(w);
    struct window_block *block = entry->copy->block;

    if (w->n_heap > 0 && entry == w->heap) {
        remove_from_heap(w);
    } else {
        w->first = (w->first + 1) & (w->queue_capacity - 1);
        w->n_queue--;
    }
    w->n_bytes -= sizeof(*entry);
    if (--block->n_records == 0)
        empty_block(w, block);
    if (w->n_queue > PLACES_AHEAD)
        prefetch_copy(window_queue_at(w, PLACES_AHEAD)->copy);
}

void window_free(struct window *w)
{
    while (window_first(w) != NULL)
        window_pop(w);
    if (w->block != NULL && w->block->capacity != BLOCK_BYTES)
        memory_release(w->block);
    memory_release(w->queue);
    memory_release(w->heap);
    *w = (struct window){.queue = NULL};
}

void window_memory_free(struct window_memory *memory)
{
    arena_free(&memory->blocks);
    *memory = (struct window_memory){.spare = NULL};
}
