/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_file.h, and libfxtheap/shared/layout.h for what is read here. */
#include "table_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libfxtheap/shared/look.h"
#include "table_header.h"
#include "table_sort.h"

/* ---- Slots ------------------------------------------------------------------------- */

enum { PIECE_SLOTS = 16384 };

/* Three copies of a piece of the table, each with room for so many slots. */
struct looks {
    struct heap_slot_v1 *copies[3];
    uint64_t n_slots;
};

/* The next place from `offset` on, below `end`, where the file has data: what was never
 * written is not read. */
static uint64_t skip_hole(const struct file *file, uint64_t offset, uint64_t end)
{
    off_t data;

    if (file_descriptor(file) < 0)
        return offset;
    data = lseek(file_descriptor(file), (off_t)offset, SEEK_DATA);
    if (data >= 0)
        return (uint64_t)data < end ? (uint64_t)data : end;
    return errno == ENXIO ? end : offset;
}

/* Makes room by realloc, which moves the pages of a large array and copies nothing: the
 * old array and the new one are not in memory at the same time. */
static void make_room(struct table_copy *copy)
{
    if (copy->n_blocks < copy->block_capacity)
        return;
    copy->block_capacity = copy->n_blocks > 0 ? 2 * copy->n_blocks : PIECE_SLOTS;
    copy->blocks =
        memory_reallocate(copy->blocks, copy->block_capacity * sizeof(*copy->blocks));
}

static void take_block(struct table_copy *copy, const struct heap_slot_v1 *slot,
                       uint64_t number)
{
    uint64_t address = heap_key_address(slot->key);

    if (slot->size > HEAP_ADDRESS_END - address) {
        copy->n_damaged++;
        return;
    }
    make_room(copy);
    copy->blocks[copy->n_blocks++] =
        (struct table_block){.address = address,
                             .slot_low = number & UINT16_MAX,
                             .size = slot->size,
                             .slot_high = number >> 16,
                             .is_moving = (slot->key & HEAP_KEY_MOVING) != 0,
                             .time_ns = slot->time_ns,
                             .stack = (uint32_t)slot->owner,
                             .thread = (uint32_t)(slot->owner >> 32)};
}

