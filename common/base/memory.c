/* SPDX-License-Identifier: BSD-2-Clause */
/* See memory.h. */
#include "memory.h"

#include <assert.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The header before each block, which is aligned as malloc's are. */
struct memory_block {
    alignas(max_align_t) struct memory_pool *pool;
    size_t size;
    struct memory_block *previous;
    struct memory_block *next;
};

_Static_assert(sizeof(struct memory_block) == MEMORY_BLOCK_BYTES, "as memory.h has it");

const char MEMORY_EXHAUSTED[] = "out of memory";

struct frame {
    struct memory_pool *pool;
    const char *why;
    struct frame *outer;
    jmp_buf failed;
};

static _Thread_local struct frame *innermost;

/* ---- Pools ------------------------------------------------------------------------- */

void memory_pool_start(struct memory_pool *p, size_t max_bytes)
{
    *p = (struct memory_pool){.max_bytes = max_bytes > 0 ? max_bytes : SIZE_MAX};
    pthread_mutex_init(&p->lock, NULL);
}

void memory_pool_end(struct memory_pool *p)
{
    assert(memory_pool_in_use() != p);
    while (p->cleanups != NULL) {
        struct memory_cleanup *last = p->cleanups;

        memory_cleanup_remove(last);
        last->run(last->context);
    }
    while (p->blocks != NULL) {
        struct memory_block *first = p->blocks;

        p->blocks = first->next;
        free(first);
    }
    pthread_mutex_destroy(&p->lock);
}

struct memory_pool *memory_pool_create(size_t max_bytes)
{
    struct memory_pool *p = (struct memory_pool *)malloc(sizeof(*p));

    if (p != NULL)
        memory_pool_start(p, max_bytes);
    return p;
}

void memory_pool_destroy(struct memory_pool *p)
{
    memory_pool_end(p);
    free(p);
}

struct memory_pool *memory_pool_in_use(void)
{
    return innermost != NULL ? innermost->pool : NULL;
}

const char *memory_run(struct memory_pool *pool, memory_fn *run, void *context)
{
    struct frame frame = {.pool = pool != NULL ? pool : memory_pool_in_use(),
                          .outer = innermost};

    assert(run != NULL);
    if (setjmp(frame.failed) != 0) {
        const char *why = innermost->why;

        innermost = innermost->outer;
        return why;
    }
    innermost = &frame;
    run(context);
    innermost = frame.outer;
    return NULL;
}

void memory_run_outside(memory_fn *run, void *context)
{
    struct frame *frame = innermost;

    innermost = frame != NULL ? frame->outer : NULL;
    run(context);
    innermost = frame;
}

void memory_fail(const char *why)
{
    if (innermost == NULL)
        abort();
    innermost->why = why;
    longjmp(innermost->failed, 1);
}

void memory_cleanup_add(struct memory_cleanup *c, memory_fn *run, void *context)
{
    struct memory_pool *p = memory_pool_in_use();

    *c = (struct memory_cleanup){.run = run, .context = context, .pool = p};
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    c->next = p->cleanups;
    if (c->next != NULL)
        c->next->previous = c;
    p->cleanups = c;
    pthread_mutex_unlock(&p->lock);
}

void memory_cleanup_remove(struct memory_cleanup *c)
{
    struct memory_pool *p = c->pool;

    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    if (c->next != NULL)
        c->next->previous = c->previous;
    if (c->previous != NULL)
        c->previous->next = c->next;
    else
        p->cleanups = c->next;
    c->pool = NULL;
    pthread_mutex_unlock(&p->lock);
}

/* ---- Blocks ------------------------------------------------------------------------ */

/* From here on memory is requested in huge pages, where the system supports them: there
 * are then far fewer page faults and TLB misses. */
enum { LARGE_PAGE = 1 << 21 };

/* Counts `size` bytes more; returns false if that is too much. */
static bool take_bytes(struct memory_pool *p, size_t size)
{
    bool fits = true;

    if (p == NULL)
        return true;
    pthread_mutex_lock(&p->lock);
    fits = size <= p->max_bytes - p->n_bytes;
    if (fits)
        p->n_bytes += size;
    pthread_mutex_unlock(&p->lock);
    return fits;
}

