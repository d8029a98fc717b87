/* SPDX-License-Identifier: BSD-2-Clause */
/* See collect.h. */
#include "collect.h"

#include <string.h>

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "boots/boot_records.h"
#include "libfxtprofile/profile/values/event_values.h"
#include "settings.h"

/* ---- CPUs -------------------------------------------------------------------------- */

bool collect_wants_cpu(const struct collect *c, uint32_t cpu)
{
    return c->cpus == NULL || (cpu != PROFILE_NO_CPU && cpu_set_has(c->cpus, cpu));
}

/* ---- Samples ----------------------------------------------------------------------- */

/* Counts a sample of a CPU that was not asked for. */
static void count_other_cpu(struct collect *c)
{
    if (c->cpu == PROFILE_NO_CPU)
        c->tally.n_no_cpu++;
    else
        c->tally.n_other_cpu++;
}

/* Whether a time is in the window; stores it in nanoseconds. */
static bool is_in_time(struct collect *c, const struct fxt_record *record, uint64_t ticks,
                       uint64_t *ns)
{
    if (!fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, ns))
        c->tally.n_late++;
    return c->window == NULL || (*ns >= c->window->first_ns && *ns <= c->window->last_ns);
}

/* Whether a sample is asked for; stores its time if that matters. Counts it if not. */
static FXT_ALWAYS_INLINE bool is_asked_for(struct collect *c,
                                           const struct fxt_record *record,
                                           const struct fxt_sample *sample, uint64_t *ns)
{
    if (c->spans != NULL) {
        c->tally.n_not_spans++;
        return false;
    }
    if (c->waits != NULL && !c->with_samples) {
        c->tally.n_not_waits++;
        return false;
    }
    if (c->only_heap) {
        c->tally.n_not_heap++;
        return false;
    }
    if (!collect_wants_cpu(c, c->cpu)) {
        count_other_cpu(c);
        return false;
    }
    if ((c->window != NULL || c->builder->profile.has_times || c->logs_times) &&
        !is_in_time(c, record, sample->timestamp, ns)) {
        c->tally.n_other_time++;
        return false;
    }
    return true;
}

static uint32_t known_end(uint32_t end)
{
    return end <= FXT_STACK_END_NOT_SAMPLED ? end : PROFILE_END_OTHER;
}

/* Beside waits, no PC may look like a name. */
static struct fxt_words remove_names(struct sampler_pcs *room, struct fxt_words pcs)
{
    room->pcs =
        memory_make_room(room->pcs, 0, pcs.count, &room->capacity, sizeof(*room->pcs));
    for (uint64_t i = 0; i < pcs.count; i++) {
        uint64_t pc = fxt_words_get(pcs, i);

        room->pcs[i] = profile_builder_is_name(pc) ? 0 : pc;
    }
    return (struct fxt_words){room->pcs, pcs.count, false};
}

/* Several clocks measure the same time: that of one counts. */
static uint32_t event_of_wall_clock(const struct collect *c, uint32_t event)
{
    if (event == 0)
        return EVENT_OF_PERIOD;
    return event == c->sampled.clock ? event : EVENT_OF_NO_TIME;
}

static void take_stack(struct collect *c, const struct fxt_record *record,
                       const struct fxt_sample *sample)
{
    const struct fxt_words *pcs = &sample->pcs;
    uint64_t process = sample->thread.process;
    struct profile_labels labels = {.thread = sample->thread.thread,
                                    .cpu = collect_label_cpu(c, c->cpu)};
    struct fxt_words restored;
    uint64_t ns = 0;

    if (!is_asked_for(c, record, sample, &ns))
        return;
    /* Not with the thread, in one load of what was stored by two. */
    FXT_FORGET_ORIGIN(process);
    labels.process = process;
    if (c->builder->profile.has_times)
        labels.time_ns = ns;
    if (FXT_UNLIKELY(c->sampled.has_present || sample->event > 0))
        c->tally.n_undeclared += !sampled_events_label(&c->sampled, sample, &labels);
    if (c->with_samples)
        labels.event = event_of_wall_clock(c, labels.event);
    if (c->is_zircon_arm64 && record->type == FXT_RECORD_LARGE) {
        restored = sampler_pcs_restore(&c->pcs, *pcs, &c->tally.n_twice);
        pcs = &restored;
    }
    if (c->with_samples) {
        restored = remove_names(&c->pcs, *pcs);
        pcs = &restored;
    }
    if (pcs == &restored)
        profile_builder_add(c->builder, &labels, pcs, c->values);
    else
        profile_builder_lend(c->builder, &labels, pcs, c->values);
    if (FXT_UNLIKELY(sample->end != FXT_STACK_END_UNKNOWN))
        profile_builder_set_end(c->builder, known_end(sample->end));
    if (c->logs_times)
        profile_builder_log_time(c->builder, ns);
    sample_times_add(&c->times, record->provider, sample->timestamp);
    c->tally.n_samples++;
    c->tally.n_maybe_cut += sample->maybe_cut;
    c->tally.n_depth_limit += sample->end == FXT_STACK_END_DEPTH;
}

