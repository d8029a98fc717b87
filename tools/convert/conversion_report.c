/* SPDX-License-Identifier: BSD-2-Clause */
/* See conversion.h: reports about the result. */
#include "conversion.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <fxt/profile_events.h>

#include "option_groups.h"
#include "tools/common/report.h"

enum { MISSING_FILES_SHOWN = 10 };

/* One that is mistyped looks like one without the files that are looked for. The last
 * directory is none of the user's. */
static void warn_of_missing_dirs(const struct conversion *c)
{
    const struct value_list *dirs = &c->options.debug_dirs;

    for (size_t i = 0; i + 1 < dirs->n && !c->options.unsymbolized; i++) {
        const char *dir = dirs->values[i];
        struct stat status;

        if (stat(dir, &status) != 0)
            complain(c->converter->name, dir, "%s", strerror(errno));
        else if (!S_ISDIR(status.st_mode))
            complain(c->converter->name, dir, "%s", strerror(ENOTDIR));
    }
}

static bool is_of_heaps(const struct conversion *c)
{
    return fxt_profile_kind(c->profile) == FXT_PROFILE_KIND_HEAPS;
}

static bool is_of_captures(const struct conversion *c)
{
    return fxt_profile_kind(c->profile) == FXT_PROFILE_KIND_CAPTURES;
}

/* Events that are added up are shown even if there are no samples. */
static bool has_summary(const struct fxt_profile *profile)
{
    uint64_t first_ns;
    uint64_t last_ns;

    return fxt_profile_summary_times(profile, &first_ns, &last_ns) ||
           fxt_profile_n_thread_times(profile) > 0;
}

static bool is_empty(const struct conversion *c)
{
    return fxt_profile_n_samples(c->profile) == 0 &&
           fxt_profile_n_events(c->profile) == 0 && !has_summary(c->profile);
}

void conversion_summarize(const struct conversion *c)
{
    const char *name = c->converter->name;

    if (c->options.quiet)
        return;
    if (!conversion_writes_own(c) || c->options.writes_own)
        summary_print(name, c->profile);
    if (c->options.verbose)
        summary_print_drops(name, c->profile);
    reports_print(
        &c->reports, FXT_PROFILE_REPORT_SAMPLER,
        "many callers are recorded twice, 4 bytes apart: see --sampler zircon-arm64");
    warn_of_missing_dirs(c);
    reports_print(&c->reports, FXT_PROFILE_REPORT_DEBUG_FILE, NULL);
    reports_print(&c->reports, FXT_PROFILE_REPORT_DEBUGINFOD, NULL);
    reports_print(&c->reports, FXT_PROFILE_REPORT_UNUSED_FILE, NULL);
    if (conversion_prints_missing_files(c)) {
        reports_print_first(&c->reports, FXT_PROFILE_REPORT_MISSING_FILE,
                            c->options.verbose ? SIZE_MAX : MISSING_FILES_SHOWN,
                            "such files");
        reports_print_remedies(&c->reports);
    }
}

static void complain_of_emptiness(const struct conversion *c)
{
    const char *what = c->options.build.keep_events
                           ? "there are neither samples nor events"
                           : "there are no samples";
    bool is_of_spans = c->options.build.source == FXT_PROFILE_SPANS;

    if (options_take_part(&c->options)) {
        complain(c->converter->name, c->about,
                 "no %s is of the chosen times, processes, threads and CPUs",
                 is_of_spans                        ? "span"
                 : options_is_of_sched(&c->options) ? "wait"
                                                    : "sample");
        return;
    }
    if (is_of_spans)
        what = "there are no spans";
    else if (options_is_of_sched(&c->options) && c->statistics.n_short_waits > 0)
        what = "all waits are shorter than --min-wait";
    else if (options_is_of_sched(&c->options))
        what = "there are no waits: fxtrecord --off-cpu, or --trace, records them; see "
               "'fxtdump --stats' for the input's records";
    else if (c->options.base != NULL)
        what = "there is no difference, or no heap";
    else if (fxt_profile_n_events(c->profile) > 0)
        what = "there are no samples, but there are events, which --spans, --sched and "
               "fxt2firefox show";
    else if (c->statistics.n_ignored_spans > 0)
        what = "there are no samples, but there are spans: see --spans";
    else if (c->statistics.n_ignored_scheduling > 0)
        what = "there are no samples, but there are context switches: see --sched";
    complain(c->converter->name, c->about, "%s", what);
}