static bool read_piece(struct file *file, const struct heap_header_v1 *h, uint64_t offset,
                       size_t n, struct looks *looks, struct table_copy *copy)
{
    uint64_t first = (offset - h->slots_at) / sizeof(struct heap_slot_v1);
    struct heap_slot_v1 slot;

    for (int i = 0; i < 3; i++) {
        if (!file_read(file, offset, looks->copies[i], n * sizeof(slot)))
            return false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    for (size_t i = 0; i < n; i++) {
        enum look found = look_settle(&looks->copies[0][i], &looks->copies[1][i],
                                      &looks->copies[2][i], &slot);

        copy->n_changed += found == LOOK_CHANGED;
        if (found == LOOK_BLOCK)
            take_block(copy, &slot, first + i);
    }
    return true;
}

static bool read_slots(struct file *file, const struct heap_header_v1 *h,
                       struct table_copy *copy)
{
    const size_t size = sizeof(struct heap_slot_v1);
    struct looks looks = {.n_slots = h->n_slots < PIECE_SLOTS ? h->n_slots : PIECE_SLOTS};
    uint64_t end = h->slots_at + h->n_slots * size;
    uint64_t at = h->slots_at;
    bool good = true;

    for (int i = 0; i < 3; i++)
        looks.copies[i] = memory_allocate(looks.n_slots * size);
    while (good && at < end) {
        uint64_t data = skip_hole(file, at, end);
        uint64_t n;

        /* Holes end with a page, and slots may not. */
        at += (data - at) / size * size;
        n = (end - at) / size;
        n = n < looks.n_slots ? n : looks.n_slots;
        good = read_piece(file, h, at, (size_t)n, &looks, copy);
        at += n * size;
    }
    for (int i = 0; i < 3; i++)
        memory_release(looks.copies[i]);
    return good;
}

/* ---- Blocks that overlap ----------------------------------------------------------- */

/* So often a running program is asked again; a hostile table has any number of blocks in
 * one place. */
enum { AGAIN_ROUNDS = 8, AGAIN_MAX = 1 << 18 };

/* Looks at a block's slot once more. Returns false if it cannot be read. */
static bool look_again(struct file *file, const struct heap_header_v1 *h,
                       struct table_block *block, bool *is_there)
{
    struct heap_slot_v1 looks[3];
    struct heap_slot_v1 slot;
    uint64_t at = h->slots_at + table_block_slot(block) * sizeof(slot);

    for (int i = 0; i < 3; i++) {
        if (!file_read(file, at, &looks[i], sizeof(slot)))
            return false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    *is_there = look_settle(&looks[0], &looks[1], &looks[2], &slot) == LOOK_BLOCK &&
                heap_key_address(slot.key) == block->address &&
                slot.time_ns == block->time_ns &&
                slot.size <= HEAP_ADDRESS_END - block->address;
    if (*is_there) {
        block->size = slot.size;
        block->is_moving = (slot.key & HEAP_KEY_MOVING) != 0;
    }
    return true;
}

/* Slots are read at different times. Where a block seems to lie in another one, either
 * has gone since, or has another size now: a realloc may have made it smaller before the
 * other one was there, or larger when that was gone. */
static bool settle_overlaps(struct file *file, const struct heap_header_v1 *h,
                            struct table_copy *copy)
{
    struct table_block *all = copy->blocks;
    size_t n_asked = 0;

    table_sort_blocks(copy);
    for (int round = 0; round < AGAIN_ROUNDS; round++) {
        size_t n_overlaps = table_mark_overlaps(copy);
        size_t n = 0;

        n_asked += n_overlaps;
        if (n_overlaps == 0 || n_asked > AGAIN_MAX)
            break;
        for (size_t i = 0; i < copy->n_blocks; i++) {
            bool is_there = true;

            if (all[i].overlaps && !look_again(file, h, &all[i], &is_there))
                return false;
            copy->n_changed += !is_there;
            if (is_there)
                all[n++] = all[i];
        }
        copy->n_blocks = n;
    }
    table_remove_older(copy);
    return true;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* The number of a stack's PCs, or 0 if it is not one. */
static uint64_t check_stack(const uint64_t *words, uint64_t n_words)
{
    uint64_t n_pcs = n_words > HEAP_STACK_HEAD_WORDS ? words[2] : 0;

    return n_pcs <= HEAP_DEPTH_MAX && n_pcs <= n_words - HEAP_STACK_HEAD_WORDS ? n_pcs
                                                                               : 0;
}

/* What precedes a stack that begins at `words`. */
static void take_words_before(const struct table_head *head, const uint64_t *words,
                              struct table_stack *stack)
{
    struct heap_stack_counts counts = {0, 0, 0};
    struct heap_stack_state state = {0, 0};

    if (head->has_counts)
        memcpy(&counts, words - HEAP_COUNT_WORDS, sizeof(counts));
    if (head->state_at > 0)
        memcpy(&state, words - head->state_at, sizeof(state));
    stack->n_moved = counts.moved;
    stack->n_resized = counts.resized;
    stack->n_temporary = counts.temporary;
    stack->view_ns = state.view_ns;
    stack->end = state.end;
}

static void take_stack(struct table_copy *copy, uint32_t number, const uint64_t *words,
                       uint64_t n_words)
{
    struct table_stack stack = {.number = number, .first_pc = copy->n_pcs};

    take_words_before(&copy->head, words, &stack);
    stack.n_pcs = (uint32_t)check_stack(words, n_words);
    if (stack.n_pcs == 0) {
        copy->n_damaged++;
        return;
    }
    stack.alloc_objects = words[0];
    stack.alloc_bytes = words[1];
    for (uint32_t i = 0; i < stack.n_pcs; i++) {
        MEMORY_ADD(copy->pcs, copy->n_pcs, copy->pc_capacity,
                   words[HEAP_STACK_HEAD_WORDS + i]);
    }
    MEMORY_ADD(copy->stacks, copy->n_stacks, copy->stack_capacity, stack);
}

static bool read_stack(struct file *file, const struct heap_header_v1 *h,
                       struct table_copy *copy, uint32_t number)
{
    /* Its state and counts come first, if there are any. */
    uint64_t words[TABLE_WORDS_BEFORE_MAX + HEAP_STACK_HEAD_WORDS + HEAP_DEPTH_MAX];
    uint64_t n_counts = copy->head.has_counts ? HEAP_COUNT_WORDS : 0;
    uint64_t n_before = copy->head.state_at > 0 ? copy->head.state_at : n_counts;
    uint64_t n = n_before + HEAP_STACK_HEAD_WORDS + HEAP_DEPTH_MAX;
    uint64_t first = number - n_before;

    if (number <= n_before || number >= h->n_pool_words) {
        copy->n_damaged++;
        return true;
    }
    n = n < h->n_pool_words - first ? n : h->n_pool_words - first;
    if (!file_read(file, h->pool_at + first * sizeof(uint64_t), words,
                   n * sizeof(uint64_t)))
        return false;
    take_stack(copy, number, words + n_before, n - n_before);
    return true;
}

static bool read_index(struct file *file, const struct heap_header_v1 *h,
                       struct table_copy *copy)
{
    uint64_t entries[4096];
    uint64_t end = h->index_at + h->n_index * sizeof(*entries);
    uint64_t at = h->index_at;

    while (at < end) {
        uint64_t n;

        at += (skip_hole(file, at, end) - at) / sizeof(*entries) * sizeof(*entries);
        n = (end - at) / sizeof(*entries);
        n = n < 4096 ? n : 4096;
        if (!file_read(file, at, entries, n * sizeof(*entries)))
            return false;
        at += n * sizeof(*entries);
        for (uint64_t i = 0; i < n; i++) {
            if (entries[i] != 0 && !read_stack(file, h, copy, (uint32_t)entries[i]))
                return false;
        }
    }
    table_sort_stacks(copy);
    return true;
}

/* ---- Threads and maps -------------------------------------------------------------- */

static bool read_threads(struct file *file, const struct heap_header_v1 *h,
                         struct table_copy *copy)
{
    uint64_t n = h->threads_used < h->n_threads ? h->threads_used : h->n_threads;

    for (uint64_t i = 0; i < n; i++) {
        struct heap_thread_v1 entry;
        struct table_thread *thread;

        if (!file_read(file, h->threads_at + i * sizeof(entry), &entry, sizeof(entry)))
            return false;
        if (entry.thread == 0 || entry.thread > UINT32_MAX)
            continue;
        copy->threads = memory_grow(copy->threads, copy->n_threads,
                                    &copy->thread_capacity, sizeof(*copy->threads));
        thread = &copy->threads[copy->n_threads++];
        thread->thread = (uint32_t)entry.thread;
        memcpy(thread->name, entry.name, sizeof(entry.name));
        thread->name[sizeof(entry.name)] = '\0';
    }
    return true;
}

static bool read_maps(struct file *file, const struct heap_header_v1 *h,
                      struct table_copy *copy)
{
    uint64_t size = h->maps_used < h->maps_size ? h->maps_used : h->maps_size;

    text_room(&copy->maps, (size_t)size + 1);
    if (!file_read(file, h->maps_at, copy->maps.data, (size_t)size))
        return false;
    copy->maps.size = (size_t)size;
    return true;
}

/* ---- The whole --------------------------------------------------------------------- */

/* Blocks come first: their stacks, which are there before them, are then among those that
 * are read. The header is read again for what was lost up to then. */
static bool read_all(struct file *file, bool with_blocks, struct table_copy *copy,
                     struct text *why)
{
    struct heap_header_v1 h;

    if (!table_read_header(file, &h, &copy->head, why))
        return false;
    if ((with_blocks &&
         (!read_slots(file, &h, copy) || !settle_overlaps(file, &h, copy))) ||
        !read_index(file, &h, copy) || !read_threads(file, &h, copy) ||
        !read_maps(file, &h, copy))
        return text_fail(why, "the table became shorter while it was read");
    if (!table_read_header(file, &h, &copy->head, why))
        return false;
    table_find_stacks(copy);
    return true;
}

bool table_read_head(struct file *file, struct table_head *head, struct text *why)
{
    struct heap_header_v1 header;

    return table_read_header(file, &header, head, why);
}

bool table_read(struct file *file, struct table_copy *copy, struct text *why)
{
    return read_all(file, true, copy, why);
}

bool table_read_stacks(struct file *file, struct table_copy *copy, struct text *why)
{
    return read_all(file, false, copy, why);
}