/* A raw stack: it becomes a sample in collect_finish. */
static void take_blob(struct collect *c, const struct fxt_record *record,
                      const struct fxt_sample *sample)
{
    const struct fxt_bytes *payload = &record->large_blob.payload;
    struct stored_blob blob = {
        .process = sample->thread.process,
        .thread = sample->thread.thread,
        .cpu = collect_label_cpu(c, c->cpu),
        .n_given = c->builder->profile.koid_names.n_given,
        .is_logged = c->logs_times,
    };

    if (!is_asked_for(c, record, sample, &blob.time_ns))
        return;
    /* They get their PCs too late to be told from waits. */
    if (c->with_samples) {
        c->tally.n_not_waits++;
        return;
    }
    if (record->swapped || FXT_HOST_IS_BIG_ENDIAN)
        c->tally.blobs.n_byte_order++;
    else if (!blob_store_add(c->blobs, &blob, payload->data, payload->size))
        c->tally.blobs.n_no_room++;
    sample_times_add(&c->times, record->provider, sample->timestamp);
}

static void take_drops(struct collect *c, const struct fxt_record *record,
                       const struct fxt_sample *sample)
{
    if (!collect_wants_cpu(c, c->cpu != PROFILE_NO_CPU ? c->cpu : sample->cpu))
        return;
    tally_add_drops(&c->tally, sample);
    if (c->summary != NULL)
        sched_times_take(&c->summary->scheduling, record);
    if (c->events != NULL)
        events_take_drops(c->events, record, sample);
}

/* ---- Spans ------------------------------------------------------------------------- */

static void take_event(struct collect *c, const struct fxt_record *record)
{
    bool is_complete = record->kind == FXT_EVENT_DURATION_COMPLETE;

    if (record->unknown || (record->kind != FXT_EVENT_DURATION_BEGIN &&
                            record->kind != FXT_EVENT_DURATION_END && !is_complete))
        return;
    if (c->spans == NULL) {
        c->tally.n_not_samples +=
            record->kind != FXT_EVENT_DURATION_END && c->waits == NULL;
        return;
    }
    if (c->events != NULL)
        return;
    sample_times_add(&c->times, record->provider, record->event.timestamp);
    if (is_complete && record->event.end_timestamp > record->event.timestamp)
        sample_times_add(&c->times, record->provider, record->event.end_timestamp);
}

/* By instants recorders say what they record. */
static void take_instant(struct collect *c, const struct fxt_record *record)
{
    if (c->heap != NULL)
        heap_take_event(c->heap, record);
    recording_take(&c->recording, record);
    sampled_events_take(&c->sampled, record);
    c->boot = boot_records_take(&c->builder->profile.koid_names.boots, c->boot, record);
}

/* ---- Waits ------------------------------------------------------------------------- */

static void take_waits(struct collect *c, const struct fxt_record *record)
{
    waits_take_processes(&c->builder->profile.koid_names, record);
    if (waits_take(c->waits, record) && record->type == FXT_RECORD_SCHEDULING)
        sample_times_add(&c->times, record->provider, record->scheduling.timestamp);
}

/* ---- Modules ----------------------------------------------------------------------- */

static void take_mapping(struct collect *c, const struct fxt_record *record)
{
    uint64_t ns;

    fxt_ticks_to_ns(record->profiler.timestamp, record->provider->ticks_per_second, &ns);
    if (!modules_map(c->modules, &record->profiler, ns))
        c->tally.n_lost_mappings++;
}

static void take_profiler(struct collect *c, const struct fxt_record *record)
{
    if (record->unknown)
        return;
    if (record->kind == FXT_PROFILER_MODULE)
        modules_announce(c->modules, &record->profiler);
    else if (record->kind == FXT_PROFILER_MAPPING)
        take_mapping(c, record);
}

/* ---- Names ------------------------------------------------------------------------- */

