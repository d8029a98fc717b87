/* SPDX-License-Identifier: BSD-2-Clause */
/* See guest_memory.h. */
#include "guest_memory.h"

#include <string.h>

#include "common/base/memory.h"

enum { PAGE = 4096, PAGES = GUEST_BLOCK_BYTES / PAGE };

struct guest_block {
    /* A bit for each page that could be read. */
    uint32_t pages;
    unsigned char bytes[GUEST_BLOCK_BYTES];
};

bool guest_is_image(const struct guest_memory *m, uint64_t address)
{
    return address >= m->start && address - m->start < GUEST_WINDOW_BYTES;
}

/* Some pages of a block may not be mapped. */
static void read_block(struct guest_memory *m, struct guest_block *block, uint64_t start)
{
    if (m->read(m->context, start, block->bytes, GUEST_BLOCK_BYTES)) {
        block->pages = (1u << PAGES) - 1;
        return;
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        size_t offset = (size_t)PAGE * i;

        if (m->read(m->context, start + offset, block->bytes + offset, PAGE))
            block->pages |= 1u << i;
    }
}

static const struct guest_block *find_block(struct guest_memory *m, uint64_t address)
{
    size_t number = (address - m->start) / GUEST_BLOCK_BYTES;

    if (m->blocks[number] == NULL) {
        if (m->n_read >= GUEST_BYTES_MAX)
            return NULL;
        m->n_read += GUEST_BLOCK_BYTES;
        m->blocks[number] = memory_allocate(sizeof(*m->blocks[number]));
        m->blocks[number]->pages = 0;
        read_block(m, m->blocks[number], m->start + (uint64_t)number * GUEST_BLOCK_BYTES);
    }
    return m->blocks[number];
}

bool guest_copy(struct guest_memory *m, uint64_t address, void *to, size_t size)
{
    unsigned char *target = to;

    while (size > 0) {
        size_t offset = address % GUEST_BLOCK_BYTES;
        size_t n = PAGE - offset % PAGE;
        const struct guest_block *block;

        if (!guest_is_image(m, address))
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

static bool read_number(struct guest_memory *m, uint64_t address, size_t size,
                        uint64_t *value)
{
    unsigned char bytes[sizeof(*value)];

    if (!guest_copy(m, address, bytes, size))
        return false;
    *value = 0;
    for (size_t i = size; i > 0; i--)
        *value = *value << 8 | bytes[i - 1];
    return true;
}

bool guest_u16(struct guest_memory *m, uint64_t address, uint16_t *value)
{
    uint64_t word;

    if (!read_number(m, address, sizeof(*value), &word))
        return false;
    *value = (uint16_t)word;
    return true;
}

bool guest_u32(struct guest_memory *m, uint64_t address, uint32_t *value)
{
    uint64_t word;

    if (!read_number(m, address, sizeof(*value), &word))
        return false;
    *value = (uint32_t)word;
    return true;
}

bool guest_u64(struct guest_memory *m, uint64_t address, uint64_t *value)
{
    return read_number(m, address, sizeof(*value), value);
}

void guest_memory_free(struct guest_memory *m)
{
    for (size_t i = 0; i < GUEST_BLOCKS; i++) {
        memory_release(m->blocks[i]);
        m->blocks[i] = NULL;
    }
}
