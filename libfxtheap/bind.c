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
#include <fcntl.h>
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
#include "common/unwind/in_process/own_space.h"
#include "text.h"

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

struct settings {
    struct table_options table;
    char directory[192];
    /* As long as this file exists, the table stays when the process ends; empty for
     * none. */
    char keep[256];
    bool no_children;
    /* The mappings that the program makes are blocks, too. */
    bool has_mappings;
};

static uint32_t mode;
static struct settings settings;
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

/* ---- Options ----------------------------------------------------------------------- */

static bool set_directory(const char *directory)
{
    if (directory == NULL || directory[0] == '\0')
        directory = HEAP_TABLE_DIRECTORY;
    if (directory[0] != '/' || strlen(directory) >= sizeof(settings.directory))
        return false;
    strcpy(settings.directory, directory);
    settings.table.directory = settings.directory;
    return true;
}

static uint64_t round_up(uint64_t n)
{
    return (n + TABLE_GRANT_SLOTS - 1) / TABLE_GRANT_SLOTS * TABLE_GRANT_SLOTS;
}

static bool set_options(const struct fxt_heap_options *o)
{
    uint64_t n_blocks = o->n_blocks;

    if (n_blocks == 0)
        n_blocks = o->sample_bytes > 0 ? 1 << 20 : 1 << 24;
    settings.table.n_slots = round_up(n_blocks);
    settings.table.depth = o->depth > 0 ? o->depth : FXT_HEAP_DEPTH_DEFAULT;
    settings.table.sample_bytes = o->sample_bytes;
    settings.table.keeps_peak = o->keeps_peak;
    settings.no_children = o->no_children;
    return n_blocks <= FXT_HEAP_BLOCKS_MAX && o->depth <= FXT_HEAP_DEPTH_MAX &&
           o->sample_bytes <= FXT_HEAP_SAMPLE_BYTES_MAX &&
           !(o->keeps_peak && o->sample_bytes > 0) && set_directory(o->directory);
}

/* ---- The environment --------------------------------------------------------------- */

/* In the first calls, which come from the dynamic loader, the C library has no
 * environment yet: it is read from /proc. */
static bool find_in_proc(const char *name, char *value, size_t size)
{
    int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
    size_t name_size = strlen(name);
    /* How much of NAME= the variable has so far; a mismatch is more than all of it. */
    size_t matched = 0;
    size_t n = 0;
    char bytes[512];
    ssize_t n_read;
    bool found = false;

    while (file >= 0 && !found && (n_read = read(file, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n_read && !found; i++) {
            if (matched == name_size + 1) {
                value[n++] = bytes[i];
                found = bytes[i] == '\0' || n == size;
            } else if (bytes[i] == '\0') {
                matched = 0;
            } else if (matched <= name_size &&
                       bytes[i] == (matched < name_size ? name[matched] : '=')) {
                matched++;
            } else {
                matched = SIZE_MAX;
            }
        }
    }
    if (file >= 0)
        close(file);
    return found && value[n - 1] == '\0';
}

static bool find_variable(const char *name, char *value, size_t size)
{
    const char *known;

    if (environ == NULL)
        return find_in_proc(name, value, size);
    known = getenv(name);
    if (known == NULL || strlen(known) >= size)
        return false;
    strcpy(value, known);
    return true;
}

/* A number, or `otherwise` if there is none; UINT64_MAX, which is out of range, if it is
 * not a number. */
static uint64_t find_number(const char *name, uint64_t otherwise)
{
    char value[32];
    const char *at = value;
    uint64_t number;

    if (!find_variable(name, value, sizeof(value)) || value[0] == '\0')
        return otherwise;
    number = text_number(&at, 10);
    return *at == '\0' ? number : UINT64_MAX;
}

static bool set_from_environment(void)
{
    struct fxt_heap_options o = {.size = sizeof(o)};
    char directory[sizeof(settings.directory)] = "";
    uint64_t depth = find_number("FXTHEAP_DEPTH", 0);

    find_variable("FXTHEAP_DIRECTORY", directory, sizeof(directory));
    if (!find_variable("FXTHEAP_KEEP", settings.keep, sizeof(settings.keep)))
        settings.keep[0] = '\0';
    o.directory = directory;
    o.depth = depth <= UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    o.no_children = find_number("FXTHEAP_CHILDREN", 1) == 0;
    o.sample_bytes = find_number("FXTHEAP_SAMPLE", 0);
    o.n_blocks = find_number("FXTHEAP_BLOCKS", 0);
    o.keeps_peak = find_number("FXTHEAP_PEAK", 0) != 0;
    settings.has_mappings = find_number("FXTHEAP_MMAP", 0) != 0;
    return set_options(&o) && !(settings.has_mappings && o.sample_bytes > 0);
}

static bool is_preloaded(void)
{
    char value[4096];

    return find_variable("LD_PRELOAD", value, sizeof(value)) &&
           strstr(value, "libfxtheap") != NULL;
}

static void print_complaint(const char *what)
{
    static const char start_of_line[] = "libfxtheap: ";

    if (write(STDERR_FILENO, start_of_line, sizeof(start_of_line) - 1) < 0 ||
        write(STDERR_FILENO, what, strlen(what)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        return;
}

static bool keeps_table(void)
{
    return settings.keep[0] != '\0' && access(settings.keep, F_OK) == 0;
}

/* ---- Deciding ---------------------------------------------------------------------- */

static void decide_mode(void)
{
    if (!is_preloaded()) {
        set_mode(MODE_WAITING);
        return;
    }
    if (!set_from_environment()) {
        print_complaint(
            "an FXTHEAP variable in the environment is out of range: nothing is "
            "recorded");
        set_mode(MODE_OFF);
        return;
    }
    /* The fxtheap that would have collected the table has ended. */
    if (settings.keep[0] != '\0' && !keeps_table()) {
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
    uint32_t undecided = MODE_UNDECIDED;
    struct heap *heap;

    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) == MODE_BOUND) {
        heap = __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);
        return heap != NULL && heap->state == BIND_NEW ? bind_child(heap) : NULL;
    }
    if (!__atomic_compare_exchange_n(&mode, &undecided, MODE_BUSY, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
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
    if (!set_options(options)) {
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
    if (!set_options(options) || (filter_counts != NULL && options->sample_bytes == 0)) {
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

/* ---- Loading and ending
 * ---------------------------------------------------------------------- */

/* Removes this library from a list separated by colons or spaces, in place. */
static void remove_from_list(char *list)
{
    char *to = list;

    while (*list != '\0') {
        size_t size = strcspn(list, ": ");
        size_t whole = size + (list[size] != '\0');
        bool is_own = memmem(list, size, "libfxtheap", strlen("libfxtheap")) != NULL;

        if (!is_own) {
            memmove(to, list, whole);
            to += whole;
        }
        list += whole;
    }
    *to = '\0';
}

/* If children are not to be recorded, removes from their environment what would load the
 * library. */
__attribute__((constructor)) static void clean_environment(void)
{
    int saved_errno = errno;
    char *list = getenv("LD_PRELOAD");

    if (bind_current() != NULL && settings.no_children && list != NULL)
        remove_from_list(list);
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
    if (!keeps_table())
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