static void take_kernel_object(struct collect *c, const struct fxt_record *record)
{
    struct koid_names *names = &c->builder->profile.koid_names;
    struct koid_names_moment moment = {NAME_SINCE_START, 0};

    if (sample_times_last(&c->times, &moment.time_ns))
        moment.since = NAME_SINCE_AFTER;
    if (koid_names_take(names, record, moment) && c->logs_times)
        profile_builder_log_mark(c->builder, names->n_given);
}

/* ---- Records ----------------------------------------------------------------------- */

static void take_other(struct collect *c, const struct fxt_record *record)
{
    /* A stack without a whole PC. */
    if (fxt_sample_is_stack(record, 0)) {
        if (c->spans != NULL)
            c->tally.n_not_spans++;
        else if (c->waits != NULL && !c->with_samples)
            c->tally.n_not_waits++;
        else if (collect_wants_cpu(c, c->cpu))
            c->tally.n_without_pcs++;
        else
            count_other_cpu(c);
        return;
    }
    if (c->events != NULL)
        events_take(c->events, record);
    if (c->summary != NULL)
        summary_take(c->summary, c->summary_stream, record);
    switch (record->type) {
    case FXT_RECORD_METADATA:
        if (c->region_cpu == PROFILE_NO_CPU)
            c->cpu =
                cpu_of_name(record->provider->name.data, record->provider->name.size);
        break;
    case FXT_RECORD_INITIALIZATION:
        sample_times_state_clock(&c->times, record->provider);
        break;
    case FXT_RECORD_EVENT:
        take_event(c, record);
        if (record->kind == FXT_EVENT_INSTANT)
            take_instant(c, record);
        if (c->spans != NULL)
            spans_take(c->spans, record);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        take_kernel_object(c, record);
        break;
    case FXT_RECORD_PROFILER:
        take_profiler(c, record);
        break;
    case FXT_RECORD_SCHEDULING:
        c->tally.n_scheduling += c->waits == NULL;
        break;
    case FXT_RECORD_LARGE:
        if (c->heap != NULL && heap_is_piece(record)) {
            heap_take(c->heap, record);
            sample_times_add(&c->times, record->provider, record->large_blob.timestamp);
        }
        if (symbol_records_is_one(record))
            symbol_records_take(c->modules, record, &c->tally.symbols);
        break;
    default:
        break;
    }
}

enum fxt_sample_kind collect_record(struct collect *c, const struct fxt_record *record)
{
    struct boot_record copy;
    struct fxt_sample sample;

    if (FXT_UNLIKELY(c->boot > 0)) {
        boot_records_copy(&copy, &c->builder->profile.koid_names.boots, c->boot, record);
        record = &copy.record;
    }
    if (FXT_UNLIKELY(c->waits != NULL))
        take_waits(c, record);
    switch (fxt_sample_from_record(record, &sample)) {
    case FXT_SAMPLE_STACK:
        take_stack(c, record, &sample);
        break;
    case FXT_SAMPLE_DROPS:
        take_drops(c, record, &sample);
        break;
    case FXT_SAMPLE_NOT_UNWOUND:
        take_blob(c, record, &sample);
        break;
    case FXT_SAMPLE_NONE:
        take_other(c, record);
        break;
    }
    return sample.kind;
}

void collect_start(struct collect *c, uint32_t region_cpu, bool is_archive)
{
    if (is_archive)
        c->boot = 0;
    c->logs_times = is_archive || c->builder->moments.is_kept;
    c->region_cpu = region_cpu;
    c->cpu = region_cpu;
    sample_times_start_stream(&c->times);
    sampled_events_start_stream(&c->sampled);
    modules_start_stream(c->modules);
    if (c->heap != NULL)
        heap_start_stream(c->heap);
    if (c->spans != NULL)
        spans_start_stream(c->spans);
    if (c->waits != NULL)
        sched_traces_start_stream(&c->waits->traces, is_archive);
    if (c->events != NULL)
        events_start_stream(c->events, is_archive);
    if (c->summary != NULL)
        c->summary_stream = summary_start_stream(c->summary);
}

void collect_release(void *context)
{
    struct collect *c = (struct collect *)context;

    profile_builder_look_up(c->builder);
}

void collect_end(struct collect *c)
{
    recording_end_stream(&c->recording);
    sample_times_stop_clock(&c->times);
    koid_names_end_stream(&c->builder->profile.koid_names,
                          sample_times_of_stream(&c->times));
}