/* Whether the format shows only one of the values, and this is 0 in all samples, such as
 * the time of spans without length. */
static bool shows_only_zeros(const struct conversion *c)
{
    size_t n = fxt_profile_n_samples(c->profile);
    size_t value = conversion_value(c);
    struct fxt_profile_sample sample;

    for (size_t i = 0; i < n; i++) {
        fxt_profile_get_sample(c->profile, i, &sample);
        if (sample.values[value] != 0)
            return false;
    }
    return n > 0 && (c->options.format.uses & FXT_PROFILE_USE_VALUE) != 0;
}

static void complain_of_zeros(const struct conversion *c)
{
    size_t n = fxt_profile_n_value_types(c->profile);
    size_t value = conversion_value(c);
    struct text others = {NULL, 0, 0};
    struct fxt_profile_value_type type;

    for (size_t i = 0; i < n; i++) {
        fxt_profile_get_value_type(c->profile, i, &type);
        if (i != value)
            text_printf(&others, "%s%s", others.size > 0 ? ", " : "", type.type);
    }
    fxt_profile_get_value_type(c->profile, value, &type);
    complain(c->converter->name, c->about, "all values of %s are 0%s%.*s", type.type,
             others.size > 0 ? ": --value shows " : "", (int)others.size, others.data);
}

static bool has_time(const struct fxt_profile *profile)
{
    struct fxt_profile_value_type type;

    for (size_t i = 0; i < fxt_profile_n_value_types(profile); i++) {
        fxt_profile_get_value_type(profile, i, &type);
        if (strcmp(type.unit, "nanoseconds") == 0)
            return true;
    }
    return false;
}

/* What is wrong with --value, or with the format; or NULL. */
static const char *find_misfit(const struct conversion *c)
{
    const struct fxt_profile_output *write = &c->options.write;
    bool is_of_heap = is_of_heaps(c);
    bool wants_time = write->value_name == NULL && write->value == FXT_PROFILE_VALUE_TIME;
    bool wants_heap = write->value == FXT_PROFILE_VALUE_OBJECTS ||
                      write->value == FXT_PROFILE_VALUE_BYTES;

    if (wants_time && is_of_heap)
        return "--value time is for samples, spans and waits: heaps have objects and "
               "bytes";
    if (wants_time && !has_time(c->profile))
        return c->statistics.periods_differ
                   ? "--value time needs --period: the recordings have different periods"
                   : "--value time needs --period: the input has no sampling period";
    if (is_empty(c))
        return NULL;
    if (is_of_heap && c->options.format.heap_refusal != NULL)
        return c->options.format.heap_refusal;
    if (!is_of_heap && wants_heap && write->value_name == NULL)
        return "--value objects and bytes are for heaps";
    return NULL;
}

/* Whether the input has a point of that number; each series begins with its first. */
static bool has_point(const struct fxt_profile *profile, uint64_t number)
{
    struct fxt_profile_heap_point point;

    for (size_t i = 0; fxt_profile_get_heap_point(profile, i, &point) == FXT_OK; i++) {
        if (point.number == number)
            return true;
    }
    return false;
}

