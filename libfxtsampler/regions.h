/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A region for each CPU of the machine: memory, an emitter, a gate, and counts.
 *
 * A signal handler may enter a gate at any time, even after its session has ended, so the
 * table of regions is created once and kept as long as the process. What the gates guard,
 * the memory of the regions, is allocated and freed with each session.
 */
#ifndef LIBFXTSAMPLER_REGIONS_H
#define LIBFXTSAMPLER_REGIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/emit.h>
#include <fxt/format.h>
#include <fxt/gate.h>
#include <fxt/sampler.h>

/* Of what was written or lost. */
struct region_counts {
    uint64_t samples;
    uint64_t dropped;
    uint64_t others_dropped;
    uint64_t dropped_bytes;
    uint64_t lost;
};

/* In separate cache lines, so that CPUs do not contend for them. The counts may be read
 * while others write. */
struct region {
    _Alignas(128) struct fxt_gate gate;
    struct fxt_emit emit;
    /* How many bytes of the memory are known to be allocated: a file's disk may be full,
     * and writing to the mapping would then raise SIGBUS. */
    size_t ready;
    atomic_uint_fast64_t samples;
    atomic_uint_fast64_t dropped;
    atomic_uint_fast64_t dropped_bytes;
    /* Records that are no samples: written, and dropped. */
    atomic_uint_fast64_t others;
    atomic_uint_fast64_t others_dropped;
    atomic_uint_fast64_t lost;
    atomic_uint_fast64_t throttled;
    atomic_uint_fast64_t busy;
    atomic_uint_fast64_t skipped;
    atomic_uint_fast64_t merged;
    /* When samples were lost, in nanoseconds; 0 if none were. */
    atomic_uint_fast64_t first_loss;
    atomic_uint_fast64_t last_loss;
    /* The CPU was online when the session began, or was hot-added later. */
    bool is_shown;
    /* region_parts.h: how many words were removed from the beginning, and seen; what was
     * counted for them; and how many samples were ever removed. */
    uint64_t n_removed;
    uint64_t n_seen;
    struct region_counts passed;
    uint64_t n_removed_samples;
};

struct regions {
    /* One for each CPU that this machine may ever have, by number. */
    struct region *all;
    uint32_t n;
    /* The size of each one's memory, in bytes; 0 where there is none. */
    size_t size;
    size_t page;
    /* Write fxt_emit_backtrace. */
    bool backtraces;
    /* A writer waits for others that are inside of its region, as signal handlers must
     * not. */
    bool writers_wait;
};

extern struct regions regions;

enum regions_made { REGIONS_OK, REGIONS_NO_MEMORY, REGIONS_NO_DIRECTORY };

/* Ensures that there is a region, which may have no memory yet, for each CPU. Returns
 * false if there is no room for that. */
bool regions_find_cpus(void);

/* Gives each region new memory of `size` bytes, a multiple of the page size: files in
 * `directory` if it is not NULL. All gates are closed. */
enum regions_made regions_make(size_t size, const char *directory);

/* Takes the memory away again; the gates must be quiet. */
void regions_unmake(void);

/* Whether any takes no more. */
bool regions_any_full(void);

void regions_open_gates(void);

/* Closes them, and returns when no writer is inside any more. */
void regions_close_gates(void);

/* Looks which CPUs are online. `is_online` has room for regions.n. */
void regions_look_online(bool *is_online);

struct region_sample {
    /* 0 is now: read inside the gate, so that a CPU's samples are in order. */
    uint64_t time;
    uint64_t process;
    uint64_t thread;
    /* At most FXT_SAMPLER_DEPTH_MAX. */
    const uint64_t *pcs;
    uint64_t n_pcs;
    enum fxt_stack_end end;
    /* As fxt_emit_event_stack has them. */
    uint32_t event;
    uint64_t weight;
};

/* Writes a sample to the region of a CPU, and counts it. May be called from a signal
 * handler. */
void regions_write(uint32_t cpu, const struct region_sample *sample);

/* Writes a record that is no sample, by a function that returns false if there is no room
 * for it. */
typedef bool regions_emit_fn(struct fxt_emit *emit, const void *context);
void regions_write_other(uint32_t cpu, regions_emit_fn *emit, const void *context);

static inline void regions_count(atomic_uint_fast64_t *count, uint64_t n)
{
    atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

/* Counts samples that never got to an emitter, as one of the counts, and notes when. */
void regions_lose(struct region *region, atomic_uint_fast64_t *count, uint64_t n);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t regions_now(void);

#endif
