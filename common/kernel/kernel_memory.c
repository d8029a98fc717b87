/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_memory.h. */
#include "kernel_memory.h"

#include <string.h>

#include "common/base/memory.h"

enum { PAGE = 4096, PAGES = KERNEL_BLOCK_BYTES / PAGE };

struct kernel_memory_block {
    /* A bit for each page that could be read. */
    uint32_t pages;
    unsigned char bytes[KERNEL_BLOCK_BYTES];
};

bool kernel_memory_has(const struct kernel_memory *m, uint64_t address)
{
    return address >= m->start && address - m->start < KERNEL_WINDOW_BYTES;
}

/* Some pages of a block may not be mapped. */
static void read_block(struct kernel_memory *m, struct kernel_memory_block *block,
                       uint64_t start)
{
    if (m->read(m->context, start, block->bytes, KERNEL_BLOCK_BYTES)) {
        block->pages = (1u << PAGES) - 1;
        return;
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        size_t offset = (size_t)PAGE * i;

        if (m->read(m->context, start + offset, block->bytes + offset, PAGE))
            block->pages |= 1u << i;
    }
}

static const struct kernel_memory_block *find_block(struct kernel_memory *m,
                                                    uint64_t address)
{
    size_t number = (address - m->start) / KERNEL_BLOCK_BYTES;

    if (m->blocks[number] == NULL) {
        if (m->n_read >= KERNEL_BYTES_MAX)
            return NULL;
        m->n_read += KERNEL_BLOCK_BYTES;
        m->blocks[number] = memory_allocate(sizeof(*m->blocks[number]));
        m->blocks[number]->pages = 0;
        read_block(m, m->blocks[number],
                   m->start + (uint64_t)number * KERNEL_BLOCK_BYTES);
    }
    return m->blocks[number];
}

bool kernel_memory_copy(struct kernel_memory *m, uint64_t address, void *to, size_t size)
{
    unsigned char *target = to;

    while (size > 0) {
        size_t offset = address % KERNEL_BLOCK_BYTES;
        size_t n = PAGE - offset % PAGE;
        const struct kernel_memory_block *block;

        if (!kernel_memory_has(m, address))
            return false;
        block = find_block(m, address);
        if (block == NULL || (block->pages >> (offset / PAGE) & 1) == 0)
            return false;
        if (n > size)
            n = size;
        memcpy(target, block->bytes + offset, n);
        target += n;
        address += n;
        size -= n;
    }
    return true;
}

static bool read_number(struct kernel_memory *m, uint64_t address, size_t size,
                        uint64_t *value)
{
    unsigned char bytes[sizeof(*value)];

    if (!kernel_memory_copy(m, address, bytes, size))
        return false;
    *value = 0;
    for (size_t i = size; i > 0; i--)
        *value = *value << 8 | bytes[i - 1];
    return true;
}

bool kernel_memory_u16(struct kernel_memory *m, uint64_t address, uint16_t *value)
{
    uint64_t word;

    if (!read_number(m, address, sizeof(*value), &word))
        return false;
    *value = (uint16_t)word;
    return true;
}

bool kernel_memory_u32(struct kernel_memory *m, uint64_t address, uint32_t *value)
{
    uint64_t word;

    if (!read_number(m, address, sizeof(*value), &word))
        return false;
    *value = (uint32_t)word;
    return true;
}

bool kernel_memory_u64(struct kernel_memory *m, uint64_t address, uint64_t *value)
{
    return read_number(m, address, sizeof(*value), value);
}

void kernel_memory_free(struct kernel_memory *m)
{
    for (size_t i = 0; i < KERNEL_BLOCKS; i++) {
        memory_release(m->blocks[i]);
        m->blocks[i] = NULL;
    }
}
