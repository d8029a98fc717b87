/* SPDX-License-Identifier: BSD-2-Clause */
/* See convert.h. */
#include "convert.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"
#include "import.h"
#include "kallsyms.h"
#include "load.h"
#include "locate.h"
#include "report.h"
#include "summary.h"

enum { EXIT_GOOD = 0, EXIT_BAD = 1, EXIT_UNUSABLE = 2 };

struct conversion {
    const struct converter *converter;
    /* The command as it was given. */
    struct text command;
    struct options options;
    struct symbolizer symbolizer;
    struct modules modules;
    struct spans spans;
    struct profile profile;
    struct collect collect;
    /* The samples may be of another sampler than the user says. */
    bool looks_restorable;
};

/* ---- Before ------------------------------------------------------------------------ */

static void complain_why(const struct conversion *c, const char *about, struct text *why)
{
    text_char(why, '\0');
    complain(c->converter->name, about, "%s", why->data);
    text_free(why);
}

static bool read_elfs(struct conversion *c)
{
    struct text why = {NULL, 0, 0};

    if (c->options.unsymbolized)
        return true;
    c->symbolizer.files.dirs = c->options.debug_dirs;
    c->symbolizer.files.n_dirs = c->options.n_debug_dirs;
    c->symbolizer.files.asks_servers = true;
    c->symbolizer.finds_modules = true;
    c->symbolizer.no_inlines = c->options.no_inlines;
    for (size_t i = 0; i < c->options.n_elfs; i++) {
        if (!symbolizer_add(&c->symbolizer, c->options.elfs[i], &why)) {
            complain_why(c, c->options.elfs[i], &why);
            return false;
        }
    }
    if (c->options.kallsyms != NULL &&
        !kallsyms_add(&c->symbolizer, c->options.kallsyms, &why)) {
        complain_why(c, c->options.kallsyms, &why);
        return false;
    }
    return true;
}

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
    if (c->options.spans)
        return;
    if (period_ns > 0)
        profile_set_period(&c->profile, period_ns);
    else if (recording->periods_differ)
        profile_comment(&c->profile,
                        "no CPU time: the recordings have different periods");
}

/* An argument as a shell would take it. */
static void add_argument(struct text *line, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./@:=,+-";

    if (argument[0] != '\0' && argument[strspn(argument, plain)] == '\0') {
        text_str(line, argument);
        return;
    }
    text_char(line, '\'');
    for (; *argument != '\0'; argument++) {
        if (*argument == '\'')
            text_str(line, "'\\''");
        else
            text_char(line, *argument);
    }
    text_char(line, '\'');
}

/* Options may still be in another order than they will be once they are parsed. */
static void keep_command(struct conversion *c, int argc, char **argv)
{
    text_str(&c->command, "# ");
    text_str(&c->command, c->converter->name);
    for (int i = 1; i < argc; i++) {
        text_char(&c->command, ' ');
        add_argument(&c->command, argv[i]);
    }
    text_char(&c->command, '\0');
}

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

static struct load_result make_profile(struct conversion *c)
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
    choose_types(c);
    c->profile.has_times =
        o->settings.no_merge || o->settings.timestamps || o->format->keeps_times;
    comment_origin(c);
    result = load_inputs(o, &c->collect);
    modules_finish(&c->modules);
    collect_finish(&c->collect);
    import_finish(&c->profile);
    choose_roots(c);
    set_times(c);
    profile_finish(&c->profile);
    set_period(c);
    c->looks_restorable = !o->is_zircon_arm64 && sampler_pcs_look_restorable(&c->profile);
    filter_samples(&o->filter, &c->profile, filtered);
    profile_locate(&c->profile, &c->modules, &c->symbolizer);
    filter_stacks(&o->filter, &c->profile, filtered);
    tally_filtered(&c->collect.tally);
    return result;
}

/* ---- After ------------------------------------------------------------------------- */

/* The files with symbols that could not be used. */
static void print_complaints(const struct conversion *c)
{
    const struct strings *complaints = &c->symbolizer.files.complaints;

    for (uint32_t i = 0; i < complaints->n; i++) {
        struct string line = strings_get(complaints, i);

        complain(c->converter->name, NULL, "%.*s", (int)line.size, line.data);
    }
}

/* An address that was mistaken looks like a file without symbols. */
static void warn_of_unused_elfs(const struct conversion *c)
{
    for (size_t i = 0; i < c->options.n_elfs && i < c->symbolizer.n; i++) {
        size_t used = 0;

        while (used < c->profile.n_mappings && c->profile.mappings[used].rank != i)
            used++;
        if (used == c->profile.n_mappings)
            complain(c->converter->name, c->options.elfs[i],
                     "no sample has an address in it");
    }
}

