/* SPDX-License-Identifier: BSD-2-Clause */
/* See filled_regions.h. */
#include "filled_regions.h"

#include <fxt/format.h>

#include "common/base/memory.h"

enum { WINDOW = 1 << 16 };

/* By signals: others sample in a process that reports what was dropped. */
enum { SAMPLE_BYTES_MAX = (FXT_SAMPLER_PCS_MAX + 8) * 8 };

void filled_regions_add(struct filled_regions *regions, struct filled_region region)
{
    MEMORY_ADD(regions->all, regions->n, regions->capacity, region);
}

void filled_regions_clear(struct filled_regions *regions)
{
    for (size_t i = 0; i < regions->n; i++) {
        if (regions->all[i].is_owned)
            memory_release((void *)(uintptr_t)regions->all[i].data);
    }
    regions->n = 0;
}

void filled_regions_free(struct filled_regions *regions)
{
    filled_regions_clear(regions);
    memory_release(regions->all);
    *regions = (struct filled_regions){NULL, 0, 0};
}

/* Reads as far as there are records, and not the rest of a region that is mostly empty:
 * reading the holes of a file allocates memory for them. */
static void read_windows(const struct filled_region *region, struct fxt_reader *reader)
{
    uint64_t window = WINDOW;
    uint64_t pos = 0;
    enum fxt_code code = FXT_OK;

    while ((code == FXT_OK || code == FXT_NEED_MORE) && pos < region->size) {
        uint64_t left = region->size - pos;
        struct fxt_chunk chunk = {(const char *)region->data + pos,
                                  (size_t)(left < window ? left : window), 0};

        code = fxt_reader_read(reader, &chunk);
        pos += chunk.pos;
        /* A record that is longer than its window, or cut off. */
        if (code == FXT_NEED_MORE && left <= window)
            break;
        window = chunk.pos == 0 ? 2 * window : WINDOW;
    }
}

/* Callbacks may run out of memory. */
struct region_reader {
    struct memory_cleanup cleanup;
    struct fxt_reader *reader;
};

static void release_reader(void *context)
{
    const struct region_reader *r = context;

    fxt_reader_destroy(r->reader);
}

void filled_region_read(const struct filled_region *region, fxt_record_fn *on_record,
                        fxt_error_fn *on_error, void *context)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = on_record,
                                         .on_error = on_error,
                                         .context = context,
                                         .stream = FXT_STREAM_REGION};
    struct region_reader *r = memory_allocate(sizeof(*r));

    if (fxt_reader_create(&options, &r->reader) != FXT_OK)
        memory_fail(MEMORY_EXHAUSTED);
    memory_cleanup_add(&r->cleanup, release_reader, r);
    read_windows(region, r->reader);
    memory_cleanup_remove(&r->cleanup);
    release_reader(r);
    memory_release(r);
}

bool filled_region_is_full(const struct filled_region *region)
{
    return region->size - region->used < SAMPLE_BYTES_MAX;
}
