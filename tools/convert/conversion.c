/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: the profile. */
#include "conversion.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io/progress.h"
#include "tools/common/report.h"

/* ---- Where it is from -------------------------------------------------------------- */

static void comment_origin(struct conversion *c)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s", c->converter->name, FXT_VERSION_STRING);
    text_char(&line, '\0');
    profile_builder_add_comment(&c->pipeline.builder, line.data);
    profile_builder_add_comment(&c->pipeline.builder, c->command.data);
    text_free(&line);
}

/* ---- The profile ------------------------------------------------------------------- */

/* The size of all inputs; 0 if one of them is no regular file. */
static uint64_t total_size(const struct import_settings *settings)
{
    uint64_t total = 0;

    for (size_t i = 0; i < settings->n_files; i++) {
        struct stat status;

        if (strcmp(settings->files[i].name, "-") == 0 ||
            stat(settings->files[i].name, &status) != 0 || !S_ISREG(status.st_mode))
            return 0;
        total += (uint64_t)status.st_size;
    }
    return total;
}

/* What is to be taken off comes last: it is the older one. */
static void load_all(struct conversion *c)
{
    struct import_settings *settings = &c->options.import;
    struct import_file file = {c->options.base, PROFILE_NO_CPU, PROFILE_NO_CPU};
    struct import_settings base;

    import_reports_start(&c->reports, &c->options);
    settings->client = &c->reports.client;
    settings->reports_all = c->options.verbose;
    if (!c->options.quiet)
        progress_start(c->options.program, total_size(settings));
    pipeline_load(&c->pipeline, settings);
    progress_end();
    if (c->options.base == NULL)
        return;
    base = *settings;
    base.files = &file;
    base.n_files = 1;
    pipeline_load_base(&c->pipeline, &base);
}

void conversion_read(struct conversion *c)
{
    const struct options *o = &c->options;
    const struct output_settings *output = &o->settings;
    struct pipeline_settings settings = {
        .spans = o->spans,
        .only_heap = o->base != NULL,
        .with_tags = output->with_tags,
        .is_zircon_arm64 = o->is_zircon_arm64,
        .has_times = output->no_merge || output->timestamps || o->format->keeps_times,
        .keeps_pcs = o->format->keeps_pcs,
        .merges_mappings = o->format->merges_mappings,
        .is_any_order = o->format->sorts,
        .cpus = o->has_cpus ? &o->cpus : NULL,
        .window = o->has_window ? &o->window : NULL,
    };
    struct pipeline_wishes wishes = {.filter = &o->filter,
                                     .period_ns = o->period_ns,
                                     .start_ns = o->start_ns,
                                     .without_names = output->raw_labels};

    pipeline_init(&c->pipeline);
    pipeline_start(&c->pipeline, &settings);
    comment_origin(c);
    load_all(c);
    pipeline_finish(&c->pipeline, &wishes);
}
