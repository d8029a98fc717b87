/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#include "heap.h"

#include <errno.h>
#include <time.h>

#include <fxt/compiler.h>

#include "common/base/clock.h"
#include "bind.h"
#include "in_use.h"
#include "slots.h"
#include "stacks.h"
#include "table.h"
#include "walk.h"

/* ---- Recording --------------------------------------------------------------------- */

static void count_lost(uint64_t *count, uint64_t n)
{
    __atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static uint32_t walk_stack(struct heap *heap, struct walk_start from, uint64_t now)
{
    uint64_t pcs[HEAP_DEPTH_MAX];
    uint64_t addresses[MEMO_WORDS];
    struct unwind_words words = {.addresses = addresses, .max = MEMO_WORDS};
    struct heap_stack_state state;
    uint64_t n =
        walk(&heap->code, heap->table, from, now, &words, pcs, heap->depth, &state);
    bool is_new = false;
    uint32_t stack = n > 0 ? stacks_add(heap->table, &state, pcs, n, &is_new) : 0;

    if (stack == 0)
        count_lost(&heap->table->header->lost_stacks, 1);
    else
        memo_add(&heap->memo, from, &words, stack);
    /* Threads are often renamed when they begin something new. */
    if (is_new)
        thread_tell_name(heap->table);
    return stack;
}

static uint32_t find_stack(struct heap *heap, const void *frame, uint64_t now)
{
    struct walk_start from = walk_begin(frame);
    uint32_t stack = memo_find(&heap->memo, from);

    return stack != 0 ? stack : walk_stack(heap, from, now);
}

static void record_block(struct heap *heap, const void *address, size_t size,
                         const void *frame)
{
    struct table *table = heap->table;
    struct block block = {.address = (uintptr_t)address, .size = size};

    block.time_ns = clock_ns(CLOCK_MONOTONIC);
    block.thread = thread_self.id;
    block.stack = find_stack(heap, frame, block.time_ns);
    if (block.stack != 0)
        stacks_count(table, block.stack, 1, size);
    filter_count(address, 1);
    thread_self.last_block = address;
    if (slots_insert(table, &block))
        return;
    filter_count(address, -1);
    count_lost(&table->header->lost_blocks, 1);
    count_lost(&table->header->lost_bytes, size);
}

/* Whether the block is recorded: a thread's first block comes here whatever its size. */
static bool is_sampled(struct heap *heap, size_t size)
{
    bool is_first = thread_self.session != heap->session;

    if (is_first)
        thread_begin(heap->table, heap->session);
    if (heap->sample_bytes == 0)
        return true;
    if (is_first) {
        thread_self.bytes_left = thread_next_sample(heap->sample_bytes);
        if (heap_passes(size))
            return false;
    }
    thread_self.bytes_left = thread_next_sample(heap->sample_bytes);
    return true;
}

void heap_add(const void *block, size_t size, const void *frame)
{
    uint32_t *counter = in_use_begin();
    int saved_errno = errno;
    struct heap *heap = bind_current();

    if (heap != NULL && is_sampled(heap, size))
        record_block(heap, block, size, frame);
    else if (heap == NULL && bind_is_off())
        thread_self.bytes_left = UINT64_MAX;
    errno = saved_errno;
    in_use_end(counter);
}

/* ---- Forgetting -------------------------------------------------------------------- */

/* A block of a stack is gone. */
static void note_end(struct heap *heap, const void *block, uint32_t stack)
{
    if (thread_self.last_block == block)
        stacks_count_temporary(heap->table, stack);
    filter_count(block, -1);
}

/* Of a slot that was found before: if recording has ended since, and begun again, the
 * slot is none of the heap's. */
static struct heap *heap_of(const struct heap_slot_v1 *slot)
{
    struct heap *heap = bind_current();

    return heap != NULL && slots_has(heap->table, slot) ? heap : NULL;
}

static void remove_slot(struct heap_slot_v1 *slot, const void *block)
{
    struct heap *heap = heap_of(slot);
    uint32_t stack;

    if (heap == NULL)
        return;
    stack = slots_remove(heap->table, slot, thread_self.id);
    if (stack != SLOTS_NO_BLOCK)
        note_end(heap, block, stack);
    thread_self.last_block = NULL;
}

static struct heap_slot_v1 *find_slot(const void *block)
{
    int saved_errno = errno;
    struct heap *heap = bind_current();
    struct heap_slot_v1 *slot = NULL;

    if (heap != NULL)
        slot = slots_find(heap->table, (uintptr_t)block);
    errno = saved_errno;
    return slot;
}

/* A block that is not in the table was allocated before, unless only samples are. */
static void count_unknown(struct heap *heap)
{
    if (FXT_UNLIKELY(heap->table->attached != NULL && heap->sample_bytes == 0))
        count_lost(&heap->table->attached->unknown_frees, 1);
}

void heap_remove(const void *block)
{
    uint32_t *counter = in_use_begin();
    int saved_errno = errno;
    struct heap *heap = bind_current();
    uint32_t stack = SLOTS_NO_BLOCK;

    if (heap != NULL)
        stack = slots_free(heap->table, (uintptr_t)block, thread_self.id);
    if (stack != SLOTS_NO_BLOCK)
        note_end(heap, block, stack);
    else if (heap != NULL)
        count_unknown(heap);
    thread_self.last_block = NULL;
    errno = saved_errno;
    in_use_end(counter);
}

bool heap_has(const void *block)
{
    return find_slot(block) != NULL;
}

/* ---- Moving ------------------------------------------------------------------------ */

struct heap_slot_v1 *heap_begin_move(const void *old)
{
    struct heap_slot_v1 *slot = find_slot(old);

    if (slot != NULL)
        slots_begin_move(slot);
    return slot;
}

bool heap_is_moving(const struct heap_slot_v1 *slot, const void *old)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);

    return (key & HEAP_KEY_MOVING) != 0 && heap_key_address(key) == (uintptr_t)old;
}

