/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/profile_walk.h. */
#include "builder.h"
#include "libfxt/options.h"
#include "walk.h"

/* ---- Values and samples ------------------------------------------------------------ */

size_t fxt_profile_n_value_types(const struct fxt_profile *profile)
{
    return model_of(profile)->n_types;
}

enum fxt_code fxt_profile_get_value_type(const struct fxt_profile *profile, size_t i,
                                         struct fxt_profile_value_type *type)
{
    const struct profile *p = model_of(profile);

    *type = (struct fxt_profile_value_type){NULL, NULL};
    if (i >= p->n_types)
        return FXT_E_INVALID;
    *type = (struct fxt_profile_value_type){p->types[i].type, p->types[i].unit};
    return FXT_OK;
}

size_t fxt_profile_n_samples(const struct fxt_profile *profile)
{
    return model_of(profile)->n_samples;
}

enum fxt_code fxt_profile_get_sample(const struct fxt_profile *profile, size_t i,
                                     struct fxt_profile_sample *sample)
{
    const struct profile *p = model_of(profile);
    const struct profile_labels *labels;
    const struct boots *boots = &p->koid_names.boots;

    *sample = (struct fxt_profile_sample){.values = NULL};
    if (i >= p->n_samples)
        return FXT_E_INVALID;
    labels = &p->labels[p->samples[i].labels];
    *sample = (struct fxt_profile_sample){
        .values = &p->values[i * p->n_types],
        .stack = p->samples[i].stack,
        .cpu = labels->cpu,
        .process = boots_koid(boots, labels->process).koid,
        .thread = boots_koid(boots, labels->thread).koid,
        .process_name = name_of(p, profile_process(labels)),
        .thread_name = name_of(p, profile_thread(labels)),
        .time_ns = labels->time_ns,
        .event_type = p->has_events ? labels->event : 0,
        .boot = boots_of(boots, labels->process, labels->thread)};
    if (labels->tag > 0) {
        sample->block_address = p->tags[labels->tag].address;
        sample->block_size = p->tags[labels->tag].bytes;
    }
    return FXT_OK;
}

/* ---- Stacks ------------------------------------------------------------------------ */

size_t fxt_profile_n_stacks(const struct fxt_profile *profile)
{
    return model_of(profile)->n_stacks;
}

enum fxt_code fxt_profile_get_stack(const struct fxt_profile *profile, size_t i,
                                    struct fxt_profile_stack *stack)
{
    const struct profile *p = model_of(profile);

    *stack = (struct fxt_profile_stack){NULL, 0};
    if (i >= p->n_stacks)
        return FXT_E_INVALID;
    *stack = (struct fxt_profile_stack){p->stacks[i].frames, p->stacks[i].n};
    return FXT_OK;
}

/* Why there is no unwind table is of no matter here. */
static uint32_t public_end(uint32_t end)
{
    return end != PROFILE_END_NO_FILE ? end : FXT_STACK_END_NO_TABLE;
}

uint32_t fxt_profile_stack_end(const struct fxt_profile *profile, size_t i)
{
    const struct profile *p = model_of(profile);

    return i < p->n_stacks ? public_end(p->stacks[i].end) : FXT_STACK_END_UNKNOWN;
}

size_t fxt_profile_n_cuts(const struct fxt_profile *profile)
{
    return model_of(profile)->n_cuts;
}

enum fxt_code fxt_profile_get_cut(const struct fxt_profile *profile, size_t i,
                                  struct fxt_profile_cut *cut)
{
    const struct profile *p = model_of(profile);

    *cut = (struct fxt_profile_cut){.end = FXT_STACK_END_UNKNOWN};
    if (i >= p->n_cuts)
        return FXT_E_INVALID;
    cut->end = public_end(p->cuts[i].end);
    cut->n_samples = p->cuts[i].n;
    if (p->cuts[i].file != PROFILE_NO_FILE)
        cut->file = entry_of(&p->files, p->cuts[i].file);
    return FXT_OK;
}

size_t fxt_profile_n_locations(const struct fxt_profile *profile)
{
    return model_of(profile)->n_locations;
}

enum fxt_code fxt_profile_get_location(const struct fxt_profile *profile, size_t i,
                                       struct fxt_profile_location *location)
{
    const struct profile *p = model_of(profile);
    const struct profile_location *from;

    *location = (struct fxt_profile_location){.address = 0};
    if (i >= p->n_locations)
        return FXT_E_INVALID;
    from = &p->locations[i];
    *location = (struct fxt_profile_location){
        .address = profile_is_of_names(p) ? 0 : from->address,
        .mapping = from->mapping,
        .first_line = from->first_line,
        .n_lines = from->n_lines,
        .is_symbolized = from->symbolized,
        .has_function = from->has_function};
    return FXT_OK;
}

size_t fxt_profile_n_lines(const struct fxt_profile *profile)
{
    return model_of(profile)->n_lines;
}

