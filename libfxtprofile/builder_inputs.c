/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: whole inputs, and the files that names are from. */
#include <string.h>

#include "base/io/input.h"
#include "builder.h"
#include "libfxtprofile/symbols/kallsyms.h"

/* ---- What is known of an input ----------------------------------------------------- */

bool builder_copy_input(struct fxt_profile_input *to,
                        const struct fxt_profile_input *from)
{
    *to = (struct fxt_profile_input){.size = sizeof(*to)};
    if (from == NULL)
        return true;
    return copy_options(to, sizeof(*to), from) &&
           (unsigned)to->content <= FXT_PROFILE_CONTENT_OSDK_JSON &&
           (unsigned)to->stream <= FXT_STREAM_ARCHIVE &&
           (unsigned)to->byte_order <= FXT_BYTE_ORDER_BIG &&
           (!to->has_cpu || to->cpu <= CPU_MAX) &&
           (to->region_size == 0 ||
            (to->region_size % FXT_WORD_BYTES == 0 && to->stream != FXT_STREAM_ARCHIVE));
}

struct import_settings builder_import_settings(const struct fxt_profile_builder *b,
                                               const struct fxt_profile_input *input)
{
    static const enum import_from from[] = {
        [FXT_PROFILE_CONTENT_ANY] = FROM_ANY,
        [FXT_PROFILE_CONTENT_FXT] = FROM_FXT,
        [FXT_PROFILE_CONTENT_GDB_LOG] = FROM_GDB,
        [FXT_PROFILE_CONTENT_OSDK_JSON] = FROM_JSON,
    };
    const struct fxt_profile_options *o = &b->profile->options;

    return (struct import_settings){
        .from = from[input->content],
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
    const char *path;
    const void *data;
    size_t size;
};

static void load(struct fxt_profile_builder *b, const struct adding *a,
                 const struct fxt_profile_input *input)
{
    struct import_settings settings = builder_import_settings(b, input);
    uint32_t cpu = input->has_cpu ? input->cpu : PROFILE_NO_CPU;
    struct import_file file = {a->path != NULL ? a->path : input->name, cpu, cpu};
    struct input *memory;

    if (a->path != NULL) {
        settings.files = &file;
        settings.n_files = 1;
        pipeline_load(&b->profile->pipeline, &settings);
        return;
    }
    memory = input_from_memory(a->data, a->size);
    pipeline_load_open(&b->profile->pipeline, &settings, memory, &file);
    input_close(memory);
}

static enum fxt_code add(struct fxt_profile_builder *b, void *context)
{
    const struct adding *a = (const struct adding *)context;
    struct fxt_profile *p = b->profile;
    size_t n_unusable = p->pipeline.loaded.n_unusable;
    struct fxt_profile_input input;

    if (!builder_copy_input(&input, a->input) || (a->path == NULL && a->data == NULL))
        return FXT_E_INVALID;
    if (p->fed.is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "a stream is not ended");
    builder_start(b);
    load(b, a, &input);
    if (p->pipeline.loaded.n_unusable == n_unusable || p->options.skip_unusable)
        return FXT_OK;
    /* The reason is the message already. */
    return b->code = FXT_E_FILE;
}

enum fxt_code fxt_profile_builder_add_file(struct fxt_profile_builder *b,
                                           const struct fxt_profile_input *input,
                                           const char *path)
{
    struct adding a = {.input = input, .path = path};

    return builder_call(b, add, &a);
}

enum fxt_code fxt_profile_builder_add_memory(struct fxt_profile_builder *b,
                                             const struct fxt_profile_input *input,
                                             const void *data, size_t size)
{
    struct adding a = {.input = input, .data = size > 0 ? data : "", .size = size};

    return builder_call(b, add, &a);
}

static enum fxt_code subtract(struct fxt_profile_builder *b, void *context)
{
    (void)context;
    if (!b->profile->options.only_heaps)
        return FXT_E_INVALID;
    b->profile->pipeline.heap.takes_off = true;
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_subtract(struct fxt_profile_builder *b)
{
    return builder_call(b, subtract, NULL);
}

/* ---- Symbols ----------------------------------------------------------------------- */

static enum fxt_code fail_why(struct fxt_profile_builder *b, const char *name,
                              struct text *why)
{
    text_char(why, '\0');
    builder_fail(b, FXT_E_FILE, name, why->data);
    text_free(why);
    return FXT_E_FILE;
}

/* Images of the kernel's list come after those of files. */
static enum fxt_code add_module_file(struct fxt_profile_builder *b, void *context)
{
    const char *name = (const char *)context;
    struct fxt_profile *p = b->profile;
    struct text why = {NULL, 0, 0};

    if (p->pipeline.symbolizer.n > p->n_module_files)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, name,
                            "the kernel's symbols were added before");
    if (!symbolizer_add(&p->pipeline.symbolizer, name, &why))
        return fail_why(b, name, &why);
    p->module_files = (char **)memory_grow(p->module_files, p->n_module_files,
                                           &p->module_file_capacity, sizeof(char *));
    p->module_files[p->n_module_files++] = memory_copy_string(name);
    return FXT_OK;
}

static enum fxt_code add_kallsyms(struct fxt_profile_builder *b, void *context)
{
    const char *name = (const char *)context;
    struct text why = {NULL, 0, 0};

    if (!kallsyms_add(&b->profile->pipeline.symbolizer, name, &why))
        return fail_why(b, name, &why);
    return FXT_OK;
}

static enum fxt_code add_debug_dir(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile *p = b->profile;

    p->debug_dirs = (const char **)memory_grow(p->debug_dirs, p->n_debug_dirs,
                                               &p->debug_dir_capacity, sizeof(char *));
    p->debug_dirs[p->n_debug_dirs++] = memory_copy_string((const char *)context);
    p->pipeline.symbolizer.files.dirs = p->debug_dirs;
    p->pipeline.symbolizer.files.n_dirs = p->n_debug_dirs;
    return FXT_OK;
}

static enum fxt_code add_comment(struct fxt_profile_builder *b, void *context)
{
    profile_builder_add_comment(&b->profile->pipeline.builder, (const char *)context);
    return FXT_OK;
}

/* A string is an argument that is not changed. */
static void *argument(const char *string)
{
    return (void *)(uintptr_t)string;
}

enum fxt_code fxt_profile_builder_add_module_file(struct fxt_profile_builder *b,
                                                  const char *file_and_address)
{
    return builder_call(b, add_module_file, argument(file_and_address));
}

enum fxt_code fxt_profile_builder_add_kallsyms(struct fxt_profile_builder *b,
                                               const char *path)
{
    return builder_call(b, add_kallsyms, argument(path));
}

enum fxt_code fxt_profile_builder_add_debug_dir(struct fxt_profile_builder *b,
                                                const char *directory)
{
    return builder_call(b, add_debug_dir, argument(directory));
}

enum fxt_code fxt_profile_builder_add_comment(struct fxt_profile_builder *b,
                                              const char *sentence)
{
    return builder_call(b, add_comment, argument(sentence));
}
