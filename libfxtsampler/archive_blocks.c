/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive_blocks.h. */
#include "archive_blocks.h"

#include <stdlib.h>

/* ---- Blocks ------------------------------------------------------------------------ */

/* So many bytes are in memory as records and as an archive, at the same time. */
enum { KEPT_BLOCK_BYTES = 1 << 22 };

/* What is added to an archive at once: a part of each region, or some of what is kept. */
struct block_call {
    struct session_archive *archive;
    const struct region_part *parts;
    const struct kept_part *kept;
};

static void add_part(struct filled_regions *block, uint32_t cpu,
                     const struct region_part *part)
{
    if (part->n_words == 0 && part->dropped + part->others_dropped + part->lost == 0)
        return;
    filled_regions_add(block, (struct filled_region){
                                  .cpu = cpu,
                                  .data = part->words,
                                  .size = part->n_words * FXT_WORD_BYTES,
                                  .n_reported = part->is_cut ? UINT64_MAX : part->samples,
                                  .dropped = part->dropped,
                                  .others_dropped = part->others_dropped,
                                  .dropped_bytes = part->dropped_bytes,
                                  .lost = part->lost,
                                  .first_drop = part->first_drop,
                                  .last_drop = part->last_drop,
                              });
}

static void add_block(void *context, struct recording *r)
{
    struct block_call *call = context;
    struct session_archive *a = call->archive;
    uint64_t n_words = 0;

    a->block.n = 0;
    for (uint32_t cpu = 0; call->parts != NULL && cpu < regions.n; cpu++)
        add_part(&a->block, cpu, &call->parts[cpu]);
    while (call->kept != NULL && n_words < KEPT_BLOCK_BYTES / FXT_WORD_BYTES) {
        add_part(&a->block, call->kept->cpu, &call->kept->part);
        n_words += call->kept->part.n_words;
        call->kept = call->kept->next;
    }
    recording_add_block(r, &a->block);
    archive_stream_add(a->stream, &a->block);
}

enum fxt_sampler_code archive_write_stream(struct session_archive *a)
{
    a->has_failed = !archive_stream_write(a->stream, a->write, a->context);
    return a->has_failed ? FXT_SAMPLER_E_SINK : FXT_SAMPLER_OK;
}

/* What to do with a part when the archive has it. */
typedef void part_done_fn(struct region *region, const struct region_part *part);

static enum fxt_sampler_code append_parts(struct session_archive *a,
                                          enum region_cursor cursor, part_done_fn *done,
                                          struct region_part *parts, bool *has_more)
{
    struct block_call call = {a, parts, NULL};

    *has_more = false;
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (!region_part_find(&regions.all[cpu], cursor, &parts[cpu]))
            parts[cpu] = (struct region_part){0};
        *has_more = *has_more || parts[cpu].is_cut;
    }
    if (!tracker_run(a->sampler->tracker, add_block, &call))
        return FXT_SAMPLER_E_RESOURCES;
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (parts[cpu].words != NULL)
            done(&regions.all[cpu], &parts[cpu]);
    }
    return archive_write_stream(a);
}

static enum fxt_sampler_code append_regions(struct session_archive *a,
                                            enum region_cursor cursor, part_done_fn *done)
{
    struct region_part *parts = calloc(regions.n, sizeof(*parts));
    enum fxt_sampler_code code = FXT_SAMPLER_OK;
    bool has_more = parts != NULL;

    while (code == FXT_SAMPLER_OK && has_more)
        code = append_parts(a, cursor, done, parts, &has_more);
    free(parts);
    return parts != NULL ? code : FXT_SAMPLER_E_RESOURCES;
}

static enum fxt_sampler_code append_kept(struct session_archive *a)
{
    enum fxt_sampler_code code = session_keep(a->sampler);
    struct block_call call = {a, NULL, a->sampler->kept.first};

    while (code == FXT_SAMPLER_OK && call.kept != NULL) {
        if (!tracker_run(a->sampler->tracker, add_block, &call))
            code = FXT_SAMPLER_E_RESOURCES;
        else
            code = archive_write_stream(a);
    }
    return code;
}

enum fxt_sampler_code archive_append(struct session_archive *a)
{
    if (a->has_failed)
        return FXT_SAMPLER_E_SINK;
    if (a->no_samples)
        return append_regions(a, REGION_NOT_SEEN, region_part_pass);
    if (a->sampler->kept.keep_ns > 0)
        return append_kept(a);
    return append_regions(a, REGION_NOT_REMOVED, region_part_remove);
}

/* ---- At once ----------------------------------------------------------------------- */

/* What a region has of parts that were found: the same is found again. */
struct region_marks {
    uint64_t n_seen;
    struct region_counts passed;
    uint64_t first_loss;
};

static void save_marks(struct region_marks *marks)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        struct region *region = &regions.all[cpu];

        marks[cpu] = (struct region_marks){region->n_seen, region->passed,
                                           atomic_load(&region->first_loss)};
        region->n_seen = 0;
    }
}

static void restore_marks(const struct region_marks *marks)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        struct region *region = &regions.all[cpu];

        region->n_seen = marks[cpu].n_seen;
        region->passed = marks[cpu].passed;
        atomic_store(&region->first_loss, marks[cpu].first_loss);
    }
}

enum fxt_sampler_code archive_append_all(struct session_archive *a)
{
    struct region_marks *marks;
    enum fxt_sampler_code code;

    if (a->sampler->kept.keep_ns > 0)
        return append_kept(a);
    marks = calloc(regions.n, sizeof(*marks));
    if (marks == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    save_marks(marks);
    code = append_regions(a, REGION_NOT_SEEN, region_part_pass);
    restore_marks(marks);
    free(marks);
    return code;
}