enum fxt_code fxt_profile_get_line(const struct fxt_profile *profile, size_t i,
                                   struct fxt_profile_line *line)
{
    const struct profile *p = model_of(profile);

    *line = (struct fxt_profile_line){0, 0};
    if (i >= p->n_lines)
        return FXT_E_INVALID;
    *line = (struct fxt_profile_line){p->lines[i].function, p->lines[i].line};
    return FXT_OK;
}

size_t fxt_profile_n_functions(const struct fxt_profile *profile)
{
    return model_of(profile)->n_functions;
}

enum fxt_code fxt_profile_get_function(const struct fxt_profile *profile, size_t i,
                                       struct fxt_profile_function *function)
{
    const struct profile *p = model_of(profile);
    const struct profile_function *from;

    *function = (struct fxt_profile_function){.start_line = 0};
    if (i >= p->n_functions)
        return FXT_E_INVALID;
    from = &p->functions[i];
    *function = (struct fxt_profile_function){
        entry_of(&p->names, from->name), entry_of(&p->names, from->system_name),
        entry_of(&p->files, from->file), from->start_line};
    return FXT_OK;
}

size_t fxt_profile_n_mappings(const struct fxt_profile *profile)
{
    return model_of(profile)->n_mappings;
}

enum fxt_code fxt_profile_get_mapping(const struct fxt_profile *profile, size_t i,
                                      struct fxt_profile_mapping *mapping)
{
    const struct profile *p = model_of(profile);
    const struct profile_mapping *from;

    *mapping = (struct fxt_profile_mapping){.start = 0};
    if (i >= p->n_mappings)
        return FXT_E_INVALID;
    from = &p->mappings[i];
    *mapping = (struct fxt_profile_mapping){from->start, from->limit, from->file_offset,
                                            entry_of(&p->files, from->file),
                                            entry_of(&p->build_ids, from->build_id)};
    return FXT_OK;
}

/* ---- Heaps ------------------------------------------------------------------------- */

size_t fxt_profile_n_heap_points(const struct fxt_profile *profile)
{
    return model_of(profile)->n_heap_points;
}

enum fxt_code fxt_profile_get_heap_point(const struct fxt_profile *profile, size_t i,
                                         struct fxt_profile_heap_point *point)
{
    const struct profile *p = model_of(profile);
    const struct heap_point *from;

    *point = (struct fxt_profile_heap_point){.number = 0};
    if (i >= p->n_heap_points)
        return FXT_E_INVALID;
    from = &p->heap_points[i];
    *point =
        (struct fxt_profile_heap_point){.number = from->number,
                                        .time_ns = from->time_ns,
                                        .since_start_ns = from->since_start_ns,
                                        .n_processes = from->n_processes,
                                        .live_blocks = from->amounts.objects,
                                        .live_bytes = from->amounts.bytes,
                                        .allocated_blocks = from->amounts.alloc_objects,
                                        .allocated_bytes = from->amounts.alloc_bytes,
                                        .is_first = from->is_first,
                                        .is_shown = from->is_shown};
    return FXT_OK;
}

/* ---- The rest ---------------------------------------------------------------------- */

enum fxt_profile_kind fxt_profile_kind(const struct fxt_profile *profile)
{
    const struct profile *p = model_of(profile);

    if (p->is_of_captures)
        return FXT_PROFILE_KIND_CAPTURES;
    if (p->is_of_heap)
        return FXT_PROFILE_KIND_HEAPS;
    if (p->is_of_waits)
        return p->is_of_wall_clock ? FXT_PROFILE_KIND_WALL_CLOCK : FXT_PROFILE_KIND_WAITS;
    return p->is_of_spans ? FXT_PROFILE_KIND_SPANS : FXT_PROFILE_KIND_SAMPLES;
}

static struct fxt_string string_of_text(const struct text *text)
{
    return string_of((struct string){text->data, text->size});
}

size_t fxt_profile_n_recordings(const struct fxt_profile *profile)
{
    return profile->pipeline.collect.recording.n_statements;
}

enum fxt_code fxt_profile_get_recording(const struct fxt_profile *profile, size_t i,
                                        struct fxt_profile_recording *recording)
{
    const struct recording *all = &profile->pipeline.collect.recording;
    const struct recording_statement *from;

    *recording = (struct fxt_profile_recording){.start_ns = 0};
    if (i >= all->n_statements)
        return FXT_E_INVALID;
    from = &all->statements[i];
    *recording = (struct fxt_profile_recording){.command_line =
                                                    string_of_text(&from->command_line),
                                                .method = string_of_text(&from->method),
                                                .version = string_of_text(&from->version),
                                                .start_ns = from->start_ns,
                                                .period_ns = from->period_ns,
                                                .n_throttled = from->n_throttled};
    return FXT_OK;
}

size_t fxt_profile_n_comments(const struct fxt_profile *profile)
{
    return model_of(profile)->n_comments;
}

