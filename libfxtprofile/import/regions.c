/* SPDX-License-Identifier: BSD-2-Clause */
/* See regions.h. */
#include "regions.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "import.h"
#include "common/base/parallel.h"
#include "common/base/io/pump.h"
#include "region_reader.h"

/* ---- Streams ----------------------------------------------------------------------- */

bool regions_is_magic(const struct import_settings *o, const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    if (FXT_HOST_IS_BIG_ENDIAN)
        word = FXT_SWAP64(word);
    return (word == FXT_MAGIC_RECORD && o->byte_order != FXT_BYTE_ORDER_BIG) ||
           (word == FXT_SWAP64(FXT_MAGIC_RECORD) &&
            o->byte_order != FXT_BYTE_ORDER_LITTLE);
}

bool regions_is_archive(const struct import_settings *o, struct input *input)
{
    if (o->stream != FXT_STREAM_AUTO)
        return o->stream == FXT_STREAM_ARCHIVE;
    return input_want(input, FXT_WORD_BYTES) && regions_is_magic(o, input_data(input));
}

/* ---- Shards ------------------------------------------------------------------------ */

/*
 * What one thread has collected, to be taken into what all have. Nothing depends on the
 * order in which that is done but the numbers of things, which profile_builder_sort
 * assigns again, and the order of samples that it leaves to an output.
 *
 * A shard is of records that stand alone: samples and drops. It has no names, modules or
 * comments.
 */
struct shard {
    struct collect collect;
    struct profile_builder builder;
    struct modules modules;
};

/* Makes it like the whole before anything is collected. It must stay where it is. */
static void start_shard(struct shard *shard, const struct collect *whole)
{
    const struct profile *p = &whole->builder->profile;

    shard->collect = *whole;
    shard->collect.builder = &shard->builder;
    shard->collect.modules = &shard->modules;
    /* What other calls have collected is not the shard's. */
    shard->collect.tally = (struct tally){.n_samples = 0};
    shard->collect.pcs = (struct sampler_pcs){NULL, 0};
    /* Heaps are not in regions, and what goes to one here is not for several threads. */
    shard->collect.heap = NULL;
    shard->collect.blobs = NULL;
    shard->collect.summary = NULL;
    shard->modules = (struct modules){.n_modules = 0};
    profile_builder_init(&shard->builder);
    for (uint32_t i = 0; i < p->n_types; i++)
        profile_builder_add_type(&shard->builder, p->types[i].type, p->types[i].unit);
}

static void drop_shard(struct shard *shard)
{
    profile_builder_free(&shard->builder);
    memory_release(shard->collect.pcs.pcs);
    memory_release(shard->collect.tally.drops_by_cpu);
}

static void end_shard(struct shard *shard, struct collect *whole)
{
    tally_merge(&whole->tally, &shard->collect.tally);
    sample_times_merge(&whole->times, &shard->collect.times);
    profile_builder_merge(whole->builder, &shard->builder);
    drop_shard(shard);
}

/* ---- Threads ----------------------------------------------------------------------- */

struct reading {
    const struct import_settings *settings;
    struct filled_regions *regions;
    /* One for each thread; or for each piece of a region. */
    struct shard *shards;
    bool has_pieces;
    /* The reading of a piece has not ended where the next one begins. */
    atomic_bool is_broken;
    /* Whether drops count for what threads did, which depends on all regions. */
    bool has_summary;
};

/* A thread's reading of a region. */
struct visit {
    const struct import_settings *settings;
    struct collect *collect;
    struct filled_region *region;
    bool has_summary;
    bool has_held;
    bool stopped;
    /* Where the last record ends. */
    uint64_t end;
    atomic_bool *is_broken;
};

static int visit_error(void *context, const struct fxt_error *error)
{
    struct visit *v = (struct visit *)context;

    v->stopped |=
        v->has_held || v->settings->reports_all || error->code != FXT_E_STRING_UNKNOWN;
    v->has_held = true;
    return v->stopped;
}

static int visit_record(void *context, const struct fxt_record *record)
{
    struct visit *v = (struct visit *)context;
    struct fxt_sample sample;
    enum fxt_sample_kind kind = fxt_sample_from_record(record, &sample);

    v->stopped |= kind == FXT_SAMPLE_DROPS && v->has_summary;
    v->stopped |= v->has_held ? kind != FXT_SAMPLE_DROPS
                              : kind != FXT_SAMPLE_DROPS && kind != FXT_SAMPLE_STACK;
    v->stopped |= atomic_load_explicit(v->is_broken, memory_order_relaxed);
    if (v->stopped)
        return 1;
    v->has_held = false;
    v->end = record->offset + record->size;
    collect_record(v->collect, record);
    v->region->n_taken++;
    return 0;
}

static void visit_region(void *context, size_t thread, size_t number)
{
    struct reading *r = (struct reading *)context;
    struct filled_region *region = &r->regions->items[number];
    struct visit v = {.settings = r->settings,
                      .collect = &r->shards[r->has_pieces ? number : thread].collect,
                      .region = region,
                      .has_summary = r->has_summary,
                      .is_broken = &r->is_broken};
    const char *name = r->settings->files[region->file].name;
    struct text why = {NULL, 0, 0};
    struct input *input = region->limit == PUMP_ALL && region->offset == 0
                              ? input_open(name, &why)
                              : input_open_at(name, region->offset, &why);
    struct fxt_reader *reader;
    struct pump_client client = {collect_release, v.collect};
    struct pump_result result;

    if (input == NULL) {
        text_free(&why);
        return;
    }
    input_watch(input, r->settings->client->on_read, r->settings->client->context);
    reader =
        regions_reader(r->settings, FXT_STREAM_REGION, visit_record, visit_error, &v);
    collect_start(v.collect, region->cpu, false);
    result = pump(input, reader, region->limit, &client);
    collect_end(v.collect);
    region->done = !v.stopped && !v.has_held && input_error(input) == NULL &&
                   (region->limit == PUMP_ALL || result.n_bytes == region->limit) &&
                   (!region->ends_in_record || v.end == region->limit);
    if (region->ends_in_record && !region->done)
        atomic_store(&r->is_broken, true);
    fxt_reader_destroy(reader);
    input_close(input);
}

