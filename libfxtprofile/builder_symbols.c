/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: the files that names come from. */
#include "builder.h"
#include "libfxtprofile/symbols/kernel/kallsyms.h"

/* ---- The files --------------------------------------------------------------------- */

/* A binary's file, and the separate debug file that its symbols may be from. */
static void list_binary(struct fxt_profile *p, const struct binary *binary)
{
    for (; binary != NULL; binary = binary->debug) {
        MEMORY_ADD(p->symbol_files, p->n_symbol_files, p->symbol_file_capacity,
                   memory_copy_string(binary->name));
    }
}

void builder_list_symbol_files(struct fxt_profile *p)
{
    const struct symbolizer *s = &p->pipeline.symbolizer;

    for (size_t i = 0; i < p->n_symbol_files; i++)
        memory_release(p->symbol_files[i]);
    p->n_symbol_files = 0;
    for (size_t i = 0; i < s->n_files; i++)
        list_binary(p, s->images[i].binary);
    for (size_t i = 0; i < s->n_found; i++)
        list_binary(p, s->found[i].binary);
}

size_t fxt_profile_builder_n_symbol_files(const struct fxt_profile_builder *b)
{
    return b->profile != NULL ? b->profile->n_symbol_files : 0;
}

const char *fxt_profile_builder_symbol_file(const struct fxt_profile_builder *b, size_t i)
{
    return b->profile != NULL ? fxt_profile_symbol_file(b->profile, i) : NULL;
}

/* ---- Adding ------------------------------------------------------------------------ */

static enum fxt_code fail_why(struct fxt_profile_builder *b, const char *name,
                              struct text *why)
{
    text_char(why, '\0');
    builder_report(b, &(struct fxt_profile_report){.kind = FXT_PROFILE_REPORT_SYMBOLS,
                                                   .severity = FXT_FATAL,
                                                   .name = name,
                                                   .message = why->data});
    builder_fail(b, FXT_E_FILE, name, why->data);
    text_free(why);
    return FXT_E_FILE;
}

/* The images from kallsyms come after those of files. */
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
    MEMORY_ADD(p->module_files, p->n_module_files, p->module_file_capacity,
               memory_copy_string(name));
    builder_list_symbol_files(p);
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

    MEMORY_ADD(p->debug_dirs, p->n_debug_dirs, p->debug_dir_capacity,
               memory_copy_string((const char *)context));
    p->pipeline.symbolizer.files.dirs = p->debug_dirs;
    p->pipeline.symbolizer.files.n_dirs = p->n_debug_dirs;
    return FXT_OK;
}

static enum fxt_code skip_debuginfod(struct fxt_profile_builder *b, void *context)
{
    (void)context;
    b->profile->pipeline.symbolizer.files.servers.is_on = false;
    return FXT_OK;
}

static enum fxt_code add_comment(struct fxt_profile_builder *b, void *context)
{
    profile_builder_add_comment(&b->profile->pipeline.builder, (const char *)context);
    return FXT_OK;
}

/* A string as the argument of a builder_fn, which does not change it. */
static void *string_argument(const char *string)
{
    return (void *)(uintptr_t)string;
}

enum fxt_code fxt_profile_builder_add_module_file(struct fxt_profile_builder *b,
                                                  const char *file_and_address)
{
    return builder_call(b, add_module_file, string_argument(file_and_address));
}

enum fxt_code fxt_profile_builder_add_kallsyms(struct fxt_profile_builder *b,
                                               const char *path)
{
    return builder_call(b, add_kallsyms, string_argument(path));
}

enum fxt_code fxt_profile_builder_add_debug_dir(struct fxt_profile_builder *b,
                                                const char *directory)
{
    return builder_call(b, add_debug_dir, string_argument(directory));
}

enum fxt_code fxt_profile_builder_skip_debuginfod(struct fxt_profile_builder *b)
{
    return builder_call(b, skip_debuginfod, NULL);
}

enum fxt_code fxt_profile_builder_add_comment(struct fxt_profile_builder *b,
                                              const char *sentence)
{
    return builder_call(b, add_comment, string_argument(sentence));
}
