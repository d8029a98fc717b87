/* SPDX-License-Identifier: BSD-2-Clause */
/* See mappings.h. */
#include "mappings.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "bind.h"
#include "mapping_list.h"
#include "libfxtheap/intercept/next_allocator.h"
#include "stacks.h"
#include "threads.h"
#include "walk.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* ---- Whose they are ---------------------------------------------------------------- */

/* Of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* The module that has the next allocator. */
static struct mapping_range allocator;

static int take_module(struct dl_phdr_info *info, size_t size, void *found)
{
    struct mapping_range *range = (struct mapping_range *)found;
    uint64_t address = (uintptr_t)next_allocator.malloc;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0 || address < start ||
            address - start >= part->p_memsz)
            continue;
        *range = (struct mapping_range){start, start + part->p_memsz};
        return 1;
    }
    return 0;
}

/* A malloc that is not the C library's calls mmap as programs do, and its blocks would be
 * counted twice. */
static bool is_of_allocator(uint64_t caller)
{
    struct mapping_range found = {1, 1};
    uint64_t end = __atomic_load_n(&allocator.end, __ATOMIC_ACQUIRE);

    if (end == 0) {
        dl_iterate_phdr(take_module, &found);
        __atomic_store_n(&allocator.start, found.start, __ATOMIC_RELAXED);
        __atomic_store_n(&allocator.end, found.end, __ATOMIC_RELEASE);
        end = found.end;
    }
    return caller < end && caller >= __atomic_load_n(&allocator.start, __ATOMIC_RELAXED);
}

static bool is_own(uint64_t caller)
{
    return caller >= (uintptr_t)__ehdr_start && caller < (uintptr_t)_end;
}

/* Memory that the kernel clears in a child. */
static struct mapping_list *find_list(void)
{
    static struct mapping_list *shared;
    struct mapping_list *list = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
    struct mapping_list *other = NULL;
    void *made;

