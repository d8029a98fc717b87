/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtheap: records the live allocations of a program, for fxtheap to read from another
 * process at any time (see fxtheap(1)).
 *
 * Loaded by LD_PRELOAD it needs no call: it records from the first allocation on, with
 * options from the environment. A program that is linked with it records nothing until it
 * calls fxt_heap_bind, and from then on all that it allocates.
 *
 * It interposes malloc and related functions and calls those of the next allocator; and
 * mmap, munmap and mremap, which are recorded if FXTHEAP_MMAP is 1. What
 * it records is in shared memory, in a file that is removed when the program ends, and
 * remains if the program is killed.
 */
#ifndef FXT_HEAP_H
#define FXT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

/* What fxt_heap_bind returns. The numbers are pinned. */
enum fxt_heap_code {
    FXT_HEAP_OK = 0,
    /* An option is out of range, or the size of the options is not that of any
     * version. */
    FXT_HEAP_E_OPTIONS = 1,
    /* This process is already recording, or gave up after an earlier failure. */
    FXT_HEAP_E_BOUND = 2,
    /* The table could not be created: errno has the reason. */
    FXT_HEAP_E_TABLE = 3,
    /* Allocations do not reach this library: another allocator comes first. */
    FXT_HEAP_E_BYPASSED = 4
};

#define FXT_HEAP_DEPTH_MAX 128
#define FXT_HEAP_DEPTH_DEFAULT 64
#define FXT_HEAP_BLOCKS_MAX ((uint64_t)1 << 28)
#define FXT_HEAP_SAMPLE_BYTES_MAX ((uint64_t)1 << 40)

/* Zero is the default of each. The environment variable of each is in brackets. */
struct fxt_heap_options {
    /* sizeof(struct fxt_heap_options) */
    size_t size;
    /* The directory of the table (FXTHEAP_DIRECTORY); NULL is /dev/shm. Unless that is on
     * a tmpfs, the kernel writes the table to the disk from time to time. */
    const char *directory;
    /* The maximum number of PCs of a stack (FXTHEAP_DEPTH). */
    uint32_t depth;
    /* Children created by fork record nothing, and programs started by exec do not load
     * the library (FXTHEAP_CHILDREN=0). Otherwise each has a separate table, of its
     * allocations. */
    bool no_children;
    /* Keep, for each stack, what it had when the heap was largest, to within 0.4 %, which
     * fxtheap snapshot --peak writes (FXTHEAP_PEAK=1). Not with sampling. */
    bool keeps_peak;
    /* Record one block per this many allocated bytes, on average (FXTHEAP_SAMPLE); 0
     * records all blocks. */
    uint64_t sample_bytes;
    /* For how many blocks at a time the table has room (FXTHEAP_BLOCKS); others are lost,
     * which is counted. The default is 16 million, or one million with sampling. Where
     * addresses are limited (RLIMIT_AS), it may have less. */
    uint64_t n_blocks;
};

/*
 * Starts recording; with `options` NULL all have their defaults. Blocks that were
 * allocated before are not recorded, and freeing them does no harm. May be called from
 * any thread, once; there is no way to stop.
 */
FXT_API enum fxt_heap_code fxt_heap_bind(const struct fxt_heap_options *options);

FXT_END_DECLS

#endif