const char *fxt_profile_comment(const struct fxt_profile *profile, size_t i)
{
    const struct profile *p = model_of(profile);

    return i < p->n_comments ? p->comments[i].sentence : NULL;
}

size_t fxt_profile_n_losses(const struct fxt_profile *profile)
{
    return model_of(profile)->n_comments - profile->pipeline.first_loss;
}

const char *fxt_profile_loss(const struct fxt_profile *profile, size_t i)
{
    if (i >= fxt_profile_n_losses(profile))
        return NULL;
    return fxt_profile_comment(profile, profile->pipeline.first_loss + i);
}

enum fxt_profile_loss_kind fxt_profile_loss_kind(const struct fxt_profile *profile,
                                                 size_t i)
{
    static const enum fxt_profile_loss_kind kinds[] = {
        [PROFILE_LOSS_OTHER] = FXT_PROFILE_LOSS_OTHER,
        [PROFILE_LOSS_SAMPLER] = FXT_PROFILE_LOSS_SAMPLER,
        [PROFILE_LOSS_KERNEL] = FXT_PROFILE_LOSS_KERNEL,
        [PROFILE_LOSS_STACKS] = FXT_PROFILE_LOSS_STACKS,
        [PROFILE_LOSS_DAMAGE] = FXT_PROFILE_LOSS_DAMAGE,
        [PROFILE_LOSS_FILTERED] = FXT_PROFILE_LOSS_FILTERED,
    };

    if (i >= fxt_profile_n_losses(profile))
        return FXT_PROFILE_LOSS_OTHER;
    return kinds[model_of(profile)->comments[profile->pipeline.first_loss + i].kind];
}

size_t fxt_profile_n_symbol_files(const struct fxt_profile *profile)
{
    return profile->n_symbol_files;
}

const char *fxt_profile_symbol_file(const struct fxt_profile *profile, size_t i)
{
    return i < profile->n_symbol_files ? profile->symbol_files[i] : NULL;
}

size_t fxt_profile_n_cpus(const struct fxt_profile *profile)
{
    return profile->pipeline.collect.tally.n_cpus;
}

enum fxt_code fxt_profile_get_drops(const struct fxt_profile *profile, size_t cpu,
                                    struct fxt_profile_drops *drops)
{
    const struct tally *t = &profile->pipeline.collect.tally;

    *drops = (struct fxt_profile_drops){0, 0};
    if (cpu >= t->n_cpus)
        return FXT_E_INVALID;
    *drops = (struct fxt_profile_drops){t->drops_by_cpu[cpu].records,
                                        t->drops_by_cpu[cpu].bytes};
    return FXT_OK;
}

enum fxt_code fxt_profile_get_statistics(const struct fxt_profile *profile,
                                         struct fxt_profile_statistics *statistics)
{
    const struct profile *p = model_of(profile);
    const struct load_state *loaded = &profile->pipeline.loaded;
    const struct tally *t = &profile->pipeline.collect.tally;
    const struct filter_tally *f = &t->filtered;
    struct fxt_profile_statistics all = {
        .size = sizeof(all),
        .period_ns = p->period,
        .start_ns = p->start_ns,
        .duration_ns = p->duration_ns,
        .n_samples = t->n_samples,
        .n_maybe_cut = t->n_maybe_cut,
        .n_frames = p->n_frames,
        .n_named_frames = p->n_named_frames,
        .n_other_process = f->other_process.n,
        .n_other_thread = f->other_thread.n,
        .n_other_cpu = t->n_other_cpu,
        .n_unknown_cpu = t->n_no_cpu,
        .n_other_time = t->n_other_time + t->heap.n_other_time,
        .n_idle = f->idle.n,
        .n_frames_above = f->n_above,
        .n_frames_below = f->n_below,
        .n_frames_recursive = f->n_recursive,
        .n_other_kind = t->n_not_spans + t->n_not_waits + t->n_not_heap + t->n_only_heap,
        .n_not_unwound = blob_tally_lost(&t->blobs),
        .n_without_pcs = t->n_without_pcs,
        .n_ignored_spans = p->is_timeline ? 0 : t->n_not_samples,
        .n_dropped_records = t->drops.records,
        .n_dropped_bytes = t->drops.bytes,
        .n_unusable_inputs = loaded->n_unusable,
        .n_errors = loaded->n_errors,
        .n_unread_bytes = t->n_tail_bytes + t->n_lost_bytes,
        .is_cut_off = loaded->failed,
        .periods_differ = profile->pipeline.collect.recording.periods_differ,
        .n_stack_ends = p->n_ends,
        .n_whole_stacks = p->n_whole,
        .n_ignored_scheduling = p->is_timeline ? 0 : t->n_scheduling,
        .n_short_waits = t->waits.n_short,
    };

    return results_copy(statistics, &all, sizeof(all)) ? FXT_OK : FXT_E_INVALID;
}
