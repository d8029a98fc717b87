/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_ring.h. */
#include "perf_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fxt/compiler.h>

/* ---- The ring ---------------------------------------------------------------------- */

enum { RING_BYTES_MIN = 1 << 14 };

bool perf_ring_map(struct perf_ring *ring, int event, size_t max_size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t size = max_size; size >= RING_BYTES_MIN && size >= page; size /= 2) {
        void *memory =
            mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

        if (memory == MAP_FAILED && errno != EPERM && errno != ENOMEM)
            return false;
        if (memory == MAP_FAILED)
            continue;
        ring->scratch = malloc(PERF_RECORD_BYTES_MAX);
        if (ring->scratch == NULL) {
            munmap(memory, page + size);
            return false;
        }
        ring->page = memory;
        ring->data = (const unsigned char *)memory + page;
        ring->size = size;
        ring->mapped_size = page + size;
        return true;
    }
    return false;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->page != NULL)
        munmap(ring->page, ring->mapped_size);
    perf_ring_forget(ring);
}

void perf_ring_forget(struct perf_ring *ring)
{
    free(ring->scratch);
    *ring = (struct perf_ring){0};
}

/* Copies a record that wraps around the end. */
static void copy_out(struct perf_ring *ring, uint64_t at, size_t size)
{
    size_t offset = (size_t)(at & (ring->size - 1));
    size_t first = ring->size - offset < size ? ring->size - offset : size;

    memcpy(ring->scratch, ring->data + offset, first);
    memcpy(ring->scratch + first, ring->data, size - first);
}

const struct perf_event_header *perf_ring_next(struct perf_ring *ring)
{
    uint64_t head = FXT_LOAD_ACQUIRE(&ring->page->data_head);
    uint64_t tail = ring->page->data_tail;
    size_t offset = (size_t)(tail & (ring->size - 1));
    struct perf_event_header header;
    const void *record = ring->data + offset;

    /* Records are aligned to 8 bytes, so that a header does not go around the end. */
    if (head - tail < sizeof(header) || ring->size - offset < sizeof(header))
        return NULL;
    memcpy(&header, record, sizeof(header));
    if (header.size < sizeof(header) || header.size % 8 != 0 || header.size > head - tail)
        return NULL;
    if (header.size > ring->size - offset) {
        copy_out(ring, tail, header.size);
        record = ring->scratch;
    }
    return (const struct perf_event_header *)record;
}

void perf_ring_drop(struct perf_ring *ring, const struct perf_event_header *record)
{
    FXT_STORE_RELEASE(&ring->page->data_tail, ring->page->data_tail + record->size);
}