    if (list != NULL)
        return list;
    made = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    list = (struct mapping_list *)made;
    if (madvise(made, sizeof(*list), MADV_WIPEONFORK) == 0 &&
        __atomic_compare_exchange_n(&shared, &other, list, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return list;
    munmap(made, sizeof(*list));
    return other;
}

/* ---- A change ---------------------------------------------------------------------- */

struct change {
    struct heap *heap;
    struct mapping_list *list;
    struct table *table;
    sigset_t signals;
};

/* Whether the call is to be followed. */
static bool find_heap(struct change *c, const struct mapping_call *call)
{
    uint64_t caller = (uintptr_t)call->caller;
    int saved_errno = errno;

    c->heap = is_own(caller) || !next_allocator_find() ? NULL : bind_current();
    c->list = NULL;
    if (c->heap != NULL && c->heap->has_mappings && !is_of_allocator(caller))
        c->list = find_list();
    errno = saved_errno;
    if (c->list == NULL)
        return false;
    c->table = c->heap->table;
    if (thread_self.session != c->heap->session)
        thread_begin(c->table, c->heap->session);
    errno = saved_errno;
    return true;
}

static void begin(struct change *c)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &c->signals);
    while (__atomic_exchange_n(&c->list->lock, 1, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
}

static void end(struct change *c)
{
    __atomic_store_n(&c->list->lock, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &c->signals, NULL);
}

/* Whole pages; a range that cannot be is empty, and the call that has it fails. */
static struct mapping_range range_of(const void *at, size_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct mapping_range range = {(uintptr_t)at, (uintptr_t)at};

    if (range.start % page == 0 && range.start < HEAP_ADDRESS_END &&
        size <= HEAP_ADDRESS_END)
        range.end += (size + page - 1) / page * page;
    return range;
}

static void hide(struct change *c, struct mapping_range *range)
{
    mapping_list_hide(c->list, c->table, range);
}

/* The end of a call: `hidden` is what was hidden for it. */
static void show(struct change *c, struct mapping_range hidden)
{
    mapping_list_show(c->list, c->table, hidden);
}

/* The kernel has put something else there, or nothing. What was there is hidden, but for
 * what was unmapped or mapped without this library. */
static void forget(struct change *c, struct mapping_range range)
{
    struct mapping_range hidden = range;

    hide(c, &hidden);
    mapping_list_cut(c->list, c->table, range);
    show(c, hidden);
}

static void add(struct change *c, const struct block *mapping)
{
    mapping_list_add(c->list, c->table, mapping);
    show(c, (struct mapping_range){mapping->address, mapping->address + mapping->size});
}

/* ---- mmap -------------------------------------------------------------------------- */

static void *call_mmap(const struct mapping_call *call)
{
    if (next_allocator_find() && next_allocator.mmap != NULL)
        return next_allocator.mmap(call->at, call->size, call->protection, call->flags,
                                   call->file, call->offset);
    /* Only while the next functions are being found. */
    return (void *)syscall(SYS_mmap, call->at, call->size, call->protection, call->flags,
                           call->file, call->offset);
}

/* This library's mmap, and not what the program's would be. */
extern __typeof__(mmap) mappings_mmap_itself __attribute__((visibility("hidden")));

/* What tells a mapping from a block of malloc: its innermost PC is in mmap. */
static struct block describe(struct change *c, const void *frame)
{
    uint64_t pcs[HEAP_DEPTH_MAX];
    struct unwind_words words = {.max = 0};
    struct heap_stack_state state = {0, 0};
    struct block mapping = {.time_ns = clock_ns(CLOCK_MONOTONIC),
                            .thread = thread_self.id};
    uint64_t n = 1;
    bool is_new = false;

    /* As return addresses are: looked up one byte lower. */
    pcs[0] = (uintptr_t)mappings_mmap_itself + 1;
    if (c->heap->depth > 1)
        n += walk(&c->heap->code, c->table, walk_begin(frame), mapping.time_ns, &words,
                  pcs + 1, c->heap->depth - 1, &state);
    mapping.stack = stacks_add(c->table, &state, pcs, n, &is_new);
    if (mapping.stack == 0)
        __atomic_fetch_add(&c->table->header->lost_stacks, 1, __ATOMIC_RELAXED);
    if (is_new)
        thread_tell_name(c->table);
    return mapping;
}

static bool is_counted(const struct mapping_call *call)
{
    return (call->flags & MAP_TYPE) == MAP_PRIVATE && (call->flags & MAP_ANONYMOUS) != 0;
}

static void add_new(struct change *c, struct block *mapping, struct mapping_range range)
{
    mapping->address = range.start;
    mapping->size = range.end - range.start;
    if (mapping->stack != 0)
        stacks_count(c->table, mapping->stack, 1, mapping->size);
    add(c, mapping);
}

/* Mappings are hidden before they are unmapped: another thread's malloc may have their
 * addresses then. */
static void *map_followed(struct change *c, const struct mapping_call *call,
                          struct block *mapping)
{
    struct mapping_range hidden = {0, 0};
    struct mapping_range made;
    void *at;

    if ((call->flags & MAP_FIXED) != 0)
        hidden = range_of(call->at, call->size);
    hide(c, &hidden);
    at = call_mmap(call);
    if (at == MAP_FAILED) {
        show(c, hidden);
        return at;
    }
    made = range_of(at, call->size);
    forget(c, made);
    if (is_counted(call) && made.end > made.start)
        add_new(c, mapping, made);
    return at;
}

void *mappings_map(const struct mapping_call *call)
{
    struct change c;
    struct block mapping = {0};
    int error;
    void *at;

    if (!find_heap(&c, call))
        return call_mmap(call);
    error = errno;
    if (is_counted(call))
        mapping = describe(&c, call->frame);
    begin(&c);
    errno = error;
    at = map_followed(&c, call, &mapping);
    error = at == MAP_FAILED ? errno : error;
    end(&c);
    errno = error;
    return at;
}

/* ---- munmap ------------------------------------------------------------------------ */

static int call_munmap(const struct mapping_call *call)
{
    if (next_allocator_find() && next_allocator.munmap != NULL)
        return next_allocator.munmap(call->at, call->size);
    return (int)syscall(SYS_munmap, call->at, call->size);
}

int mappings_unmap(const struct mapping_call *call)
{
    struct mapping_range range = range_of(call->at, call->size);
    struct mapping_range hidden = range;
    struct change c;
    int saved_errno;
    int result;

    if (!find_heap(&c, call))
        return call_munmap(call);
    begin(&c);
    saved_errno = errno;
    hide(&c, &hidden);
    errno = saved_errno;
    result = call_munmap(call);
    saved_errno = errno;
    if (result == 0)
        forget(&c, range);
    else
        show(&c, hidden);
    end(&c);
    errno = saved_errno;
    return result;
}

/* ---- mremap ------------------------------------------------------------------------ */

static void *call_mremap(const struct mapping_call *call)
{
    if (next_allocator_find() && next_allocator.mremap != NULL)
        return next_allocator.mremap(call->at, call->size, call->new_size, call->flags,
                                     call->new_at);
    return (void *)syscall(SYS_mremap, call->at, call->size, call->new_size, call->flags,
                           call->new_at);
}

/* A mapping keeps its stack, thread and time wherever it is moved, and what it grows by
 * counts as allocated. One that was left where it was is a new one. */
static void take_moved(struct change *c, const struct mapping_call *call,
                       struct block *moved, struct mapping_range made)
{
    uint64_t size = made.end - made.start;
    uint64_t before = call->size < size ? range_of(call->at, call->size).end -
                                              (uint64_t)(uintptr_t)call->at
                                        : size;
    bool is_copy = (call->flags & MREMAP_DONTUNMAP) != 0;

    if (moved->stack != 0)
        stacks_count(c->table, moved->stack, is_copy, is_copy ? size : size - before);
    moved->address = made.start;
    moved->size = size;
    add(c, moved);
}

static void *move_followed(struct change *c, const struct mapping_call *call)
{
    struct mapping_range old = range_of(call->at, call->size);
    struct mapping_range hidden = old;
    struct mapping_range target = {0, 0};
    const struct block *known = mapping_list_find(c->list, old);
    struct block moved = known != NULL ? *known : (struct block){0};
    struct mapping_range made;
    void *at;

    if ((call->flags & MREMAP_FIXED) != 0)
        target = range_of(call->new_at, call->new_size);
    hide(c, &hidden);
    hide(c, &target);
    at = call_mremap(call);
    if (at != MAP_FAILED && (call->flags & MREMAP_DONTUNMAP) == 0) {
        forget(c, old);
    } else {
        show(c, hidden);
        show(c, target);
    }
    if (at == MAP_FAILED)
        return at;
    made = range_of(at, call->new_size);
    forget(c, made);
    if (known != NULL && made.end > made.start)
        take_moved(c, call, &moved, made);
    return at;
}

void *mappings_move(const struct mapping_call *call)
{
    struct change c;
    int error;
    void *at;

    if (!find_heap(&c, call))
        return call_mremap(call);
    begin(&c);
    error = errno;
    at = move_followed(&c, call);
    error = at == MAP_FAILED ? errno : error;
    end(&c);
    errno = error;
    return at;
}
