/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table as the process sees it that it is of: a file mapped into it.
 *
 * Nothing here allocates, takes a lock or leaves a file open, and a full file system is
 * an error and never a signal: memory of the file is allocated (granted), 32 KiB at a
 * time, before it is touched for the first time.
 */
#ifndef LIBFXTHEAP_TABLE_H
#define LIBFXTHEAP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block_index.h"
#include "libfxtheap/shared/layout.h"

/* The tables of the index: how many entries the first one has, as a power of two, how
 * many bits more each further one has, and how many tables there are. */
enum { TABLE_INDEX_BITS = 12, TABLE_LEVEL_BITS = 3, TABLE_LEVELS_MAX = 5 };

enum { TABLE_GRANT_BYTES = 1 << 15 };

enum { TABLE_GRANT_SLOTS = TABLE_GRANT_BYTES / sizeof(struct heap_slot_v1) };

/* The lists of free slots. */
enum { TABLE_LISTS = 8 };

#define TABLE_NO_SLOT UINT32_MAX

/* As large as a line of the processor's cache, so that threads do not wait for each
 * other. */
struct table_list {
    uint64_t head;
    uint64_t unused[7];
};

struct table {
    struct heap_header_v1 *header;
    /* NULL if no peak is kept. */
    struct heap_peak_v4 *peak;
    /* NULL if all blocks are recorded from the start of the process on. */
    struct heap_attached_v1 *attached;
    struct heap_slot_v1 *slots;
    uint64_t n_slots;
    /* How many were ever in use, and those that are free again: see slots.c. */
    uint64_t slots_used;
    struct table_list free_slots[TABLE_LISTS];
    struct block_index blocks;
    uint64_t *index;
    /* How many of the index's tables may be used, and the last one in use. */
    uint32_t n_levels;
    uint32_t level;
    uint64_t *pool;
    /* How many words with counts precede each stack, after its state. */
    uint32_t n_count_words;
    struct heap_thread_v1 *threads;
    char *maps;
    size_t size;
    char path[256];
    /* For each piece of the file whether it may be touched. */
    unsigned char granted[];
};

struct table_options {
    const char *directory;
    uint64_t n_slots;
    uint64_t sample_bytes;
    uint32_t depth;
    bool keeps_peak;
    /* There are blocks that were allocated before, of so many bytes. */
    bool is_attached;
    uint64_t bytes_before;
};

/* How large a struct table must be for such a file, and the file itself. */
size_t table_struct_size(const struct table_options *options);

/* Creates the file and maps it; `table` is memory of zeros. On failure returns false,
 * with the reason in errno, and there is no file. */
bool table_create(struct table *table, const struct table_options *options);

/* The process ends. */
void table_end(struct table *table);

/* Removes the file's name; what is mapped stays. */
void table_unlink(const struct table *table);

void table_unmap(struct table *table);

/* Asks for memory at an address in the mapped file. */
bool table_ask(struct table *table, const void *at, uint64_t size);

/* Where a table of the index begins in it: all before have 1 + 8 + 64 ... times as many
 * entries as the first. */
static inline uint64_t table_level_start(uint32_t level)
{
    return (((UINT64_C(1) << level * TABLE_LEVEL_BITS) - 1) /
            ((UINT64_C(1) << TABLE_LEVEL_BITS) - 1))
           << TABLE_INDEX_BITS;
}

static inline uint64_t table_level_size(uint32_t level)
{
    return UINT64_C(1) << (TABLE_INDEX_BITS + level * TABLE_LEVEL_BITS);
}

/* Returns true if the memory at an address in the mapped file, which is in one piece, may
 * be touched. */
static inline bool table_is_granted(const struct table *table, const void *at)
{
    uint64_t offset =
        (uint64_t)((const unsigned char *)at - (const unsigned char *)table->header);

    return __atomic_load_n(&table->granted[offset / TABLE_GRANT_BYTES],
                           __ATOMIC_ACQUIRE) != 0;
}

static inline bool table_grant(struct table *table, const void *at)
{
    return table_is_granted(table, at) || table_ask(table, at, 1);
}

/* For tables that keep the peak: what each stack has live, and had when the heap was
 * largest. From any thread, and from signal handlers. */

/* A block of a stack, or of none if that is 0, was added. */
void peak_add(struct table *table, uint32_t stack, uint64_t size);

/* It is going to be removed. */
void peak_remove(struct table *table, uint32_t stack, uint64_t size);

/* Its size changes, where it is. */
void peak_resize(struct table *table, uint32_t stack, uint64_t before, uint64_t size);

#endif
