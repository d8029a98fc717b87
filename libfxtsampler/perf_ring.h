/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A perf event's ring of records, as the kernel shares it (linux/perf_event.h), and what
 * is in them.
 */
#ifndef LIBFXTSAMPLER_PERF_RING_H
#define LIBFXTSAMPLER_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/sampler.h>

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

/* Maps the ring of an event, as large as the system allows, up to a limit. Returns false
 * with errno set. */
bool perf_ring_map(struct perf_ring *ring, int event);
void perf_ring_unmap(struct perf_ring *ring);

/* For a child of fork, which does not inherit the mapping of a ring: its address may be
 * in use for something else. */
void perf_ring_forget(struct perf_ring *ring);

/* The next record, or NULL. It is valid until perf_ring_drop, which must be called before
 * the next call. Returns NULL, too, if the kernel's numbers are inconsistent. */
const struct perf_event_header *perf_ring_next(struct perf_ring *ring);
void perf_ring_drop(struct perf_ring *ring, const struct perf_event_header *record);

/* ---- Records ----------------------------------------------------------------------- */

/* What each sample has, and what read_sample expects. */
#define PERF_SAMPLE_FIELDS                                                               \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)

struct perf_sample {
    uint64_t time;
    uint32_t process;
    uint32_t thread;
    /* Leaf first, without the markers between kernel and user. */
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;
};

/* Each returns false if the record is too short for its contents. */
bool perf_read_sample(const struct perf_event_header *record, struct perf_sample *sample);
bool perf_read_lost(const struct perf_event_header *record, uint64_t *n);

/* Returns false, too, for a record that is no event of fxt/sampler.h. `attr` is the
 * attribute with which the record was requested. */
bool perf_read_event(const struct perf_event_header *record,
                     const struct perf_event_attr *attr, struct fxt_sampler_event *event);

#endif
