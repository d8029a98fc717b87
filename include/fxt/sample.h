/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples from records, in whichever form a sampler wrote them.
 *
 * Zircon's kernel sampler has written its stacks in two forms, and Fuchsia's CPU profiler
 * wraps them in an archive; fxt_sample_from_record returns all of them in the same form.
 *
 * PCs: a stack is leaf first. The leaf is the instruction that was interrupted; the
 * others are return addresses, to be looked up at pc - 1. The arm64 sampler has already
 * subtracted 4 from some of them, differently in different versions, so know which one
 * wrote them.
 */
#ifndef FXT_SAMPLE_H
#define FXT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

FXT_BEGIN_DECLS

enum fxt_sample_kind {
    /* The record is not one of a sampler's. */
    FXT_SAMPLE_NONE = 0,
    /* One stack, taken at one time. */
    FXT_SAMPLE_STACK = 1,
    /* A sampler ran out of room and reports how much it dropped. */
    FXT_SAMPLE_DROPS = 2,
    /* Registers and a copy of the stack: Fuchsia's profiler in its DWARF mode (a large
     * blob named stack_sample). It counts as one sample; there are no PCs until it is
     * unwound, as libfxtprofile does. */
    FXT_SAMPLE_NOT_UNWOUND = 3
};

/* The empty string, read or to be written. */
static inline bool fxt_sample_is_empty_(const struct fxt_string *string)
{
    return string->size == 0 &&
           (string->data != NULL || string->ref == FXT_STRING_REF_EMPTY);
}

/* A sample. Its PCs point into the record and are valid as long as the record is. */
struct fxt_sample {
    enum fxt_sample_kind kind;
    /* In ticks of record->provider->ticks_per_second. For drops, that of the first
     * one. */
    uint64_t timestamp;
    /* For drops, both koids are 0. */
    struct fxt_thread thread;

    /* Stacks: the PCs, leaf first, at least one. */
    struct fxt_words pcs;
    /* Stacks: how the sampler's walk ended, if it says: a number of enum fxt_stack_end,
     * or a greater one that this version does not know. */
    uint32_t end;
    /* Stacks: the depth limit was reached, or the sampler does not say how the stack
     * ended and it has exactly FXT_SAMPLER_PCS_MAX PCs, the most that the kernel sampler
     * takes, or is a backtrace with FXT_BACKTRACE_PCS_MAX. */
    bool maybe_cut;

    /* Stacks: the number of the event that was sampled, by which an archive declares it
     * (docs/sampled-events.md), and how many of these events the sample stands for. Both
     * are 0 if the sampler does not say: it is what the archive says of all samples. */
    uint32_t event;
    uint64_t weight;

    /* Drops: the CPU, how many records were dropped and their size in bytes, and the
     * timestamp of the last one. These timestamps are boot time; those of stacks are
     * monotonic time, which does not advance while the system is suspended. */
    uint32_t cpu;
    uint64_t dropped_records;
    uint64_t dropped_bytes;
    uint64_t last_timestamp;
};

/*
 * Whether a large blob has the form of the kernel sampler's stacks until 2025: it has
 * metadata, its category and its name are both the empty string, and its payload holds at
 * least `min_pcs` whole words. Of a record that is `unknown` this says nothing.
 */
static inline bool fxt_sample_is_blob(const struct fxt_large_blob *blob, uint64_t min_pcs)
{
    return blob->format == FXT_LARGE_BLOB_METADATA &&
           blob->payload.size / FXT_WORD_BYTES >= min_pcs &&
           fxt_sample_is_empty_(&blob->category) && fxt_sample_is_empty_(&blob->name);
}

/*
 * Whether the record is a stack of at least `min_pcs` PCs, in either form of the kernel
 * sampler's: 1 for those that fxt_sample_from_record returns as FXT_SAMPLE_STACK, and 0
 * for these and the records without a single whole PC, which it does not return.
 */
static inline bool fxt_sample_is_stack(const struct fxt_record *record, uint64_t min_pcs)
{
    if (record->unknown)
        return false;
    if (record->type == FXT_RECORD_PROFILER)
        return record->kind == FXT_PROFILER_BACKTRACE &&
               record->profiler.pcs.count >= min_pcs;
    return record->type == FXT_RECORD_LARGE &&
           fxt_sample_is_blob(&record->large_blob, min_pcs);
}

/*
 * If the record is a sampler's, fills in `*sample` and returns its kind; else returns
 * FXT_SAMPLE_NONE and sets only the kind in `*sample`.
 *
 * A stack is a record for which fxt_sample_is_stack(record, 1) is true: a large blob (the
 * sampler until 2025), or a profiler backtrace (since then). The PCs of a large blob are
 * the payload's whole words; where bytes are left over past the last one, the reader
 * reports FXT_E_SAMPLE_SIZE.
 *
 * Drops are a complete duration named drop_stats in category kernel:meta, with two uint32
 * arguments (or uint64, where they are named in full), of the thread whose koid is the
 * CPU number in process 0. In a sampler's own output the strings are indices into a
 * string table that is not part of it; an event of that shape is recognised also if all
 * its strings are unknown.
 */
FXT_API enum fxt_sample_kind fxt_sample_from_record(const struct fxt_record *record,
                                                    struct fxt_sample *sample);

/* A short, stable word for how a stack ended (enum fxt_stack_end), such as "no_table";
 * "whole" for the outermost frame; NULL for a number that this version does not know. The
 * string is static. */
FXT_API const char *fxt_stack_end_name(uint32_t end);

/* The same for people to read, such as "no unwind table"; "unknown reason" for a number
 * that this version does not know. The string is static. */
FXT_API const char *fxt_stack_end_message(uint32_t end);

FXT_END_DECLS

#endif
