/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: whole inputs. */
#include <string.h>

#include "common/base/io/input.h"
#include "builder.h"
#include "libfxt/options.h"
#include "libfxtprofile/import/import.h"
#include "libfxtprofile/import/settings.h"

/* ---- What is known of an input ----------------------------------------------------- */

bool builder_copy_input(struct fxt_profile_input *to,
                        const struct fxt_profile_input *from)
{
    *to = (struct fxt_profile_input){.size = sizeof(*to)};
    if (from == NULL)
        return true;
    return options_copy(to, sizeof(*to), from) && import_has_content(to->content) &&
           (unsigned)to->stream <= FXT_STREAM_ARCHIVE &&
           (unsigned)to->byte_order <= FXT_BYTE_ORDER_BIG &&
           (!to->has_cpu || to->cpu <= CPU_MAX) &&
           (to->region_size == 0 ||
            (to->region_size % FXT_WORD_BYTES == 0 && to->stream != FXT_STREAM_ARCHIVE));
}

struct import_settings builder_import_settings(const struct fxt_profile_builder *b,
                                               const struct fxt_profile_input *input)
{
    const struct fxt_profile_options *o = &b->profile->options;

    return (struct import_settings){
        .content = input->content,
        .full_names = o->full_names,
        .stream = input->region_size > 0 ? FXT_STREAM_REGION : input->stream,
        .byte_order = input->byte_order,
        .resync = o->resync,
        .region_size = input->region_size,
        .ticks_per_second = o->ticks_per_second,
        .n_threads = o->n_threads > 0 ? o->n_threads : 1,
        .reports_all = o->report_all,
        .client = &b->profile->client,
    };
}

/* ---- Inputs ------------------------------------------------------------------------ */

struct adding {
    const struct fxt_profile_input *input;
    /* NULL for an input in memory. */
    const struct fxt_profile_file *files;
    size_t n_files;
    /* The names of files give their CPUs, unless they are set otherwise. */
    bool has_cpu_names;
    const void *data;
    size_t size;
};

static bool are_possible_inputs(const struct adding *a)
{
    for (size_t i = 0; i < a->n_files; i++) {
        const struct fxt_profile_file *file = &a->files[i];

        if (file->path == NULL || (file->has_cpu && file->cpu > CPU_MAX))
            return false;
    }
    return a->files != NULL || a->data != NULL;
}

static void load_files(struct fxt_profile *p, const struct adding *a,
                       struct import_settings *settings)
{
    settings->n_files = a->n_files;
    settings->files =
        (struct import_file *)memory_allocate(a->n_files * sizeof(*settings->files));
    for (size_t i = 0; i < a->n_files; i++) {
        uint32_t cpu = a->files[i].has_cpu ? a->files[i].cpu : PROFILE_NO_CPU;

        settings->files[i] = (struct import_file){a->files[i].path, cpu, cpu};
    }
    if (a->has_cpu_names && settings->region_size == 0)
        cpus_of_files(settings->files, settings->n_files,
                      settings->stream == FXT_STREAM_REGION);
    pipeline_load(&p->pipeline, settings);
    memory_release(settings->files);
}

static void load_memory(struct fxt_profile *p, const struct adding *a,
                        const struct fxt_profile_input *input,
                        const struct import_settings *settings)
{
    uint32_t cpu = input->has_cpu ? input->cpu : PROFILE_NO_CPU;
    struct import_file file = {input->name, cpu, cpu};
    struct input *memory = input_from_memory(a->data, a->size);

    pipeline_load_open(&p->pipeline, settings, memory, &file);
    input_close(memory);
}

static void load_all_inputs(struct fxt_profile_builder *b, const struct adding *a,
                            const struct fxt_profile_input *input)
{
    struct import_settings settings = builder_import_settings(b, input);
    struct fxt_profile *p = b->profile;

    if (a->files != NULL)
        load_files(p, a, &settings);
    else
        load_memory(p, a, input, &settings);
    p->n_inputs += a->files != NULL ? a->n_files : 1;
}

static enum fxt_code add_inputs(struct fxt_profile_builder *b, void *context)
{
    const struct adding *a = (const struct adding *)context;
    struct fxt_profile *p = b->profile;
    size_t n_unusable = p->pipeline.loaded.n_unusable;
    struct fxt_profile_input input;

    if (!builder_copy_input(&input, a->input) || !are_possible_inputs(a) ||
        p->options.source == FXT_PROFILE_SUMS)
        return FXT_E_INVALID;
    if (a->has_cpu_names && (input.has_cpu || input.name != NULL))
        return FXT_E_INVALID;
    if (p->fed.is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "a stream is not ended");
    builder_start(b);
    b->message[0] = '\0';
    load_all_inputs(b, a, &input);
    if (p->pipeline.loaded.n_unusable == n_unusable || p->options.skip_unusable)
        return FXT_OK;
    if (b->message[0] == '\0')
        return builder_fail(b, FXT_E_FILE, NULL, "captures were not accepted");
    /* The report has stored the message. */
    return b->code = FXT_E_FILE;
}

enum fxt_code fxt_profile_builder_add_file(struct fxt_profile_builder *b,
                                           const struct fxt_profile_input *input,
                                           const char *path)
{
    struct fxt_profile_input copy;
    struct fxt_profile_file file = {.path = path};
    struct adding a = {.input = input, .files = &file, .n_files = 1};

    if (builder_copy_input(&copy, input)) {
        file.has_cpu = copy.has_cpu;
        file.cpu = copy.cpu;
    }
    return builder_call(b, add_inputs, &a);
}

enum fxt_code fxt_profile_builder_add_files(struct fxt_profile_builder *b,
                                            const struct fxt_profile_input *input,
                                            const struct fxt_profile_file *files,
                                            size_t n_files)
{
    struct adding a = {
        .input = input, .files = files, .n_files = n_files, .has_cpu_names = true};

    return builder_call(b, add_inputs, &a);
}

enum fxt_code fxt_profile_builder_add_memory(struct fxt_profile_builder *b,
                                             const struct fxt_profile_input *input,
                                             const void *data, size_t size)
{
    struct adding a = {.input = input, .data = size > 0 ? data : "", .size = size};

    return builder_call(b, add_inputs, &a);
}

/* Regions are numbered from 0 again. That traces came before does not matter: with
 * only_heaps there are no captures, which could not be combined with them. */
static enum fxt_code subtract_heaps(struct fxt_profile_builder *b, void *context)
{
    struct pipeline *l = &b->profile->pipeline;

    (void)context;
    if (!b->profile->options.only_heaps)
        return FXT_E_INVALID;
    l->heap.takes_off = true;
    l->loaded.n_regions = 0;
    l->loaded.has_traces = false;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_subtract(struct fxt_profile_builder *b)
{
    return builder_call(b, subtract_heaps, NULL);
}
