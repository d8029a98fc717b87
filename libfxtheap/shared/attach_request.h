/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fxtheap passes to a libfxtheap that it has loaded into a running process, and what
 * that answers. Both are of one version: another one has another size.
 */
#ifndef LIBFXTHEAP_SHARED_ATTACH_REQUEST_H
#define LIBFXTHEAP_SHARED_ATTACH_REQUEST_H

#include <stdint.h>

enum heap_attach_result {
    /* The call is not over, or the size is another version's. */
    HEAP_ATTACH_PENDING = 0,
    HEAP_ATTACH_DONE = 1,
    /* Attach: the process is recording. Detach: it is not, or not since it was attached
     * to. */
    HEAP_ATTACH_BOUND = 2,
    HEAP_ATTACH_OPTIONS = 3,
    /* The table could not be created: `error` is the reason, of errno. */
    HEAP_ATTACH_TABLE = 4,
    /* No module calls the allocator by a function that could be replaced. */
    HEAP_ATTACH_NO_CALLS = 5,
    /* To be called again: another call of these functions is under way, as of an fxtheap
     * that was killed; or, of detach, recording has ended, but a call is still using the
     * table. */
    HEAP_ATTACH_IN_USE = 6,
};

enum { HEAP_ATTACH_DIRECTORY_SIZE = 192 };

/* When all is done the thread waits until fxtheap has seen that, or has ended: so it need
 * not be stopped at each of its system calls to be stopped at the last one. */
#define HEAP_ATTACH_WAITS UINT64_C(0x5354494157545846)
#define HEAP_ATTACH_SEEN UINT64_C(0x4e45455350415846)

struct heap_attach_request {
    /* First the state: 0, or what is above. */
    uint64_t state;
    /* Of this structure. */
    uint32_t size;
    uint32_t result;
    uint32_t error;
    /* As in struct fxt_heap_options. */
    uint32_t depth;
    uint32_t no_children;
    uint32_t keeps_peak;
    uint64_t sample_bytes;
    uint64_t n_blocks;
    char directory[HEAP_ATTACH_DIRECTORY_SIZE];
    /* How many calls of modules now lead to the library; and how many cannot be changed
     * back at a detach, since they were changed again. */
    uint64_t n_redirected;
    uint64_t n_kept;
};

#define HEAP_ATTACH_FUNCTION "fxt_heap_attach"
#define HEAP_DETACH_FUNCTION "fxt_heap_detach"

#endif
