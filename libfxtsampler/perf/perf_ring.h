/* SPDX-License-Identifier: BSD-2-Clause */
/* A perf event's ring of records, as the kernel shares it (linux/perf_event.h). */
#ifndef LIBFXTSAMPLER_PERF_RING_H
#define LIBFXTSAMPLER_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is none. */
struct perf_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    /* In bytes, a power of two. */
    size_t size;
    size_t mapped_size;
    /* For records that go around the end. */
    unsigned char *scratch;
};

enum { PERF_RECORD_BYTES_MAX = 1 << 16 };

/* The size of rings, a power of two, that are to take so much a second, and that each CPU
 * can have one of. It is too small where a CPU may not have more: memory is limited, and
 * how much of it may be locked, for a user other than root. The first ring must not take
 * all of it. */
size_t perf_ring_size(uint64_t bytes_a_second);

/* Maps the ring of an event, as large as the system allows, up to `max_size` bytes, a
 * power of two. Returns false with errno set. */
bool perf_ring_map(struct perf_ring *ring, int event, size_t max_size);
void perf_ring_unmap(struct perf_ring *ring);

/* For a child of fork, which does not inherit the mapping of a ring: its address may be
 * in use for something else. */
void perf_ring_forget(struct perf_ring *ring);

/* The next record, or NULL. It is valid until perf_ring_drop, which must be called before
 * the next call. Returns NULL, too, if the kernel's numbers are inconsistent. */
const struct perf_event_header *perf_ring_next(struct perf_ring *ring);
void perf_ring_drop(struct perf_ring *ring, const struct perf_event_header *record);

#endif
