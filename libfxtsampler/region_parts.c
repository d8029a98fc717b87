/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See region_parts.h. What is in a region below its writer's position does not change, so
 * the gate is held only to read that position, and to set it back.
 */
#include "region_parts.h"

#include <string.h>
#include <time.h>

/* A writer that was interrupted inside of the gate may have to wait for its CPU. */
enum { WAIT_NS = 200000000, STEP_NS = 20000 };

/* How much may be moved while writers cannot enter. */
enum { MOVE_WORDS_MAX = 1 << 13 };

/* ---- The gate ---------------------------------------------------------------------- */

/* A closed gate has no writers. */
static bool enter(struct region *region, bool *has_entered)
{
    const struct timespec step = {.tv_nsec = STEP_NS};
    uint64_t begun = regions_now();

    *has_entered = false;
    while (fxt_gate_is_enabled(&region->gate)) {
        *has_entered = fxt_gate_enter(&region->gate);
        if (*has_entered)
            return true;
        if (regions_now() - begun > WAIT_NS)
            return false;
        nanosleep(&step, NULL);
    }
    return true;
}

static void leave(struct region *region, bool has_entered)
{
    if (has_entered)
        fxt_gate_leave(&region->gate);
}

/* ---- Finding ----------------------------------------------------------------------- */

static uint64_t record_words(uint64_t header)
{
    return FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE
               ? FXT_GET(header, LARGE_WORDS)
               : FXT_GET(header, RECORD_WORDS);
}

/* Not a record of scheduling, such as the stack of a thread that is switched out, which
 * has a category. */
static bool is_sample(const uint64_t *record)
{
    uint64_t type = FXT_GET(record[0], RECORD_TYPE);

    return type == FXT_RECORD_PROFILER ||
           (type == FXT_RECORD_LARGE && FXT_GET(record[1], LARGE_BLOB_CATEGORY) == 0);
}

/* Finds as many whole records as a part has. What makes no sense is left to the reader.
 */
static void cut_part(struct region_part *part, uint64_t n_words)
{
    uint64_t n = 0;

    part->n_words = n_words;
    while (n < n_words) {
        uint64_t size = record_words(part->words[n]);

        if (size == 0 || size > n_words - n)
            return;
        if (n > 0 && n + size > REGION_PART_BYTES / FXT_WORD_BYTES)
            break;
        part->n_samples += is_sample(&part->words[n]);
        n += size;
    }
    part->is_cut = n < n_words;
    part->n_words = n;
}

static void find_losses(struct region *region, struct region_part *part)
{
    const struct region_counts *passed = &region->passed;
    uint64_t first_loss = atomic_load(&region->first_loss);
    uint64_t last_loss = atomic_load(&region->last_loss);

    part->dropped = atomic_load(&region->dropped) - passed->dropped;
    part->others_dropped = atomic_load(&region->others_dropped) - passed->others_dropped;
    part->dropped_bytes = atomic_load(&region->dropped_bytes) - passed->dropped_bytes;
    part->lost = atomic_load(&region->lost) - passed->lost;
    if (part->dropped + part->others_dropped > 0) {
        part->first_drop = region->emit.unreported_first;
        part->last_drop = region->emit.unreported_last;
    }
    if (part->lost == 0)
        return;
    if (first_loss == 0)
        first_loss = last_loss;
    if (part->dropped + part->others_dropped == 0 || first_loss < part->first_drop)
        part->first_drop = first_loss;
    if (last_loss > part->last_drop)
        part->last_drop = last_loss;
}

bool region_part_find(struct region *region, enum region_cursor cursor,
                      struct region_part *part)
{
    uint64_t begin = region->n_removed;
    uint64_t end;
    bool has_entered;

    if (cursor == REGION_NOT_SEEN && region->n_seen > begin)
        begin = region->n_seen;
    *part = (struct region_part){.words = region->emit.words + begin};
    if (!enter(region, &has_entered))
        return false;
    end = region->emit.pos;
    part->samples = atomic_load(&region->samples) - region->passed.samples;
    find_losses(region, part);
    leave(region, has_entered);
    cut_part(part, end - begin);
    return true;
}

/* ---- Passing and removing ---------------------------------------------------------- */

/* The writers' count is of all that was written. */
static uint64_t count_samples(const struct region_part *part)
{
    return part->is_cut ? part->n_samples : part->samples;
}

static void pass_counts(struct region *region, const struct region_part *part)
{
    region->passed.samples += count_samples(part);
    region->passed.dropped += part->dropped;
    region->passed.others_dropped += part->others_dropped;
    region->passed.dropped_bytes += part->dropped_bytes;
    region->passed.lost += part->lost;
    if (part->lost > 0)
        atomic_store(&region->first_loss, 0);
}

void region_part_pass(struct region *region, const struct region_part *part)
{
    pass_counts(region, part);
    region->n_seen = (uint64_t)(part->words - region->emit.words) + part->n_words;
}

/* What was written since the part was found becomes the first thing in the region, if
 * that takes no time; else the region has room, and there will be a next time. */
static void start_again(struct region *region, uint64_t n_rest)
{
    struct fxt_emit *emit = &region->emit;
    uint64_t *words = emit->words;
    uint64_t time = emit->time;

    fxt_emit_init(emit, words, regions.size);
    if (n_rest > 0) {
        memmove(words, words + region->n_removed, (size_t)n_rest * FXT_WORD_BYTES);
        memset(words + region->n_removed, 0, (size_t)n_rest * FXT_WORD_BYTES);
        emit->pos = n_rest;
        emit->time = time;
    }
    region->n_seen -=
        region->n_seen < region->n_removed ? region->n_seen : region->n_removed;
    region->n_removed = 0;
}

void region_part_remove(struct region *region, const struct region_part *part)
{
    uint64_t end = (uint64_t)(part->words - region->emit.words) + part->n_words;
    bool has_entered;

    pass_counts(region, part);
    region->n_removed_samples += count_samples(part);
    memset(region->emit.words + region->n_removed, 0,
           (size_t)(end - region->n_removed) * FXT_WORD_BYTES);
    region->n_removed = end;
    if (end == 0 || !enter(region, &has_entered))
        return;
    if (region->emit.pos - end <= MOVE_WORDS_MAX && region->emit.pos - end <= end)
        start_again(region, region->emit.pos - end);
    leave(region, has_entered);
}
