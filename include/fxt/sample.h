/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records to samples, whichever way a sampler wrote them.
 *
 * Zircon's kernel sampler has written its stacks in two ways, and Fuchsia's CPU profiler
 * wraps them in an archive; all of them come out of fxt_sample_from_record alike.
 *
 * On PCs: a stack is leaf first. The leaf is the instruction that was interrupted; the
 * others are return addresses, to be looked up at pc - 1. The arm64 sampler took 4 off
 * some of them already, in ways that differ by generation, so know your source.
 */
#ifndef FXT_SAMPLE_H
#define FXT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

FXT_BEGIN_DECLS

enum fxt_sample_kind {
    /* The record is nothing of a sampler's. */
    FXT_SAMPLE_NONE = 0,
    /* One stack, taken at one time. */
    FXT_SAMPLE_STACK = 1,
    /* A sampler ran out of room and says how much it dropped. */
    FXT_SAMPLE_DROPS = 2,
    /* Raw stack memory that nobody has unwound yet: Fuchsia's profiler in its DWARF mode
     * (a large blob named stack_sample). It counts as one sample; there are no PCs. */
    FXT_SAMPLE_NOT_UNWOUND = 3
};

/* A sample. Its PCs are a view of the record and live as long as the record does. */
struct fxt_sample {
    enum fxt_sample_kind kind;
    /* In ticks of record->provider->ticks_per_second. For drops, when the first one was.
     */
    uint64_t timestamp;
    /* For drops, both koids are 0. */
    struct fxt_thread thread;

    /* Stacks: the PCs, leaf first, at least one. */
    struct fxt_words pcs;
    /* Stacks: exactly FXT_SAMPLER_PCS_MAX PCs, which is where the kernel sampler stops;
     * nothing in the record says whether the stack went on. */
    bool maybe_cut;

    /* Drops: the CPU, how many records were dropped and their size, and when the last one
     * was. The timestamps are boot time, where a stack's are monotonic time, which stands
     * still while the system is suspended. */
    uint32_t cpu;
    uint64_t dropped_records;
    uint64_t dropped_bytes;
    uint64_t last_timestamp;
};

/*
 * Looks at a record and, if it is a sampler's, fills in `*sample` and returns its kind;
 * else returns FXT_SAMPLE_NONE and leaves only the kind in `*sample`.
 *
 * A stack is a large blob with metadata whose category and name are both the empty string
 * and whose payload holds at least one whole word (the sampler until 2025), or a profiler
 * backtrace of at least one PC (since then). The PCs are the payload's whole words; where
 * bytes are left over past the last one, the reader reports FXT_E_SAMPLE_SIZE.
 *
 * Drops are a complete duration named drop_stats in category kernel:meta, with two uint32
 * arguments (or uint64, where they are named in full), of a thread that is CPU number in
 * process 0. In a sampler's own output the strings are indices into a table that is not
 * part of it; an event of that shape with nothing but unknown strings is taken for what
 * it is.
 */
FXT_API enum fxt_sample_kind fxt_sample_from_record(const struct fxt_record *record,
                                                    struct fxt_sample *sample);

FXT_END_DECLS

#endif
