/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a stopped kernel's image, read in large blocks and when it is needed:
 * what is read several times costs one packet. The image is in a window of one GiB of
 * addresses.
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_GUEST_MEMORY_H
#define FXTRECORD_DEBUGGER_GUEST_GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GUEST_BLOCK_BYTES = 1 << 16,
    GUEST_BLOCKS = 1 << 14,
    GUEST_WINDOW_BYTES = 1 << 30,
    /* All that is ever read. */
    GUEST_BYTES_MAX = 1 << 26
};

struct guest_block;

struct guest_memory {
    /* Reads all of this from the target, or returns false. */
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
    /* Where the window begins, which is a multiple of a block. */
    uint64_t start;
    struct guest_block *blocks[GUEST_BLOCKS];
    size_t n_read;
};

/* Whether an address may be in the image. */
bool guest_is_image(const struct guest_memory *memory, uint64_t address);

/* Copies what is at an address of the image. Returns false if not all of it can be read.
 */
bool guest_copy(struct guest_memory *memory, uint64_t address, void *to, size_t size);

/* The same of one number. */
bool guest_u16(struct guest_memory *memory, uint64_t address, uint16_t *value);
bool guest_u32(struct guest_memory *memory, uint64_t address, uint32_t *value);
bool guest_u64(struct guest_memory *memory, uint64_t address, uint64_t *value);

void guest_memory_free(struct guest_memory *memory);

#endif
