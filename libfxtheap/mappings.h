/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private anonymous mappings that the program makes, as blocks of the table: for mmap,
 * munmap and mremap, which call the next functions of these names through here.
 *
 * Unlike blocks of malloc they can be freed in parts and replaced, so they are also in a
 * list by address. It has a lock, which is held during the call, with all signals
 * blocked: so the order of calls is that of changes, and no signal handler waits for its
 * own thread. A child of fork has an empty list, as it has an empty table.
 */
#ifndef LIBFXTHEAP_MAPPINGS_H
#define LIBFXTHEAP_MAPPINGS_H

#include <stddef.h>
#include <sys/types.h>

struct mapping_call {
    /* Where the program called, and the end of the frame of the function that it
     * called. */
    const void *caller;
    const void *frame;
    void *at;
    size_t size;
    /* Of mmap. */
    int protection;
    int file;
    off_t offset;
    /* Of mmap and mremap. */
    int flags;
    /* Of mremap. */
    size_t new_size;
    void *new_at;
};

void *mappings_map(const struct mapping_call *call);
int mappings_unmap(const struct mapping_call *call);
void *mappings_move(const struct mapping_call *call);

#endif
