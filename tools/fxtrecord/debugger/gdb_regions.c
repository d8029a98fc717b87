/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_capture.h: regions. */
#include "gdb_capture.h"

#include <sys/mman.h>

#include "common/base/memory.h"

struct gdb_region {
    uint32_t cpu;
    void *data;
    struct fxt_emit emit;
    /* The archive has what is in it, or is about to. */
    bool is_taken;
};

struct fxt_emit *gdb_regions_find(struct gdb_regions *regions, uint32_t cpu)
{
    struct gdb_region *region;
    void *data;

    for (size_t i = 0; i < regions->n; i++) {
        if (regions->all[i].cpu == cpu)
            return &regions->all[i].emit;
    }
    data = mmap(NULL, regions->buffer_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return NULL;
    regions->all =
        memory_grow(regions->all, regions->n, &regions->capacity, sizeof(*regions->all));
    region = &regions->all[regions->n++];
    *region = (struct gdb_region){.cpu = cpu, .data = data};
    fxt_emit_init(&region->emit, data, regions->buffer_size);
    return &region->emit;
}

static void take_region(const struct gdb_region *region, uint64_t start_ns,
                        struct filled_regions *block)
{
    uint64_t n_dropped = region->emit.dropped_records;

    filled_regions_add(block, (struct filled_region){
                                  .cpu = region->cpu,
                                  .data = region->data,
                                  .size = region->emit.pos * FXT_WORD_BYTES,
                                  .n_reported = UINT64_MAX,
                                  .dropped = n_dropped,
                                  .dropped_bytes = region->emit.dropped_bytes,
                                  .first_drop = n_dropped > 0 ? start_ns : 0,
                                  .last_drop = n_dropped > 0 ? region->emit.time : 0,
                              });
}

void gdb_regions_take(struct gdb_regions *regions, uint64_t start_ns,
                      struct filled_regions *block)
{
    for (size_t i = 0; i < regions->n; i++) {
        struct gdb_region *region = &regions->all[i];

        if (region->is_taken)
            fxt_emit_init(&region->emit, region->data, regions->buffer_size);
        region->is_taken = region->emit.pos > 0 || region->emit.full;
        if (!region->is_taken)
            continue;
        regions->n_dropped += region->emit.dropped_records;
        take_region(region, start_ns, block);
    }
}
