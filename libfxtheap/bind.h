/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this process records, with which options, and in which table. */
#ifndef LIBFXTHEAP_BIND_H
#define LIBFXTHEAP_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/heap.h>

#include "maps.h"
#include "memo.h"
#include "table.h"

enum bind_state {
    /* Of memory that the kernel has cleared, as it does in a child of fork. */
    BIND_NEW = 0,
    BIND_BUSY,
    BIND_READY,
};

/* The state of a process, in memory that is zeros in a child. */
struct heap {
    uint32_t state;
    uint32_t process;
    /* Threads begin once in each: differs for each process, and for each time that this
     * one is recorded. */
    uint32_t session;
    /* Of this and the table's struct, in bytes. */
    size_t size;
    uint64_t sample_bytes;
    uint32_t depth;
    bool has_mappings;
    struct table *table;
    struct code code;
    struct memo memo;
};

extern struct heap *bind_heap __attribute__((visibility("hidden")));

/* Makes the decision if it has not been made yet. */
struct heap *bind_decide(void);

/* Where this process records; NULL if it does not, or not yet. */
static inline struct heap *bind_current(void)
{
    struct heap *heap = __atomic_load_n(&bind_heap, __ATOMIC_ACQUIRE);

    if (heap != NULL && __atomic_load_n(&heap->state, __ATOMIC_ACQUIRE) == BIND_READY)
        return heap;
    return bind_decide();
}

/* Whether this process will never record. */
bool bind_is_off(void);

/* Makes the process record with these options. */
enum fxt_heap_code bind_with(const struct fxt_heap_options *options);

/* The same, of a process that has allocated so many bytes before, in which bind_end may
 * be called. If it fails it may be tried again. */
enum fxt_heap_code bind_late(const struct fxt_heap_options *options,
                             uint64_t bytes_before);

/* Ends recording; the table stays as it is, for readers. Returns false if this process
 * does not record, or not by bind_late. */
bool bind_end(void);

enum bind_release { BIND_RELEASED, BIND_IN_USE, BIND_NOTHING };

/* Unmaps the table of what has ended, if no call is using it: to be tried again. */
enum bind_release bind_release(void);

#endif