void heap_keep(struct heap_slot_v1 *slot)
{
    if (slot != NULL)
        slots_end_move(slot);
}

void heap_forget(struct heap_slot_v1 *slot, const void *old)
{
    if (slot != NULL)
        remove_slot(slot, old);
}

static void forget_unknown(void)
{
    struct heap *heap = bind_current();

    if (heap != NULL)
        count_unknown(heap);
}

static void resize_slot(struct heap_slot_v1 *slot, size_t size)
{
    struct heap *heap = heap_of(slot);
    uint64_t before = slot->size;
    uint32_t stack = (uint32_t)slot->owner;

    if (heap != NULL && stack != 0 && size > before)
        stacks_count(heap->table, stack, 0, size - before);
    if (heap != NULL && heap->table->peak != NULL)
        peak_resize(heap->table, stack, before, size);
    if (heap != NULL && heap->sample_bytes > 0)
        thread_self.bytes_left = thread_next_sample(heap->sample_bytes);
    slots_resize(slot, size);
    slots_end_move(slot);
}

static void count_realloc(const struct heap_slot_v1 *slot, const void *old,
                          const void *block)
{
    struct heap *heap = bind_current();

    if (heap != NULL)
        stacks_count_realloc(heap->table, (uint32_t)slot->owner, block != old);
    if (thread_self.last_block != old)
        thread_self.last_block = NULL;
}

/* Where samples are taken, a realloc is an allocation like any other. */
void heap_move(struct heap_slot_v1 *slot, const void *old, const void *block, size_t size,
               const void *frame)
{
    bool passes = heap_passes(size);

    if (slot != NULL)
        count_realloc(slot, old, block);
    if (slot != NULL && block == old && !passes) {
        resize_slot(slot, size);
        return;
    }
    if (slot != NULL)
        remove_slot(slot, old);
    else
        forget_unknown();
    if (!passes)
        heap_add(block, size, frame);
}