static void summarize(struct conversion *c, uint64_t n_errors)
{
    const char *name = c->converter->name;
    const struct tally *tally = &c->collect.tally;
    size_t n_comments = c->profile.n_comments;

    summary_comment(&c->profile, tally, n_errors);
    if (c->options.quiet)
        return;
    summary_print(name, &c->profile, tally, n_comments);
    if (c->options.verbose)
        summary_print_drops(name, tally);
    if (c->looks_restorable)
        complain(
            name, NULL,
            "many callers are there twice, 4 bytes apart: see --sampler zircon-arm64");
    print_complaints(c);
    if (c->profile.n_samples > 0)
        warn_of_unused_elfs(c);
}

static void complain_of_emptiness(const struct conversion *c)
{
    const char *what = "there are no samples";

    if (c->options.spans)
        what = "there are no spans";
    else if (c->collect.tally.n_not_samples > 0)
        what = "there are no samples, but there are spans: see --spans";
    complain(c->converter->name, NULL, "%s", what);
}

/* Returns false, with a complaint, if what is to be counted is not known. */
static bool has_value(const struct conversion *c)
{
    if (c->options.settings.value != OUTPUT_VALUE_TIME || c->profile.n_types > 1)
        return true;
    complain(c->converter->name, NULL, "--value time needs --period: %s",
             c->collect.recording.periods_differ
                 ? "the recordings have different ones"
                 : "nothing tells how far apart samples are");
    return false;
}

static int judge(const struct conversion *c, struct load_result loaded)
{
    if (loaded.n_unusable > 0)
        return EXIT_UNUSABLE;
    if (c->profile.n_samples == 0 && !c->options.quiet)
        complain_of_emptiness(c);
    if (loaded.n_errors > 0 || loaded.failed || c->profile.n_samples == 0)
        return EXIT_BAD;
    return EXIT_GOOD;
}

static void write_profile(struct conversion *c, struct output *output)
{
    const struct output_format *format = c->options.format;

    if (format->is_compressed && !c->options.settings.plain)
        output_compress(output);
    format->write(&c->profile, &c->options.settings, output);
}

/* Whether the output's name is that of an input: then what could not be read of it would
 * be lost for good. */
static bool writes_over_input(const struct options *o)
{
    struct stat output;
    struct stat input;

    if (o->output == NULL || strcmp(o->output, "-") == 0 || stat(o->output, &output) != 0)
        return false;
    for (size_t i = 0; i < o->n_files; i++) {
        bool is_known = strcmp(o->files[i].name, "-") == 0
                            ? fstat(STDIN_FILENO, &input) == 0
                            : stat(o->files[i].name, &input) == 0;

        if (is_known && S_ISREG(input.st_mode) && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino)
            return true;
    }
    return false;
}

static int convert(struct conversion *c)
{
    const char *output_name = c->options.output;
    struct text why = {NULL, 0, 0};
    struct load_result loaded;
    struct output *output;
    bool keep;
    int status;

    if (!read_elfs(c))
        return EXIT_UNUSABLE;
    output = output_open(output_name, c->options.format->is_binary, &why);
    if (output == NULL) {
        complain_why(c, output_name, &why);
        return EXIT_BAD;
    }
    loaded = make_profile(c);
    keep = has_value(c) && loaded.n_unusable < c->options.n_files;
    if (keep)
        summarize(c, loaded.n_errors);
    status = keep ? judge(c, loaded) : EXIT_UNUSABLE;
    if (keep && status != EXIT_GOOD && writes_over_input(&c->options)) {
        complain(c->converter->name, output_name,
                 loaded.n_errors > 0 || loaded.failed || status == EXIT_UNUSABLE
                     ? "not written: it is an input, which could not be read in full"
                     : "not written: it is an input, of which nothing would be left");
        keep = false;
    }
    if (keep)
        write_profile(c, output);
    if (!output_close(output, keep, &why)) {
        complain_why(c, output_name != NULL ? output_name : "standard output", &why);
        status = status > EXIT_BAD ? status : EXIT_BAD;
    }
    return status;
}

int convert_main(const struct converter *converter, int argc, char **argv)
{
    struct conversion c = {.converter = converter};
    int status = EXIT_GOOD;

    keep_command(&c, argc, argv);
    switch (options_parse(&c.options, converter, argc, argv)) {
    case OPTIONS_OK:
        status = convert(&c);
        break;
    case OPTIONS_DONE:
        break;
    case OPTIONS_FAILED:
        status = EXIT_BAD;
        break;
    case OPTIONS_WRONG:
        status = EXIT_UNUSABLE;
        break;
    }
    profile_free(&c.profile);
    modules_free(&c.modules);
    symbolizer_free(&c.symbolizer);
    collect_free(&c.collect);
    spans_free(&c.spans);
    options_free(&c.options);
    text_free(&c.command);
    return status;
}
