/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/profile_write.h. */
#include <errno.h>
#include <string.h>

#include "builder.h"
#include "libfxt/options.h"

/* ---- What is asked for ------------------------------------------------------------- */

static bool take_roots(struct output_settings *to, const struct fxt_profile_output *from)
{
    unsigned seen = 0;

    to->has_roots = from->roots != NULL;
    for (size_t i = 0; i < from->n_roots; i++) {
        unsigned root = from->roots != NULL ? (unsigned)from->roots[i] : OUTPUT_ROOTS;

        if (root >= OUTPUT_ROOTS || (seen >> root & 1) != 0)
            return false;
        seen |= 1U << root;
        to->roots[to->n_roots++] = (enum fxt_profile_root)root;
    }
    return true;
}

/* Whether a length is 0 or within its limits. */
static bool is_length_valid(uint32_t length, uint32_t min, uint32_t max)
{
    return length == 0 || (length >= min && length <= max);
}

static bool are_lengths_valid(const struct fxt_profile_output *o)
{
    return is_length_valid(o->width, FXT_PROFILE_MIN_GRAPH_WIDTH,
                           FXT_PROFILE_MAX_GRAPH_WIDTH) &&
           is_length_valid(o->frame_height, FXT_PROFILE_MIN_FRAME_HEIGHT,
                           FXT_PROFILE_MAX_FRAME_HEIGHT) &&
           o->min_width <= FXT_PROFILE_MAX_MIN_WIDTH;
}

static bool take_settings(struct output_settings *to,
                          const struct fxt_profile_output *from)
{
    enum { HEIGHT = 16, MIN_WIDTH = 10 };

    to->wanted = *from;
    if (from->frame_height == 0)
        to->wanted.frame_height = HEIGHT;
    if (from->all_frames)
        to->wanted.min_width = 0;
    else if (from->min_width == 0)
        to->wanted.min_width = MIN_WIDTH;
    if (from->before != NULL)
        to->before = &from->before->pipeline.profile;
    return (unsigned)from->value <= FXT_PROFILE_VALUE_BYTES &&
           (unsigned)from->ids <= FXT_PROFILE_IDS_NEVER &&
           (unsigned)from->palette <= FXT_PROFILE_PALETTE_MODULE &&
           are_lengths_valid(from) && take_roots(to, from);
}

static struct string string_of(const struct text *text)
{
    return (struct string){text->size > 0 ? text->data : "", text->size};
}

/* What the recorder states, if all inputs are of one recording. */
static void take_recording(struct output_settings *to, const struct fxt_profile *profile)
{
    const struct recording *recording = &profile->pipeline.collect.recording;
    const struct recording_statement *statement = &recording->statements[0];
    static const struct text none = {NULL, 0, 0};
    bool is_one = recording->n_statements == 1;

    to->command = string_of(is_one ? &statement->command_line : &none);
    to->recorder_version = string_of(is_one ? &statement->version : &none);
    to->method = string_of(is_one ? &statement->method : &none);
    to->first_loss = profile->pipeline.first_loss;
    to->n_spans = profile->pipeline.collect.tally.n_not_samples;
    to->n_scheduling = profile->pipeline.collect.tally.n_scheduling;
}

/* Whether the profile has the data that the format requires, and the value. */
static bool has_all(const struct fxt_profile *profile, const struct output_format *format,
                    const struct output_settings *settings)
{
    const struct profile *p = &profile->pipeline.profile;
    const struct output_format *only = output_format_of(profile->options.format);
    bool wants_heap = settings->wanted.value == FXT_PROFILE_VALUE_OBJECTS ||
                      settings->wanted.value == FXT_PROFILE_VALUE_BYTES;

    uint32_t type;

    if (only != NULL && format != only)
        return false;
    if (settings->wanted.value_name != NULL)
        wants_heap = false;
    if (settings->wanted.value_name != NULL &&
        !profile_find_type(p, settings->wanted.value_name, &type))
        return false;
    if (settings->wanted.no_merge && !p->has_times)
        return false;
    if (settings->wanted.value_name == NULL &&
        settings->wanted.value == FXT_PROFILE_VALUE_TIME && !profile_find_time(p, &type))
        return false;
    if (format->capture_refusal != NULL && p->is_of_captures)
        return false;
    if (p->n_samples == 0)
        return true;
    if (format->heap_refusal != NULL && (p->is_of_heap || p->is_folded))
        return false;
    if ((format->uses & FXT_PROFILE_USE_SPANS) == 0 && p->is_of_waits)
        return false;
    return p->is_of_heap || !wants_heap;
}

static bool is_same_kind(const struct profile *a, const struct profile *b)
{
    return a->is_of_spans == b->is_of_spans && a->is_of_captures == b->is_of_captures &&
           a->is_of_waits == b->is_of_waits && a->is_of_wakeups == b->is_of_wakeups &&
           a->is_of_wall_clock == b->is_of_wall_clock && a->is_of_heap == b->is_of_heap;
}

/* Whether the profile can be compared with the settings' one. Without samples, it is of
 * no kind. */
