/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image of a Linux kernel, in the memory of a stopped machine or in a file, read in
 * large blocks and when it is needed: what is read several times costs one read. It is in
 * a window of one GiB of addresses. Numbers are little-endian.
 */
#ifndef COMMON_KERNEL_KERNEL_MEMORY_H
#define COMMON_KERNEL_KERNEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KERNEL_BLOCK_BYTES = 1 << 16,
    KERNEL_BLOCKS = 1 << 14,
    KERNEL_WINDOW_BYTES = 1 << 30,
    /* All that is ever read. */
    KERNEL_BYTES_MAX = 1 << 26
};

struct kernel_memory_block;

struct kernel_memory {
    /* Reads all of this from the image, or returns false. */
    bool (*read)(void *context, uint64_t address, void *to, size_t size);
    void *context;
    /* Where the window begins, which is a multiple of a block. */
    uint64_t start;
    /* Of a file: the address that a kernel stores at another one when it relocates
     * itself, as on aarch64, where its file has 0. NULL for what is in memory. */
    uint64_t (*relocated)(void *context, uint64_t address);
    struct kernel_memory_block *blocks[KERNEL_BLOCKS];
    size_t n_read;
};

/* Whether an address may be in the image. */
bool kernel_memory_has(const struct kernel_memory *memory, uint64_t address);

/* Copies what is at an address of the image. Returns false if not all of it can be read.
 */
bool kernel_memory_copy(struct kernel_memory *memory, uint64_t address, void *to,
                        size_t size);

/* The same of one number. */
bool kernel_memory_u16(struct kernel_memory *memory, uint64_t address, uint16_t *value);
bool kernel_memory_u32(struct kernel_memory *memory, uint64_t address, uint32_t *value);
bool kernel_memory_u64(struct kernel_memory *memory, uint64_t address, uint64_t *value);

void kernel_memory_free(struct kernel_memory *memory);

#endif
