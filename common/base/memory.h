/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory allocation that either succeeds or ends the computation that requested it.
 *
 * The functions below never return NULL. If there is no memory, or a pool's limit is
 * reached, the innermost memory_run of the thread ends, as by an exception: what was done
 * in between is abandoned. So code in the middle of building a profile needs no error
 * path, and each function of a library, as each program, begins with one memory_run. A
 * program without one is aborted.
 *
 * A pool knows all memory that was allocated while it was in use, counts it, and frees
 * what is left of it at once; what must be closed as well is registered as a cleanup.
 * Memory of a pool may be freed by any thread. Memory from here is freed by
 * memory_release and not by free.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_block;
struct memory_cleanup;

struct memory_pool {
    pthread_mutex_t lock;
    /* The bytes in use, and how many there may be. */
    size_t n_bytes;
    size_t max_bytes;
    struct memory_block *blocks;
    struct memory_cleanup *cleanups;
};

/* `max_bytes` is 0 for no bound but the machine's. */
void memory_pool_start(struct memory_pool *pool, size_t max_bytes);

/* Runs the cleanups, the last one first, and frees everything. */
void memory_pool_end(struct memory_pool *pool);

/* The same of a pool that is allocated, too: NULL if there is no memory for it. */
struct memory_pool *memory_pool_create(size_t max_bytes);
void memory_pool_destroy(struct memory_pool *pool);

typedef void memory_fn(void *context);

/* Calls `run`, whose memory is from `pool`; NULL is the surrounding pool, or none.
 * Returns NULL, or why `run` was left in the middle: MEMORY_EXHAUSTED, or what
 * memory_fail was given. */
const char *memory_run(struct memory_pool *pool, memory_fn *run, void *context);

/* Calls `run` outside of the innermost memory_run, which continues afterwards: for
 * functions of a library's user, whose memory is not the library's. */
void memory_run_outside(memory_fn *run, void *context);

/* The pool that is in use in this thread, for a thread that works for this one; or NULL.
 */
struct memory_pool *memory_pool_in_use(void);

/* Ends the innermost memory_run, which returns `why`: for failures as rare as running out
 * of memory, and as hard to recover from. */
_Noreturn void memory_fail(const char *why);

extern const char MEMORY_EXHAUSTED[];

/* Something to be closed if the pool ends before memory_cleanup_remove. It must stay in
 * place, and may be memory of the pool itself. Nothing happens where no pool is in use.
 */
struct memory_cleanup {
    memory_fn *run;
    void *context;
    struct memory_pool *pool;
    struct memory_cleanup *previous;
    struct memory_cleanup *next;
};

void memory_cleanup_add(struct memory_cleanup *cleanup, memory_fn *run, void *context);
void memory_cleanup_remove(struct memory_cleanup *cleanup);

/* ---- Allocation -------------------------------------------------------------------- */

/* What a block takes beside its bytes: with these, one of 2 MB or a multiple is in huge
 * pages and fills them. */
#define MEMORY_BLOCK_BYTES (4 * sizeof(void *))

/* Zeroed. */
void *memory_allocate(size_t size);
/* Of any content. */
void *memory_reserve(size_t size);
void *memory_reallocate(void *old, size_t size);
char *memory_copy_string(const char *string);
void memory_release(void *memory);

/* Makes an array whose capacity is `*capacity` items of `item_size` bytes twice as large.
 * Returns the array, which may have moved. */
void *memory_enlarge(void *items, size_t *capacity, size_t item_size);

/* Makes room for one more after the first `n_items` of an array. This and the next are
 * inline, for callers that use them for every record. */
static inline void *memory_grow(void *items, size_t n_items, size_t *capacity,
                                size_t item_size)
{
    if (n_items < *capacity)
        return items;
    return memory_enlarge(items, capacity, item_size);
}

/* The same for `more` items at a time. */
static inline void *memory_make_room(void *items, size_t n_items, size_t more,
                                     size_t *capacity, size_t item_size)
{
    while (*capacity - n_items < more)
        items = memory_enlarge(items, capacity, item_size);
    return items;
}

/* Adds a value, the last argument, to an array of which the others are the pointer, the
 * number of items and the capacity. These are evaluated several times. */
#define MEMORY_ADD(items, n_items, capacity, ...)                                        \
    do {                                                                                 \
        (items) = memory_grow((items), (n_items), &(capacity), sizeof(*(items)));        \
        (items)[(n_items)++] = (__VA_ARGS__);                                            \
    } while (0)

/* For programs: large blocks are returned to the system as soon as they are freed.
 * Otherwise the C library keeps blocks that are not larger than any that was freed
 * before, and its heap may fragment. */
void memory_return_to_system(void);

#endif