/* Complains and returns false for a point that is not there. */
static bool has_points(const struct conversion *c)
{
    const struct options *o = &c->options;
    size_t n = fxt_profile_n_heap_points(c->profile);
    uint64_t numbers[] = {o->point, o->earlier_point};

    if (o->has_point && n == 0)
        return complain(c->converter->name, c->about,
                        "--point is for series of heaps: see fxtheap run --every");
    for (size_t i = 0; o->has_point && i < 2; i++) {
        if (numbers[i] == 0 || has_point(c->profile, numbers[i]))
            continue;
        return complain(c->converter->name, c->about,
                        "there is no point %" PRIu64 ", but %zu others", numbers[i], n);
    }
    return true;
}

bool conversion_fits(const struct conversion *c)
{
    const char *misfit = find_misfit(c);
    size_t value;

    if (misfit != NULL)
        complain(c->converter->name, c->about, "%s", misfit);
    if (misfit != NULL || !has_points(c) || !page_takes_profile(c) ||
        !options_find_value(c->converter->name, c->about, c->profile, &c->options.write,
                            &value))
        return false;
    /* Of spans, waits and captures it was judged before. */
    if (c->options.build.source != FXT_PROFILE_SAMPLES || is_of_captures(c) ||
        is_empty(c))
        return true;
    return options_check_input(&c->options, c->about,
                               is_of_heaps(c) ? INPUT_HEAPS : INPUT_SAMPLES);
}

static bool is_damaged(const struct conversion *c)
{
    return c->statistics.n_errors > 0 || c->statistics.is_cut_off;
}

int conversion_judge(const struct conversion *c)
{
    if (c->statistics.n_unusable_inputs > 0)
        return EXIT_UNUSABLE;
    if (is_empty(c) && !c->options.quiet)
        complain_of_emptiness(c);
    if (!c->options.quiet && shows_only_zeros(c))
        complain_of_zeros(c);
    return is_damaged(c) || is_empty(c) ? EXIT_BAD : EXIT_GOOD;
}

/* Whether the output would take the place of an input, of what is subtracted, or of what
 * is compared with. */
static bool replaces_input(const struct options *o)
{
    for (size_t i = 0; i < o->n_files; i++) {
        if (output_replaces(o->output, o->files[i].path))
            return true;
    }
    return (o->base != NULL && output_replaces(o->output, o->base)) ||
           (o->before != NULL && output_replaces(o->output, o->before));
}

/* A recording cannot be made again. Captures in JSON are the same when they are written
 * as JSON again; but whether they are captures is known only after they were read. */
bool conversion_spares_inputs(const struct conversion *c)
{
    if (c->options.write.format == FXT_PROFILE_OSDK_JSON || !replaces_input(&c->options))
        return true;
    return complain(c->converter->name, c->options.output,
                    "is also an input, and would be overwritten");
}

/* One of the files that names come from: of the profile, or so far of the builder. */
static const char *symbol_file(const struct conversion *c, size_t i)
{
    return c->profile != NULL ? fxt_profile_symbol_file(c->profile, i)
                              : fxt_profile_builder_symbol_file(c->builder, i);
}

static bool replaces_symbols(const struct conversion *c)
{
    const struct options *o = &c->options;

    for (size_t i = 0; symbol_file(c, i) != NULL; i++) {
        if (output_replaces(o->output, symbol_file(c, i)))
            return true;
    }
    return o->kallsyms != NULL && output_replaces(o->output, o->kallsyms);
}

bool conversion_spares_symbols(const struct conversion *c)
{
    if (!replaces_symbols(c))
        return true;
    return complain(c->converter->name, c->options.output,
                    "function names come from this file, which would be overwritten");
}

bool conversion_spares_captures(const struct conversion *c, int status)
{
    const char *what = "is also an input, and would be overwritten";

    if (c->options.write.format != FXT_PROFILE_OSDK_JSON ||
        !replaces_input(&c->options) || (is_of_captures(c) && status == EXIT_GOOD))
        return true;
    if (is_of_captures(c))
        what = is_damaged(c) || status == EXIT_UNUSABLE
                   ? "not written: it is an input, which could not be read in full"
                   : "not written: it is an input, and nothing of it would be left";
    return complain(c->converter->name, c->options.output, "%s", what);
}
