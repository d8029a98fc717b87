/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See bind.h.
 *
 * A child of fork has all of its parent's memory, and shares the table. It detects the
 * fork by the page that holds this state, which the kernel clears in a child, however it
 * was created (MADV_WIPEONFORK); a child of vfork is its parent as far as memory goes.
 */
#include "bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <fxt/heap.h>

#include "common/base/clock.h"
#include "filter.h"
#include "in_use.h"
#include "settings.h"
#include "common/unwind/in_process/own_space.h"

enum mode {
    /* No allocation has been made yet. */
    MODE_UNDECIDED,
    /* A thread is deciding, or binding. */
    MODE_BUSY,
    /* The library was not preloaded: fxt_heap_bind may be called. */
    MODE_WAITING,
    MODE_BOUND,
    MODE_OFF,
};

static uint32_t mode;
static struct heap_settings settings;
/* The parent's mapping of its table. */
static void *mapped;
static size_t mapped_size;
/* How often this process, or its parent, began to record. */
static uint32_t n_sessions;
/* What was recorded before, and is still mapped; and a bit for each counter of calls that
 * has not been 0 since. */
static struct ended {
    struct heap *heap;
    uint32_t pending;
} ended;
struct heap *bind_heap;
struct in_use_counter in_use_counters[IN_USE_COUNTERS];
bool in_use_is_counted;

bool bind_is_off(void)
{
    return __atomic_load_n(&mode, __ATOMIC_RELAXED) == MODE_OFF;
}

static void set_mode(enum mode next)
{
    if (next == MODE_OFF)
        filter_enable();
    __atomic_store_n(&mode, next, __ATOMIC_RELEASE);
}

/* ---- The table --------------------------------------------------------------------- */

/* Process ids have 22 bits. */
enum { SESSION_SHIFT = 22 };

/* Memory that the kernel clears in a child. */
static struct heap *make_heap(void)
{
    size_t size = sizeof(struct heap) + table_struct_size(&settings.table);
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    if (madvise(memory, size, MADV_WIPEONFORK) == 0)
        return memory;
    munmap(memory, size);
    return NULL;
}

static bool start_recording(struct heap *heap)
{
    heap->table = (struct table *)(void *)(heap + 1);
    if (!table_create(heap->table, &settings.table))
        return false;
    mapped = heap->table->header;
    mapped_size = heap->table->size;
    heap->process = (uint32_t)getpid();
    heap->session = heap->process | n_sessions << SESSION_SHIFT;
    heap->sample_bytes = settings.table.sample_bytes;
    heap->depth = settings.table.depth;
    heap->has_mappings = settings.has_mappings;
    code_look(&heap->code, heap->table, own_space_scans(), clock_ns(CLOCK_MONOTONIC));
    if (heap->sample_bytes > 0)
        filter_enable();
    __atomic_store_n(&heap->state, BIND_READY, __ATOMIC_RELEASE);
    return true;
}

/* In MODE_BUSY, after the settings were made. On failure the mode is the one given. */
static bool bind_process(enum mode otherwise)
{
    struct heap *heap = make_heap();

    n_sessions++;
    if (heap != NULL)
        heap->size = sizeof(struct heap) + table_struct_size(&settings.table);
    if (heap == NULL || !start_recording(heap)) {
        set_mode(otherwise);
        return false;
    }
    __atomic_store_n(&bind_heap, heap, __ATOMIC_RELEASE);
    set_mode(MODE_BOUND);
    return true;
}

/* At the first allocation of a child. */
static struct heap *bind_child(struct heap *heap)
{
    uint32_t state = BIND_NEW;

