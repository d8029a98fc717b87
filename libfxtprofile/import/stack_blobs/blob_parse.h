/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A raw stack of Fuchsia's profiler (stack_sampler.cc): the size of a register block,
 * that block, which is Zircon's zx_thread_state_general_regs_t, and chunks of memory,
 * each with its address and size, without padding.
 *
 * The size of the block identifies the machine. The chunks are the stack; and, of a
 * thread that runs a Linux program in restricted mode, the state of that, which is
 * zx_restricted_state_t, and its stack. Nothing but its size marks that state.
 */
#ifndef FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_PARSE_H
#define FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/unwind/unwind_walk.h"

/* A profiler writes three. Of a stack it copies so many bytes, or up to its end. */
enum { BLOB_CHUNKS_MAX = 16, BLOB_COPY_BYTES = 16384 };

enum blob_fault {
    BLOB_GOOD,
    /* The register block is cut off. */
    BLOB_NO_REGISTERS,
    /* Its size is that of no known machine. */
    BLOB_UNKNOWN_MACHINE
};

/* One stack: that of the thread, or of what it runs in restricted mode. */
struct blob_part {
    struct unwind_registers registers;
    /* It is of a 32-bit program on a 64-bit machine: there is nothing to unwind with. */
    bool is_32_bit;
};

struct blob {
    enum unwind_machine machine;
    /* The thread's own, and that in restricted mode, if there is one. */
    struct blob_part parts[2];
    unsigned n_parts;
    /* They point into the bytes. */
    struct unwind_chunk chunks[BLOB_CHUNKS_MAX];
    uint32_t n_chunks;
    /* A chunk states a size that does not fit in the blob, or there are too many:
     * memory may be missing. */
    bool is_short;
};

/* The bytes may be anything, and must stay. */
enum blob_fault blob_parse(struct blob *blob, const unsigned char *bytes, size_t size);

#endif