/* ---- The plan ---------------------------------------------------------------------- */

struct plan {
    const struct import_settings *settings;
    struct filled_regions regions;
    size_t file;
    size_t n_archives;
    /* As in load.c: how many regions there were, and the CPU that the user says the next
     * one is of. */
    uint32_t n_regions;
    uint32_t region_cpu;
};

static void add_region(struct plan *l, uint64_t offset, uint64_t limit)
{
    struct filled_regions *regions = &l->regions;
    uint32_t place = l->n_regions++;
    uint32_t cpu = l->region_cpu != PROFILE_NO_CPU ? l->region_cpu++ : place;

    MEMORY_ADD(regions->items, regions->n, regions->capacity,
               (struct filled_region){
                   .file = l->file, .offset = offset, .limit = limit, .cpu = cpu});
}

/* Returns false if there is no telling how many regions are in the file. */
static bool plan_input(struct plan *l, struct input *input)
{
    uint64_t size = input_stated_size(input);
    uint64_t region_size = l->settings->region_size;

    if (import_recognise(l->settings, input) != FXT_PROFILE_CONTENT_FXT ||
        import_refuse(l->settings, input) != NULL)
        return false;
    if (regions_is_archive(l->settings, input)) {
        l->n_archives++;
        return true;
    }
    if (region_size == 0) {
        add_region(l, 0, PUMP_ALL);
        return true;
    }
    for (uint64_t offset = 0; offset < size; offset += region_size) {
        add_region(l, offset, region_size);
        if (region_size > size - offset)
            break;
    }
    return size > 0;
}

static bool is_regular(const char *name)
{
    struct stat status;

    return strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

/* Lists the regions that can be found without reading the inputs. */
static struct filled_regions plan_regions(const struct import_settings *settings,
                                          const struct collect *collect,
                                          uint32_t n_regions)
{
    struct plan l = {.settings = settings, .n_regions = n_regions};

    for (bool known = true; known && l.file < settings->n_files; l.file++) {
        const char *name = settings->files[l.file].name;
        struct text why = {NULL, 0, 0};
        struct input *input = is_regular(name) ? input_open(name, &why) : NULL;

        text_free(&why);
        if (input == NULL)
            break;
        l.region_cpu = settings->files[l.file].region_cpu;
        known = plan_input(&l, input);
        input_close(input);
    }
    /* Which of several boots a region is of depends on the archive before it. */
    if (l.n_archives + collect->builder->profile.koid_names.boots.ids.n > 1)
        l.regions.n = 0;
    return l.regions;
}

/* ---- All --------------------------------------------------------------------------- */

/* Spans and waits, which depend on several streams, and samples with times are in the
 * order of the input; and the log of times is not of several threads. */
static size_t count_threads(const struct import_settings *settings,
                            const struct collect *collect)
{
    if (collect->spans != NULL || collect->waits != NULL ||
        collect->builder->profile.has_times || collect->builder->moments.is_kept)
        return 1;
    return settings->n_threads > 0 ? settings->n_threads : parallel_cpus();
}

/* Makes one region of its pieces again. Of these, what follows one whose reading has not
 * ended where the next begins is dropped. */
static void join_pieces(struct reading *r, struct collect *collect)
{
    struct filled_region *whole = &r->regions->items[0];

    end_shard(&r->shards[0], collect);
    for (size_t i = 1; i < r->regions->n; i++) {
        const struct filled_region *piece = &r->regions->items[i];

        if (!whole->done) {
            drop_shard(&r->shards[i]);
            continue;
        }
        end_shard(&r->shards[i], collect);
        whole->n_taken += piece->n_taken;
        whole->done = piece->done;
    }
    r->regions->n = 1;
}

struct filled_regions regions_read(const struct import_settings *settings,
                                   struct collect *collect, uint32_t n_regions)
{
    size_t n_threads = count_threads(settings, collect);
    struct filled_regions regions = {NULL, 0, 0};
    struct reading reading = {.settings = settings,
                              .regions = &regions,
                              .has_summary = collect->summary != NULL};

    if (n_threads > 1)
        regions = plan_regions(settings, collect, n_regions);
    reading.has_pieces = regions.n == 1;
    if (reading.has_pieces)
        region_pieces_guess(settings, &regions, n_threads);
    if (n_threads > regions.n)
        n_threads = regions.n;
    if (n_threads < 2) {
        memory_release(regions.items);
        return (struct filled_regions){NULL, 0, 0};
    }
    reading.shards = memory_allocate(n_threads * sizeof(*reading.shards));
    for (size_t i = 0; i < n_threads; i++)
        start_shard(&reading.shards[i], collect);
    parallel_run(n_threads, regions.n, visit_region, &reading);
    if (reading.has_pieces)
        join_pieces(&reading, collect);
    for (size_t i = 0; i < n_threads && !reading.has_pieces; i++)
        end_shard(&reading.shards[i], collect);
    memory_release(reading.shards);
    return regions;
}