    if (!__atomic_compare_exchange_n(&heap->state, &state, BIND_BUSY, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return NULL;
    munmap(mapped, mapped_size);
    block_index_unmap_parents();
    own_space_forked();
    settings.table.bytes_before = UINT64_MAX;
    if (!settings.no_children && start_recording(heap))
        return heap;
    set_mode(MODE_OFF);
    return NULL;
}

/* ---- Deciding ---------------------------------------------------------------------- */

static void print_complaint(const char *what)
{
    static const char start_of_line[] = "libfxtheap: ";

    if (write(STDERR_FILENO, start_of_line, sizeof(start_of_line) - 1) < 0 ||
        write(STDERR_FILENO, what, strlen(what)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        return;
}

static void decide_mode(void)
{
    if (!settings_is_preloaded()) {
        set_mode(MODE_WAITING);
        return;
    }
    if (!settings_read_environment(&settings)) {
        print_complaint(
            "an FXTHEAP variable in the environment is out of range: nothing is "
            "recorded");
        set_mode(MODE_OFF);
        return;
    }
    /* The fxtheap that would have collected the table has ended. */
    if (settings.keep[0] != '\0' && !settings_keeps_table(&settings)) {
        set_mode(MODE_OFF);
        return;
    }
    /* No module has been loaded by dlopen yet. */
    own_space_keep_modules();
    if (!bind_process(MODE_OFF))
        print_complaint("the table cannot be created: nothing is recorded");
}

struct heap *bind_decide(void)
{
    uint32_t now = __atomic_load_n(&mode, __ATOMIC_ACQUIRE);
    struct heap *heap;

    if (now == MODE_BOUND) {
        heap = __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);
        return heap != NULL && heap->state == BIND_NEW ? bind_child(heap) : NULL;
    }
    if (now != MODE_UNDECIDED ||
        !__atomic_compare_exchange_n(&mode, &now, MODE_BUSY, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return NULL;
    decide_mode();
    return __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);
}

enum fxt_heap_code bind_with(const struct fxt_heap_options *options)
{
    uint32_t waiting = MODE_WAITING;

    bind_current();
    if (!__atomic_compare_exchange_n(&mode, &waiting, MODE_BUSY, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return FXT_HEAP_E_BOUND;
    if (!settings_set(&settings, options)) {
        set_mode(MODE_WAITING);
        return FXT_HEAP_E_OPTIONS;
    }
    return bind_process(MODE_OFF) ? FXT_HEAP_OK : FXT_HEAP_E_TABLE;
}

/* ---- Attached ---------------------------------------------------------------------- */

enum fxt_heap_code bind_late(const struct fxt_heap_options *options,
                             uint64_t bytes_before)
{
    uint32_t waiting = MODE_WAITING;

    bind_current();
    if (!__atomic_compare_exchange_n(&mode, &waiting, MODE_BUSY, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return FXT_HEAP_E_BOUND;
    /* Threads still have the rest of their last samples to skip. */
    if (!settings_set(&settings, options) ||
        (filter_counts != NULL && options->sample_bytes == 0)) {
        set_mode(MODE_WAITING);
        return FXT_HEAP_E_OPTIONS;
    }
    settings.table.is_attached = true;
    settings.table.bytes_before = bytes_before;
    return bind_process(MODE_WAITING) ? FXT_HEAP_OK : FXT_HEAP_E_TABLE;
}

bool bind_end(void)
{
    struct heap *heap = __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);
    uint32_t bound = MODE_BOUND;

    if (heap == NULL || !settings.table.is_attached ||
        !__atomic_compare_exchange_n(&mode, &bound, MODE_BUSY, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&bind_heap, NULL, __ATOMIC_SEQ_CST);
    ended = (struct ended){heap, (uint32_t)((UINT64_C(1) << IN_USE_COUNTERS) - 1)};
    set_mode(MODE_WAITING);
    return true;
}

/* A child of fork has nothing of it: its memory is cleared, and its parent's table is
 * another file's. */
static void unmap_ended(void)
{
    struct heap *heap = ended.heap;

    if (__atomic_load_n(&heap->state, __ATOMIC_ACQUIRE) != BIND_READY)
        return;
    table_unmap(heap->table);
    munmap(heap, heap->size);
}

/* Each counter must have been 0 once since then. */
enum bind_release bind_release(void)
{
    if (ended.heap == NULL)
        return BIND_NOTHING;
    for (uint32_t i = 0; i < IN_USE_COUNTERS; i++) {
        if (__atomic_load_n(&in_use_counters[i].n, __ATOMIC_SEQ_CST) == 0)
            ended.pending &= ~(UINT32_C(1) << i);
    }
    if (ended.pending != 0)
        return BIND_IN_USE;
    unmap_ended();
    ended.heap = NULL;
    return BIND_RELEASED;
}

/* ---- Loading and ending ------------------------------------------------------------ */

/* If children are not to be recorded, removes from their environment what would load the
 * library. */
__attribute__((constructor)) static void clean_environment(void)
{
    int saved_errno = errno;
    char *list = getenv("LD_PRELOAD");

    if (bind_current() != NULL && settings.no_children && list != NULL)
        settings_remove_library(list);
    errno = saved_errno;
}

/* A table that no process can open any more needs no name. */
__attribute__((destructor)) static void end_table(void)
{
    struct heap *heap = __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);

    if (heap == NULL || __atomic_load_n(&heap->state, __ATOMIC_ACQUIRE) != BIND_READY ||
        heap->process != (uint32_t)getpid())
        return;
    table_end(heap->table);
    if (!settings_keeps_table(&settings))
        table_unlink(heap->table);
}

/* Shells, and children of fork, end by _exit, which runs no destructor. */
FXT_API void _exit(int status)
{
    end_table();
    for (;;)
        syscall(SYS_exit_group, status);
}

FXT_API void _Exit(int status)
{
    _exit(status);
}
