/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: where options can have an effect. */
#include "option_groups.h"

#include <string.h>

#include "tools/common/report.h"

enum {
    INPUT_WAITS = INPUT_SCHED | INPUT_WALL,
    INPUT_CAPTURES = INPUT_GDB | INPUT_JSON,
    INPUT_FXT = INPUT_SAMPLES | INPUT_SPANS | INPUT_HEAPS | INPUT_WAITS,
    INPUT_PCS = INPUT_SAMPLES | INPUT_HEAPS | INPUT_WAITS,
    INPUT_ALL = INPUT_FXT | INPUT_CAPTURES | INPUT_SUMS | INPUT_FOLDED
};

/* Where an option has an effect: the enum fxt_profile_use that a format must have, or 0;
 * kinds of input; and another option that leaves this one without effect, or NULL. What
 * is not here has an effect anywhere, or is accepted without one. */
static const struct use {
    const char *option;
    uint32_t use;
    unsigned inputs;
    const char *beside;
} uses[] = {
    {"annotate", FXT_PROFILE_USE_ANNOTATE, INPUT_PCS, NULL},
    {"archive", 0, INPUT_FXT, "region-size"},
    {"byte-order", 0, INPUT_FXT, NULL},
    {"count-name", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"cpu", 0, INPUT_SAMPLES, NULL},
    {"cpu-mask", 0, INPUT_SAMPLES | INPUT_CAPTURES, NULL},
    {"cpus", 0, INPUT_SAMPLES | INPUT_CAPTURES, NULL},
    {"diff", FXT_PROFILE_USE_GRAPH, INPUT_ALL, "no-merge"},
    {"elf", 0, INPUT_PCS, "unsymbolized"},
    {"full-names", 0, INPUT_GDB, NULL},
    {"height", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"ids", 0, INPUT_FXT | INPUT_SUMS, NULL},
    {"kallsyms", 0, INPUT_PCS, "unsymbolized"},
    {"lines", FXT_PROFILE_USE_LINES, INPUT_PCS, "unsymbolized"},
    {"merge-cpus", 0, INPUT_SAMPLES | INPUT_WALL | INPUT_CAPTURES, NULL},
    {"min-width", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"no-merge", 0, INPUT_ALL & ~INPUT_FOLDED, NULL},
    {"palette", FXT_PROFILE_USE_GRAPH, INPUT_ALL, "diff"},
    {"min-wait", 0, INPUT_SAMPLES | INPUT_WAITS, NULL},
    {"period", 0, INPUT_SAMPLES | INPUT_WALL | INPUT_CAPTURES, NULL},
    {"pid", 0, INPUT_FXT, NULL},
    {"point", 0, INPUT_HEAPS, NULL},
    {"process", 0, INPUT_FXT | INPUT_SUMS, NULL},
    {"region", 0, INPUT_FXT, NULL},
    {"region-size", 0, INPUT_FXT, NULL},
    {"resync", 0, INPUT_FXT, NULL},
    {"reverse", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"sampler", 0, INPUT_SAMPLES | INPUT_WALL, NULL},
    {"sched", FXT_PROFILE_USE_SPANS, INPUT_SAMPLES | INPUT_WAITS, "spans"},
    {"spans", FXT_PROFILE_USE_SPANS, INPUT_SAMPLES | INPUT_SPANS, NULL},
    {"subtitle", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"ticks-per-second", 0, INPUT_FXT, NULL},
    {"tid", 0, INPUT_FXT | INPUT_GDB, NULL},
    {"time", 0, INPUT_FXT, NULL},
    {"timestamps", 0, INPUT_SAMPLES | INPUT_SPANS | INPUT_WAITS, NULL},
    {"title", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"unsymbolized", 0, INPUT_PCS, NULL},
    {"upright", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"value", FXT_PROFILE_USE_VALUE, INPUT_ALL, NULL},
    {"width", FXT_PROFILE_USE_GRAPH, INPUT_ALL, NULL},
    {"with-tags", 0, INPUT_HEAPS, NULL},
};

enum { N_USES = sizeof(uses) / sizeof(uses[0]) };

static bool is_given(const struct options *o, const char *option)
{
    for (size_t i = 0; option != NULL && i < o->n_given; i++) {
        if (strcmp(o->given[i], option) == 0)
            return true;
    }
    return false;
}

