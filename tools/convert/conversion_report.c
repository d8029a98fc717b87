/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: what came of it. */
#include "conversion.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "options_uses.h"
#include "tools/common/report.h"
#include "summary.h"

/* The files with symbols that could not be used. */
static void print_complaints(const struct conversion *c)
{
    const struct string_table *complaints = &c->pipeline.symbolizer.files.refusals.final;

    for (uint32_t i = 0; i < complaints->n; i++) {
        struct string line = string_table_get(complaints, i);

        complain(c->converter->name, NULL, "%.*s", (int)line.size, line.data);
    }
}

/* One that is mistyped looks like one without the files that are looked for. The last
 * directory is none of the user's. */
static void warn_of_missing_dirs(const struct conversion *c)
{
    for (size_t i = 0; i + 1 < c->options.n_debug_dirs && !c->options.unsymbolized; i++) {
        const char *dir = c->options.debug_dirs[i];
        struct stat status;

        if (stat(dir, &status) != 0)
            complain(c->converter->name, dir, "%s", strerror(errno));
        else if (!S_ISDIR(status.st_mode))
            complain(c->converter->name, dir, "%s", strerror(ENOTDIR));
    }
}

/* An address that was mistaken looks like a file without symbols. */
static void warn_of_unused_elfs(const struct conversion *c)
{
    for (size_t i = 0; i < c->options.n_elfs && i < c->pipeline.symbolizer.n; i++) {
        size_t used = 0;

        while (used < c->pipeline.profile.n_mappings &&
               c->pipeline.profile.mappings[used].rank != i)
            used++;
        if (used == c->pipeline.profile.n_mappings)
            complain(c->converter->name, c->options.elfs[i],
                     "no sample has an address in this file");
    }
}

void conversion_summarize(const struct conversion *c)
{
    const char *name = c->converter->name;
    const struct profile *profile = &c->pipeline.profile;
    const struct tally *tally = &c->pipeline.collect.tally;

    if (c->options.quiet)
        return;
    summary_print(name, profile, tally, c->pipeline.first_loss);
    if (c->options.verbose)
        summary_print_drops(name, tally);
    if (c->pipeline.looks_restorable)
        complain(
            name, NULL,
            "many callers are recorded twice, 4 bytes apart: see --sampler zircon-arm64");
    warn_of_missing_dirs(c);
    print_complaints(c);
    if (profile->n_samples > 0)
        warn_of_unused_elfs(c);
}

static void complain_of_emptiness(const struct conversion *c)
{
    const char *what = "there are no samples";

    if (c->options.spans)
        what = "there are no spans";
    else if (c->options.base != NULL)
        what = "there is no difference, or no heap";
    else if (c->pipeline.collect.tally.n_not_samples > 0)
        what = "there are no samples, but there are spans: see --spans";
    complain(c->converter->name, NULL, "%s", what);
}

/* What is wrong with --value, or with the format; or NULL. */
static const char *find_misfit(const struct conversion *c)
{
    const struct options *o = &c->options;
    bool is_of_heap = c->pipeline.profile.is_of_heap;
    bool wants_heap = o->settings.value == OUTPUT_VALUE_OBJECTS ||
                      o->settings.value == OUTPUT_VALUE_BYTES;

    if (o->settings.value == OUTPUT_VALUE_TIME && is_of_heap)
        return "--value time is for samples and spans: heaps have objects and bytes";
    if (o->settings.value == OUTPUT_VALUE_TIME && c->pipeline.profile.n_types < 2)
        return c->pipeline.collect.recording.periods_differ
                   ? "--value time needs --period: the recordings have different periods"
                   : "--value time needs --period: the input has no sampling period";
    if (c->pipeline.profile.n_samples == 0)
        return NULL;
    if (is_of_heap && (o->format == &output_json || o->format == &output_markup))
        return "this format is for samples, and cannot represent heaps";
    if (!is_of_heap && wants_heap)
        return "--value objects and bytes are for heaps";
    return NULL;
}

bool conversion_fits(const struct conversion *c)
{
    const char *misfit = find_misfit(c);

    if (misfit != NULL)
        complain(c->converter->name, NULL, "%s", misfit);
    if (misfit != NULL)
        return false;
    /* Of spans and captures it was judged before. */
    if (c->options.spans || c->pipeline.profile.is_of_captures ||
        c->pipeline.profile.n_samples == 0)
        return true;
    return options_check_input(
        &c->options, NULL, c->pipeline.profile.is_of_heap ? INPUT_HEAPS : INPUT_SAMPLES);
}

int conversion_judge(const struct conversion *c)
{
    const struct load_state *loaded = &c->pipeline.loaded;

    if (loaded->n_unusable > 0)
        return EXIT_UNUSABLE;
    if (c->pipeline.profile.n_samples == 0 && !c->options.quiet)
        complain_of_emptiness(c);
    if (loaded->n_errors > 0 || loaded->failed || c->pipeline.profile.n_samples == 0)
        return EXIT_BAD;
    return EXIT_GOOD;
}

/* Whether the output would take the place of an input, if only of what is taken off. */
static bool replaces_input(const struct options *o)
{
    for (size_t i = 0; i < o->import.n_files; i++) {
        if (output_replaces(o->output, o->import.files[i].name))
            return true;
    }
    return o->base != NULL && output_replaces(o->output, o->base);
}

/* A recording cannot be made again. Captures as JSON are what they were, where they are
 * written as JSON once more; but that is only known when they were read. */
bool conversion_spares_inputs(const struct conversion *c)
{
    if (c->options.format == &output_json || !replaces_input(&c->options))
        return true;
    complain(c->converter->name, c->options.output,
             "is also an input, and would be overwritten");
    return false;
}

static bool replaces_binary(const struct options *o, const struct binary *binary)
{
    if (binary == NULL)
        return false;
    return output_replaces(o->output, binary->name) || replaces_binary(o, binary->debug);
}

static bool replaces_symbols(const struct conversion *c)
{
    const struct symbolizer *s = &c->pipeline.symbolizer;
    const struct options *o = &c->options;

    for (size_t i = 0; i < s->n_files; i++) {
        if (replaces_binary(o, s->images[i].binary))
            return true;
    }
    for (size_t i = 0; i < s->n_found; i++) {
        if (replaces_binary(o, s->found[i].binary))
            return true;
    }
    return o->kallsyms != NULL && output_replaces(o->output, o->kallsyms);
}

bool conversion_spares_symbols(const struct conversion *c)
{
    if (!replaces_symbols(c))
        return true;
    complain(c->converter->name, c->options.output,
             "function names come from this file, which would be overwritten");
    return false;
}

bool conversion_spares_captures(const struct conversion *c, int status)
{
    const struct load_state *loaded = &c->pipeline.loaded;
    const char *what = "is also an input, and would be overwritten";

    if (c->options.format != &output_json || !replaces_input(&c->options) ||
        (c->pipeline.profile.is_of_captures && status == EXIT_GOOD))
        return true;
    if (c->pipeline.profile.is_of_captures)
        what = loaded->n_errors > 0 || loaded->failed || status == EXIT_UNUSABLE
                   ? "not written: it is an input, which could not be read in full"
                   : "not written: it is an input, and nothing of it would be left";
    complain(c->converter->name, c->options.output, "%s", what);
    return false;
}
