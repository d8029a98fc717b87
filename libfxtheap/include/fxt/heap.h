/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtheap: the live allocations of a program, for fxtheap to look at from outside at
 * any time (see fxtheap(1)).
 *
 * Loaded by LD_PRELOAD it needs no call: it records from the first allocation on, with
 * the options that are in the environment. A program that is linked with it records
 * nothing until it calls fxt_heap_bind, and then all that it allocates from there on.
 *
 * It stands in front of malloc and its relatives and calls those of whatever allocator
 * comes behind it. What it records is in shared memory, in a file that goes when the
 * program ends, and stays if the program is killed.
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
    /* An option is out of bounds, or the size of the options is none that there ever
     * was. */
    FXT_HEAP_E_OPTIONS = 1,
    /* This process records already, or has given up because of an earlier failure. */
    FXT_HEAP_E_BOUND = 2,
    /* The table could not be made: errno has the reason. */
    FXT_HEAP_E_TABLE = 3,
    /* Allocations do not come here: another allocator stands in front. */
    FXT_HEAP_E_BYPASSED = 4
};

#define FXT_HEAP_DEPTH_MAX 128
#define FXT_HEAP_DEPTH_DEFAULT 64
#define FXT_HEAP_BLOCKS_MAX ((uint64_t)1 << 28)
#define FXT_HEAP_SAMPLE_BYTES_MAX ((uint64_t)1 << 40)

/* Zero is the default of each. In brackets, what the environment calls it. */
struct fxt_heap_options {
    /* sizeof(struct fxt_heap_options) */
    size_t size;
    /* Where the table is made (FXTHEAP_DIRECTORY); NULL is /dev/shm. Elsewhere than on a
     * tmpfs the kernel writes it to the disk now and then. */
    const char *directory;
    /* How many PCs a stack has at most (FXTHEAP_DEPTH). */
    uint32_t depth;
    /* Children made by fork record nothing, and programs that are executed are not loaded
     * with the library (FXTHEAP_CHILDREN=0). Else each has a table of its own, of what it
     * allocates itself. */
    bool no_children;
    /* One block every so many bytes is recorded, on average (FXTHEAP_SAMPLE); 0 is all
     * blocks. */
    uint64_t sample_bytes;
    /* How many blocks the table has slots for, of which not all can be used: from about
     * two thirds on blocks get lost, which is counted (FXTHEAP_BLOCKS). By default, 16
     * million, or with samples one million. */
    uint64_t n_blocks;
};

/*
 * Starts recording; `options` NULL is the default of all. Blocks that were allocated
 * before are not known, and freeing them does no harm. May be called from any thread,
 * once; there is no way to stop.
 */
FXT_API enum fxt_heap_code fxt_heap_bind(const struct fxt_heap_options *options);

FXT_END_DECLS

#endif
