/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking records out of a session's regions, whether it runs or not. */
#include <fxt/reader.h>
#include <fxt/sample.h>

#include "kept.h"
#include "session.h"

/* Takes a part, and returns 0 if it is to be removed. */
typedef enum fxt_sampler_code part_fn(void *context, uint32_t cpu,
                                      const struct region_part *part);

static enum fxt_sampler_code drain_region(uint32_t cpu, part_fn *take, void *context)
{
    struct region *region = &regions.all[cpu];
    struct region_part part = {.is_cut = true};

    while (part.is_cut && region_part_find(region, REGION_NOT_REMOVED, &part)) {
        bool is_empty = part.n_words == 0 && part.dropped == 0 && part.lost == 0;
        enum fxt_sampler_code code =
            is_empty ? FXT_SAMPLER_OK : take(context, cpu, &part);

        if (code != FXT_SAMPLER_OK)
            return code;
        region_part_remove(region, &part);
    }
    return FXT_SAMPLER_OK;
}

static enum fxt_sampler_code drain_regions(const struct fxt_sampler *sampler,
                                           part_fn *take, void *context)
{
    enum fxt_sampler_code code = FXT_SAMPLER_OK;

    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    for (uint32_t cpu = 0; code == FXT_SAMPLER_OK && cpu < regions.n; cpu++)
        code = drain_region(cpu, take, context);
    return session_leave(code);
}

/* ---- Records ----------------------------------------------------------------------- */

struct records_call {
    fxt_sampler_records_fn *take;
    void *context;
};

static enum fxt_sampler_code take_records(void *context, uint32_t cpu,
                                          const struct region_part *part)
{
    const struct records_call *call = context;

    if (part->n_words > 0 && call->take(call->context, cpu, part->words,
                                        (size_t)part->n_words * FXT_WORD_BYTES) != 0)
        return FXT_SAMPLER_E_SINK;
    return FXT_SAMPLER_OK;
}

enum fxt_sampler_code fxt_sampler_drain(struct fxt_sampler *sampler,
                                        fxt_sampler_records_fn *take, void *context)
{
    struct records_call call = {take, context};

    if (take == NULL)
        return FXT_SAMPLER_E_CONFIG;
    return drain_regions(sampler, take_records, &call);
}

static enum fxt_sampler_code take_nothing(void *context, uint32_t cpu,
                                          const struct region_part *part)
{
    (void)context;
    (void)cpu;
    (void)part;
    return FXT_SAMPLER_OK;
}

enum fxt_sampler_code fxt_sampler_clear(struct fxt_sampler *sampler)
{
    enum fxt_sampler_code code = drain_regions(sampler, take_nothing, NULL);

    if (code != FXT_SAMPLER_OK || !session_enter(sampler))
        return code;
    kept_free(&sampler->kept);
    return session_leave(FXT_SAMPLER_OK);
}

/* ---- Samples ----------------------------------------------------------------------- */

struct samples_call {
    fxt_sampler_sample_fn *take;
    void *context;
    struct fxt_reader *reader;
    uint32_t cpu;
    bool has_stopped;
};

static int take_sample(void *context, const struct fxt_record *record)
{
    struct samples_call *call = context;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK && !call->has_stopped)
        call->has_stopped = call->take(call->context, call->cpu, &sample) != 0;
    return 0;
}

static enum fxt_sampler_code take_samples(void *context, uint32_t cpu,
                                          const struct region_part *part)
{
    struct samples_call *call = context;
    struct fxt_chunk chunk = {(const char *)part->words,
                              (size_t)part->n_words * FXT_WORD_BYTES, 0};

    call->cpu = cpu;
    fxt_reader_reset(call->reader);
    fxt_reader_read(call->reader, &chunk);
    return call->has_stopped ? FXT_SAMPLER_E_SINK : FXT_SAMPLER_OK;
}

enum fxt_sampler_code fxt_sampler_drain_samples(struct fxt_sampler *sampler,
                                                fxt_sampler_sample_fn *take,
                                                void *context)
{
    struct samples_call call = {.take = take, .context = context};
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_sample,
                                         .context = &call,
                                         .stream = FXT_STREAM_REGION};
    enum fxt_sampler_code code;

    if (take == NULL)
        return FXT_SAMPLER_E_CONFIG;
    if (fxt_reader_create(&options, &call.reader) != FXT_OK)
        return FXT_SAMPLER_E_RESOURCES;
    code = drain_regions(sampler, take_samples, &call);
    fxt_reader_destroy(call.reader);
    return code;
}

/* ---- Keeping ----------------------------------------------------------------------- */

static enum fxt_sampler_code keep_part(void *context, uint32_t cpu,
                                       const struct region_part *part)
{
    struct kept *kept = context;

    return kept_add(kept, cpu, part) ? FXT_SAMPLER_OK : FXT_SAMPLER_E_RESOURCES;
}

static uint64_t count_shown(void)
{
    uint64_t n = 0;

    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        n += regions.all[cpu].is_shown;
    return n;
}

enum fxt_sampler_code session_keep(struct fxt_sampler *sampler)
{
    enum fxt_sampler_code code = FXT_SAMPLER_OK;

    for (uint32_t cpu = 0; code == FXT_SAMPLER_OK && cpu < regions.n; cpu++)
        code = drain_region(cpu, keep_part, &sampler->kept);
    kept_trim(&sampler->kept, regions.size * count_shown());
    return code;
}

static void forget_others(void *context, struct recording *recording)
{
    const struct fxt_sampler *sampler = context;

    recording_forget(recording, sampler->kept.keep_ns);
}

enum fxt_sampler_code fxt_sampler_keep(struct fxt_sampler *sampler, uint64_t last_ns)
{
    enum fxt_sampler_code code;

    if (last_ns == 0)
        return FXT_SAMPLER_E_CONFIG;
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    sampler->kept.keep_ns = last_ns;
    code = session_keep(sampler);
    if (sampler->tracker != NULL &&
        !tracker_run(sampler->tracker, forget_others, sampler))
        code = FXT_SAMPLER_E_RESOURCES;
    return session_leave(code);
}
