/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: the profile. */
#include "conversion.h"

#include <string.h>
#include <sys/stat.h>

#include "base/io/progress.h"
#include "libfxtprofile/import/import.h"
#include "libfxtprofile/profile/locate.h"
#include "tools/common/report.h"
#include "libfxtprofile/import/sampler_pcs.h"

/* ---- What is counted --------------------------------------------------------------- */

/* Samples are counted; how far apart they are may be told only behind them. Spans have
 * times, too. */
static void choose_types(struct conversion *c)
{
    struct profile *p = &c->profile;

    profile_init(p);
    if (c->options.spans) {
        profile_add_type(p, "spans", "count");
        profile_add_type(p, "time", "nanoseconds");
        p->default_type = 1;
        return;
    }
    profile_add_type(p, "samples", "count");
    c->collect.values[0] = 1;
}

/* Where it is known how far apart samples are, their number is also time. */
static void set_period(struct conversion *c)
{
    const struct recording *recording = &c->collect.recording;
    uint64_t period_ns = c->options.period_ns;

    if (period_ns == 0)
        period_ns = recording->period_ns;
    if (c->options.spans || c->profile.is_of_heap)
        return;
    if (period_ns > 0)
        profile_set_period(&c->profile, period_ns);
    else if (recording->periods_differ)
        profile_comment(&c->profile,
                        "no CPU time: the recordings have different periods");
}

/* ---- Where it is from -------------------------------------------------------------- */

static void comment_origin(struct conversion *c)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s", c->converter->name, FXT_VERSION_STRING);
    text_char(&line, '\0');
    profile_comment(&c->profile, line.data);
    profile_comment(&c->profile, c->command.data);
    text_free(&line);
}

/* ---- The profile ------------------------------------------------------------------- */

static void set_times(struct conversion *c)
{
    const struct collect *from = &c->collect;
    uint64_t start_ns = from->has_start ? from->start_ns : 0;
    uint64_t duration_ns = from->last_ns - from->first_ns;

    if (c->options.start_ns > 0)
        start_ns = c->options.start_ns;
    /* Readers take both for signed. */
    c->profile.start_ns = start_ns <= INT64_MAX ? start_ns : 0;
    c->profile.duration_ns = duration_ns <= INT64_MAX ? duration_ns : INT64_MAX;
}

/* Captures of stacks know no processes, and what else reads them expects no roots. Where
 * there must be some, there are CPUs. */
static void choose_roots(struct conversion *c)
{
    struct output_settings *settings = &c->options.settings;

    if (!c->profile.is_of_captures || settings->has_roots)
        return;
    settings->roots[0] = FOLDED_CPU;
    settings->n_roots = c->options.format == &output_speedscope;
}

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
static struct load_result load_all(struct conversion *c)
{
    struct import_settings *settings = &c->options.import;
    struct import_file file = {c->options.base, PROFILE_NO_CPU, PROFILE_NO_CPU};
    struct import_settings base;
    struct load_result result;
    struct load_result more;

    import_reports_start(&c->reports, &c->options);
    settings->client = &c->reports.client;
    settings->reports_all = c->options.verbose;
    if (!c->options.quiet)
        progress_start(c->options.program, total_size(settings));
    result = load_inputs(settings, &c->collect);
    progress_end();
    if (c->options.base == NULL)
        return result;
    base = *settings;
    base.files = &file;
    base.n_files = 1;
    c->heap.takes_off = true;
    more = load_inputs(&base, &c->collect);
    result.n_unusable += more.n_unusable;
    result.n_errors += more.n_errors;
    result.failed |= more.failed;
    return result;
}

struct load_result conversion_read(struct conversion *c)
{
    const struct options *o = &c->options;
    struct filter_tally *filtered = &c->collect.tally.filtered;
    struct load_result result;

    c->collect.profile = &c->profile;
    c->collect.modules = &c->modules;
    c->collect.cpus = o->has_cpus ? &o->cpus : NULL;
    c->collect.window = o->has_window ? &o->window : NULL;
    c->collect.is_zircon_arm64 = o->is_zircon_arm64;
    c->collect.spans = o->spans ? &c->spans : NULL;
    c->collect.heap = &c->heap;
    c->collect.only_heap = o->base != NULL;
    c->heap.with_tags = o->settings.with_tags;
    c->heap.window = c->collect.window;
    choose_types(c);
    c->profile.has_times =
        o->settings.no_merge || o->settings.timestamps || o->format->keeps_times;
    c->profile.keeps_pcs = o->format->keeps_pcs;
    c->profile.merges_mappings = o->format->merges_mappings;
    c->profile.is_any_order = o->format->sorts && !c->profile.has_times;
    comment_origin(c);
    result = load_all(c);
    modules_finish(&c->modules);
    collect_finish(&c->collect);
    import_finish(&c->profile);
    choose_roots(c);
    set_times(c);
    c->looks_restorable = !o->is_zircon_arm64 && sampler_pcs_look_restorable(&c->profile);
    c->profile.is_any_order_of_labels = c->modules.n_mappings == 0;
    profile_finish(&c->profile);
    set_period(c);
    filter_samples(&o->filter, &c->profile, filtered);
    if (o->settings.raw_labels)
        profile_forget_names(&c->profile);
    profile_locate(&c->profile, &c->modules, &c->symbolizer);
    filter_stacks(&o->filter, &c->profile, filtered);
    tally_filtered(&c->collect.tally);
    return result;
}