static const char *name_of_kind(enum input_kind kind)
{
    switch (kind) {
    case INPUT_SAMPLES:
        return "samples";
    case INPUT_SPANS:
        return "--spans";
    case INPUT_SCHED:
    case INPUT_WALL:
        return "--sched";
    case INPUT_HEAPS:
        return "heaps";
    case INPUT_GDB:
        return "a log of gdb's";
    case INPUT_JSON:
        return "captures in JSON";
    case INPUT_FOLDED:
        return "folded stacks";
    case INPUT_SUMS:
        return "--clickhouse";
    }
    return "";
}

bool options_check_input(const struct options *o, const char *name, enum input_kind kind)
{
    if (o->base != NULL && kind != INPUT_HEAPS)
        return complain(o->program, name, "--diff has no meaning with %s",
                        name_of_kind(kind));
    for (size_t i = 0; i < N_USES; i++) {
        if ((uses[i].inputs & kind) != 0 || !is_given(o, uses[i].option))
            continue;
        return complain(o->program, name, "--%s has no meaning with %s", uses[i].option,
                        name_of_kind(kind));
    }
    return true;
}

bool options_check_captures(const struct options *o, const char *name,
                            enum fxt_profile_content content)
{
    switch (content) {
    case FXT_PROFILE_CONTENT_ANY:
    case FXT_PROFILE_CONTENT_FXT:
        break;
    case FXT_PROFILE_CONTENT_GDB_LOG:
        return options_check_input(o, name, INPUT_GDB);
    case FXT_PROFILE_CONTENT_OSDK_JSON:
        return options_check_input(o, name, INPUT_JSON);
    case FXT_PROFILE_CONTENT_FOLDED:
        return options_check_input(o, name, INPUT_FOLDED);
    }
    return true;
}

/* What is known of the input from the options. */
static bool check_given_input(const struct options *o)
{
    if (o->input.content > FXT_PROFILE_CONTENT_FXT)
        return options_check_captures(o, NULL, o->input.content);
    if (o->build.source == FXT_PROFILE_SUMS)
        return options_check_input(o, NULL, INPUT_SUMS);
    if (o->build.source == FXT_PROFILE_SPANS)
        return options_check_input(o, NULL, INPUT_SPANS);
    if (o->build.source == FXT_PROFILE_WALL_CLOCK)
        return options_check_input(o, NULL, INPUT_WALL);
    if (options_is_of_sched(o))
        return options_check_input(o, NULL, INPUT_SCHED);
    return o->base == NULL || options_check_input(o, NULL, INPUT_HEAPS);
}

/* Adds the names of the formats of which that is shown. */
static void add_formats(struct text *text, const struct converter *c, uint32_t use)
{
    struct fxt_profile_format_info info;
    enum fxt_profile_format format =
        options_next_format(c, FXT_PROFILE_FORMAT_ANY, &info);

    for (; format != FXT_PROFILE_FORMAT_ANY;
         format = options_next_format(c, format, &info)) {
        if ((info.uses & use) != 0)
            text_printf(text, "%s%s", text->size > 0 ? " " : "", info.name);
    }
}

static void complain_of_format(const struct options *o, const struct converter *c,
                               const struct use *use)
{
    struct text formats = {NULL, 0, 0};

    add_formats(&formats, c, use->use);
    complain(o->program, NULL, "--%s has no meaning with --format %s, only with %.*s",
             use->option, o->format.name, (int)formats.size, formats.data);
}

/* fxt2pprof's --diff, which subtracts heaps. */
static bool is_subtraction(const struct options *o, const struct use *use)
{
    return o->base != NULL && strcmp(use->option, "diff") == 0;
}

/* A comparison, as with --diff. */
static bool can_compare(const struct options *o, const struct converter *c)
{
    return c->subtracts || c->write_own != NULL ||
           (o->format.uses & FXT_PROFILE_USE_GRAPH) != 0;
}

bool options_check_uses(const struct options *o, const struct converter *c)
{
    static const struct use where = {"diff-where", FXT_PROFILE_USE_GRAPH, 0, NULL};
    static const struct use points = {"point EARLIER..N", FXT_PROFILE_USE_GRAPH, 0, NULL};
    bool compares = o->has_earlier_point || o->before_where != NULL;

    if (compares && !can_compare(o, c)) {
        complain_of_format(o, c, o->has_earlier_point ? &points : &where);
        return false;
    }
    for (size_t i = 0; i < N_USES; i++) {
        const struct use *use = &uses[i];

        if (!is_given(o, use->option) || is_subtraction(o, use))
            continue;
        if (use->use != 0 && (o->format.uses & use->use) == 0) {
            complain_of_format(o, c, use);
            return false;
        }
        if (is_given(o, use->beside))
            return complain(o->program, NULL, "--%s has no meaning with --%s",
                            use->option, use->beside);
    }
    return check_given_input(o);
}