static bool is_comparable(const struct profile *p, const struct output_settings *settings)
{
    const struct profile *before = settings->before;

    if (before == NULL)
        return true;
    if (settings->wanted.no_merge)
        return false;
    return p->n_samples == 0 || before->n_samples == 0 ||
           (is_same_kind(p, before) &&
            strcmp(p->types[output_value_type(p, settings)].type,
                   before->types[output_value_type(before, settings)].type) == 0);
}

/* ---- Writing ----------------------------------------------------------------------- */

struct writing {
    const struct fxt_profile *profile;
    const struct output_format *format;
    struct output_settings settings;
    size_t max_bytes;
    /* One of these. */
    fxt_write_fn *write;
    void *context;
    const char *path;

    enum fxt_code code;
    int reason;
};

/* Chooses the format, and takes the settings that do not depend on the profile. */
static enum fxt_code take_output(struct writing *w,
                                 const struct fxt_profile_output *output)
{
    struct fxt_profile_output copy = {.size = sizeof(copy)};

    if (output != NULL && !options_copy(&copy, sizeof(copy), output))
        return FXT_E_INVALID;
    if (copy.format == FXT_PROFILE_FORMAT_ANY)
        copy.format = w->profile->options.format;
    if (copy.format == FXT_PROFILE_FORMAT_ANY)
        copy.format = FXT_PROFILE_PPROF;
    w->format = output_format_of(copy.format);
    if (w->format == NULL || copy.max_bytes > SIZE_MAX ||
        !take_settings(&w->settings, &copy))
        return FXT_E_INVALID;
    w->settings.has_default_type = w->format->has_default_type;
    w->max_bytes = (size_t)copy.max_bytes;
    return FXT_OK;
}

static enum fxt_code prepare_writing(struct writing *w,
                                     const struct fxt_profile_output *output)
{
    enum fxt_code code = take_output(w, output);

    if (code != FXT_OK)
        return code;
    take_recording(&w->settings, w->profile);
    return has_all(w->profile, w->format, &w->settings) &&
                   is_comparable(&w->profile->pipeline.profile, &w->settings)
               ? FXT_OK
               : FXT_E_INVALID;
}

static void run_writing(void *context)
{
    struct writing *w = (struct writing *)context;
    struct text why = {NULL, 0, 0};
    struct output *output = w->path != NULL ? output_open_file(w->path, &why)
                                            : output_to_function(w->write, w->context);

    w->reason = errno;
    w->code = w->path != NULL ? FXT_E_FILE : FXT_E_SINK;
    if (output == NULL)
        return;
    output_write_profile(&w->profile->pipeline.profile, w->format, &w->settings, output);
    errno = 0;
    if (output_close(output, true, &why))
        w->code = FXT_OK;
    w->reason = errno;
}

static enum fxt_code write_profile(struct writing *w,
                                   const struct fxt_profile_output *output)
{
    enum fxt_code code = prepare_writing(w, output);
    struct memory_pool pool;
    const char *why;

    if (code != FXT_OK)
        return code;
    memory_pool_start(&pool, w->max_bytes);
    why = memory_run(&pool, run_writing, w);
    memory_pool_end(&pool);
    if (why != NULL)
        return FXT_E_NO_MEMORY;
    errno = w->reason;
    return w->code;
}

enum fxt_code fxt_profile_write(const struct fxt_profile *profile,
                                const struct fxt_profile_output *output,
                                fxt_write_fn *write, void *context)
{
    struct writing w = {.profile = profile, .write = write, .context = context};

    return write != NULL ? write_profile(&w, output) : FXT_E_INVALID;
}

enum fxt_code fxt_profile_write_file(const struct fxt_profile *profile,
                                     const struct fxt_profile_output *output,
                                     const char *path)
{
    struct writing w = {.profile = profile, .path = path};

    return path != NULL ? write_profile(&w, output) : FXT_E_INVALID;
}

size_t fxt_profile_output_value(const struct fxt_profile *profile,
                                const struct fxt_profile_output *output)
{
    struct writing w = {.profile = profile};

    return take_output(&w, output) == FXT_OK
               ? output_value_type(&profile->pipeline.profile, &w.settings)
               : 0;
}

/* ---- Names and formats ------------------------------------------------------------- */

enum fxt_profile_format fxt_profile_format_find(const char *name)
{
    for (unsigned i = 1; output_entry((enum fxt_profile_format)i) != NULL; i++) {
        if (strcmp(output_entry((enum fxt_profile_format)i)->name, name) == 0)
            return (enum fxt_profile_format)i;
    }
    return FXT_PROFILE_FORMAT_ANY;
}

bool fxt_profile_format_describe(enum fxt_profile_format format,
                                 struct fxt_profile_format_info *info)
{
    const struct output_entry *entry = output_entry(format);
    struct fxt_profile_format_info all = {.size = sizeof(all)};

    if (entry == NULL)
        return false;
    all.name = entry->name;
    all.suffixes = entry->suffixes;
    all.content = entry->content;
    all.description = entry->format->description;
    all.heap_refusal = entry->format->heap_refusal;
    all.capture_refusal = entry->format->capture_refusal;
    all.uses = entry->format->uses;
    all.is_binary = entry->format->is_binary;
    all.is_compressed = entry->format->is_compressed;
    return results_copy(info, &all, sizeof(all));
}