static void give_bytes(struct memory_pool *p, size_t size)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->n_bytes -= size;
    pthread_mutex_unlock(&p->lock);
}

static void link_block(struct memory_block *b)
{
    struct memory_pool *p = b->pool;

    b->previous = NULL;
    b->next = NULL;
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    b->next = p->blocks;
    if (b->next != NULL)
        b->next->previous = b;
    p->blocks = b;
    pthread_mutex_unlock(&p->lock);
}

static void unlink_block(struct memory_block *b)
{
    struct memory_pool *p = b->pool;

    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    if (b->next != NULL)
        b->next->previous = b->previous;
    if (b->previous != NULL)
        b->previous->next = b->next;
    else
        p->blocks = b->next;
    pthread_mutex_unlock(&p->lock);
}

/* What does not fill a huge page is left in small ones. */
static struct memory_block *allocate_large(size_t size)
{
    size_t in_pages = (size + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
    struct memory_block *block =
        (struct memory_block *)aligned_alloc(LARGE_PAGE, in_pages);

#ifdef MADV_HUGEPAGE
    if (block != NULL)
        madvise(block, size & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
#endif
    return block;
}

/* A new block of `size` bytes. */
static void *make_block(size_t size, bool zeroed)
{
    struct memory_pool *pool = memory_pool_in_use();
    struct memory_block *block = NULL;
    size_t whole = sizeof(*block) + size;

    if (size > SIZE_MAX / 2 || !take_bytes(pool, size))
        memory_fail(MEMORY_EXHAUSTED);
    if (whole >= LARGE_PAGE)
        block = allocate_large(whole);
    else
        block = (struct memory_block *)(zeroed ? calloc(1, whole) : malloc(whole));
    if (block == NULL) {
        give_bytes(pool, size);
        memory_fail(MEMORY_EXHAUSTED);
    }
    block->pool = pool;
    block->size = size;
    link_block(block);
    if (zeroed && whole >= LARGE_PAGE)
        memset(block + 1, 0, size);
    return block + 1;
}

void *memory_allocate(size_t size)
{
    return make_block(size, true);
}

void *memory_reserve(size_t size)
{
    return make_block(size, false);
}

void *memory_reallocate(void *old, size_t size)
{
    struct memory_block *block;
    struct memory_block *moved;
    size_t more;

    if (old == NULL)
        return memory_reserve(size);
    block = (struct memory_block *)old - 1;
    more = size > block->size ? size - block->size : 0;
    if (size > SIZE_MAX / 2 || !take_bytes(block->pool, more))
        memory_fail(MEMORY_EXHAUSTED);
    unlink_block(block);
    moved = (struct memory_block *)realloc(block, sizeof(*block) + size);
    if (moved == NULL) {
        link_block(block);
        give_bytes(block->pool, more);
        memory_fail(MEMORY_EXHAUSTED);
    }
    if (size < moved->size)
        give_bytes(moved->pool, moved->size - size);
    moved->size = size;
    link_block(moved);
    return moved + 1;
}

char *memory_copy_string(const char *string)
{
    size_t size = strlen(string) + 1;

    return (char *)memcpy(memory_reserve(size), string, size);
}

void memory_release(void *memory)
{
    struct memory_block *block;

    if (memory == NULL)
        return;
    block = (struct memory_block *)memory - 1;
    unlink_block(block);
    give_bytes(block->pool, block->size);
    free(block);
}

void *memory_enlarge(void *items, size_t *capacity, size_t item_size)
{
    size_t enlarged = *capacity > 0 ? *capacity * 2 : 16;

    assert(item_size > 0);
    if (*capacity > SIZE_MAX / 2 / item_size)
        memory_fail(MEMORY_EXHAUSTED);
    /* Not in huge pages: C libraries move the pages of what is large, without a copy. */
    items = memory_reallocate(items, enlarged * item_size);
    *capacity = enlarged;
    return items;
}

void memory_return_to_system(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE_PAGE / 2);
    mallopt(M_TRIM_THRESHOLD, LARGE_PAGE);
#endif
}
