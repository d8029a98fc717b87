/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of a process's table in memory. */
#ifndef FXTHEAP_TABLE_COPY_H
#define FXTHEAP_TABLE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

enum { TABLE_NAME_SIZE = 16, TABLE_PATH_SIZE = 1024 };

/* The table's header, of whichever version; strings end in a zero byte. */
struct table_head {
    uint64_t process;
    uint64_t start_ticks;
    /* The PID namespace of the process, or 0 if it is not known. */
    uint64_t pid_namespace;
    /* When it ended by exit; or 0. */
    uint64_t end_ns;
    /* The table has the counts of reallocs and of temporary blocks. */
    bool has_counts;
    /* How many words in front of a stack its state begins; 0 if there is none. */
    uint64_t state_at;
    uint64_t monotonic_ns;
    uint64_t wall_ns;
    uint64_t sample_bytes;
    uint64_t depth;
    char name[TABLE_NAME_SIZE + 1];
    char program[TABLE_PATH_SIZE + 1];
    uint64_t lost_blocks;
    uint64_t lost_bytes;
    uint64_t lost_stacks;
    uint64_t lost_threads;
    uint64_t lost_maps;
    /* It had allocated before it was recorded: so many bytes, or UINT64_MAX if that is
     * not known, and so many of these blocks were freed since. */
    bool is_attached;
    uint64_t bytes_before;
    uint64_t unknown_frees;
};

/* Half a cache line: a process may have tens of millions of them. */
struct table_block {
    /* Neither address nor size has more bits: table_file.c leaves out those that do. */
    uint64_t address : 48;
    /* Its slot in the table, in two parts: see table_block_slot. */
    uint64_t slot_low : 16;
    uint64_t size : 48;
    uint64_t slot_high : 12;
    /* Whether a realloc of it was in progress, and whether other blocks overlap it. */
    uint64_t is_moving : 1;
    uint64_t overlaps : 1;
    uint64_t time_ns;
    /* The index of its stack, or TABLE_NO_STACK. */
    uint32_t stack;
    uint32_t thread;
};

_Static_assert(sizeof(struct table_block) == 32, "blocks have no padding");

#define TABLE_SLOTS_MAX ((uint64_t)1 << 28)

static inline uint64_t table_block_slot(const struct table_block *block)
{
    return (uint64_t)block->slot_high << 16 | block->slot_low;
}

#define TABLE_NO_STACK UINT32_MAX

/* What a stack has, or had when the heap was largest. */
struct table_amount {
    uint64_t objects;
    uint64_t bytes;
};

struct table_stack {
    /* Its number in the table. */
    uint32_t number;
    uint32_t n_pcs;
    size_t first_pc;
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
    /* As in struct heap_stack_counts; 0 if the table has none. */
    uint64_t n_moved;
    uint64_t n_resized;
    uint64_t n_temporary;
    /* As in struct heap_stack_state; 0 if the table has none. */
    uint64_t view_ns;
    uint64_t end;
    struct table_amount at_peak;
    /* What it has live, in a copy of amounts. */
    struct table_amount live;
};

struct table_thread {
    uint32_t thread;
    char name[TABLE_NAME_SIZE + 1];
};

struct table_copy {
    struct table_head head;
    /* By address, and without overlap. None in a copy of the peak, of which no single
     * blocks are known: it has what stacks, and blocks without one, had then. */
    struct table_block *blocks;
    size_t n_blocks;
    size_t block_capacity;
    struct table_stack *stacks;
    size_t n_stacks;
    size_t stack_capacity;
    uint64_t *pcs;
    size_t n_pcs;
    size_t pc_capacity;
    struct table_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    /* Lines as in /proc/PID/maps. */
    struct text maps;
    /* Slots that were written while they were read; blocks that were replaced by younger
     * ones at the same address; and contents that are impossible. */
    uint64_t n_changed;
    uint64_t n_replaced;
    uint64_t n_damaged;
    bool is_of_peak;
    /* Only what stacks have live is known. */
    bool is_of_amounts;
    struct table_amount without_stack;
    /* The same of what is live. */
    struct table_amount live_without_stack;
    /* When it was; 0 if the heap is at its largest now. */
    uint64_t peak_ns;
};

void table_copy_free(struct table_copy *copy);

#endif
