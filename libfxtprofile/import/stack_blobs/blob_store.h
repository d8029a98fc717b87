/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of raw stacks until all mappings are known: Fuchsia's profiler writes these
 * after all samples. Beyond a limit they are in a temporary file, so that memory does not
 * grow with what the stacks have.
 */
#ifndef FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_STORE_H
#define FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/spill.h"

/* A profiler takes twice 16 KiB; what a blob has after so many bytes is not kept. */
enum { BLOB_BYTES_MAX = 1 << 20, BLOB_STORE_MEMORY = 1 << 22 };

/* A raw stack, with what is known of its sample. */
struct stored_blob {
    uint64_t process;
    uint64_t thread;
    uint32_t cpu;
    /* How many bytes are kept. */
    uint32_t size;
    uint64_t offset;
    uint64_t time_ns;
    /* How many names had been given before it: see koid_names_name_at. */
    uint64_t n_given;
    /* Its mappings are those of this epoch; for blob_unwind. */
    uint32_t epoch;
    bool is_cut;
    bool is_logged;
};

/* All zero is an empty one. It must stay where it is. */
struct blob_store {
    struct stored_blob *blobs;
    size_t n;
    size_t capacity;
    struct spill bytes;
    /* There is no room for more. */
    bool is_full;
};

/* Keeps a copy of `size` bytes with what `*blob` has, in which size, offset and is_cut
 * are set. Returns false if there is no room. */
bool blob_store_add(struct blob_store *store, const struct stored_blob *blob,
                    const void *bytes, uint64_t size);

/* Stores the bytes of a blob. */
void blob_store_read(const struct blob_store *store, const struct stored_blob *blob,
                     unsigned char *bytes);

void blob_store_free(struct blob_store *store);

#endif
