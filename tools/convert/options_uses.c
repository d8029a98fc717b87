/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_uses.h. */
#include "options_uses.h"

#include <string.h>

#include "tools/common/report.h"

enum {
    INPUT_CAPTURES = INPUT_GDB | INPUT_JSON,
    INPUT_FXT = INPUT_SAMPLES | INPUT_SPANS | INPUT_HEAPS,
    INPUT_PCS = INPUT_SAMPLES | INPUT_HEAPS,
    INPUT_ALL = INPUT_FXT | INPUT_CAPTURES
};

/* Those of fxt2folded's formats where it has an effect, by their names, with spaces
 * between, and NULL for all; kinds of input; and another option that leaves this one
 * without effect, or NULL. What is not here has an effect anywhere, or is let pass. */
static const struct use {
    const char *option;
    const char *formats;
    unsigned inputs;
    const char *beside;
} uses[] = {
    {"annotate", "folded svg speedscope json", INPUT_PCS, NULL},
    {"archive", NULL, INPUT_FXT, "region-size"},
    {"byte-order", NULL, INPUT_FXT, NULL},
    {"count-name", "svg", INPUT_ALL, NULL},
    {"cpu", NULL, INPUT_SAMPLES, NULL},
    {"cpu-mask", NULL, INPUT_SAMPLES | INPUT_CAPTURES, NULL},
    {"cpus", NULL, INPUT_SAMPLES | INPUT_CAPTURES, NULL},
    {"diff", NULL, INPUT_HEAPS, NULL},
    {"elf", NULL, INPUT_PCS, "unsymbolized"},
    {"full-names", NULL, INPUT_GDB, NULL},
    {"height", "svg", INPUT_ALL, NULL},
    {"inverted", "svg", INPUT_ALL, NULL},
    {"kallsyms", NULL, INPUT_PCS, "unsymbolized"},
    {"lines", "folded svg speedscope json", INPUT_PCS, "unsymbolized"},
    {"min-width", "svg", INPUT_ALL, NULL},
    {"palette", "svg", INPUT_ALL, NULL},
    {"period", NULL, INPUT_SAMPLES | INPUT_CAPTURES, NULL},
    {"pid", NULL, INPUT_FXT, NULL},
    {"process", NULL, INPUT_FXT, NULL},
    {"region", NULL, INPUT_FXT, NULL},
    {"region-size", NULL, INPUT_FXT, NULL},
    {"resync", NULL, INPUT_FXT, NULL},
    {"reverse", "svg", INPUT_ALL, NULL},
    {"sampler", NULL, INPUT_SAMPLES, NULL},
    {"spans", "folded svg speedscope", INPUT_SAMPLES | INPUT_SPANS, NULL},
    {"subtitle", "svg", INPUT_ALL, NULL},
    {"ticks-per-second", NULL, INPUT_FXT, NULL},
    {"tid", NULL, INPUT_FXT | INPUT_GDB, NULL},
    {"time", NULL, INPUT_FXT, NULL},
    {"timestamps", NULL, INPUT_SAMPLES | INPUT_SPANS, NULL},
    {"title", "svg", INPUT_ALL, NULL},
    {"unsymbolized", NULL, INPUT_PCS, NULL},
    {"value", "folded svg speedscope", INPUT_ALL, NULL},
    {"width", "svg", INPUT_ALL, NULL},
    {"with-tags", NULL, INPUT_HEAPS, NULL},
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

static bool lists_word(const char *words, const char *word)
{
    size_t size = strlen(word);

    for (const char *at = words; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, size) == 0 && (at[size] == ' ' || at[size] == '\0'))
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
    case INPUT_HEAPS:
        return "heaps";
    case INPUT_GDB:
        return "a log of gdb's";
    case INPUT_JSON:
        return "captures in JSON";
    }
    return "";
}

bool options_check_input(const struct options *o, const char *name, enum input_kind kind)
{
    for (size_t i = 0; i < N_USES; i++) {
        if ((uses[i].inputs & kind) != 0 || !is_given(o, uses[i].option))
            continue;
        complain(o->program, name, "--%s has no meaning with %s", uses[i].option,
                 name_of_kind(kind));
        return false;
    }
    return true;
}

/* What is known of the input from the options. */
static bool check_given_input(const struct options *o)
{
    if (o->input.content == FXT_PROFILE_CONTENT_GDB_LOG)
        return options_check_input(o, NULL, INPUT_GDB);
    if (o->input.content == FXT_PROFILE_CONTENT_OSDK_JSON)
        return options_check_input(o, NULL, INPUT_JSON);
    if (o->build.source == FXT_PROFILE_SPANS)
        return options_check_input(o, NULL, INPUT_SPANS);
    return o->base == NULL || options_check_input(o, NULL, INPUT_HEAPS);
}

bool options_check_uses(const struct options *o)
{
    const char *format = fxt_profile_format_name(o->write.format);

    for (size_t i = 0; i < N_USES; i++) {
        const struct use *use = &uses[i];

        if (!is_given(o, use->option))
            continue;
        if (use->formats != NULL && o->write.format != FXT_PROFILE_PPROF &&
            !lists_word(use->formats, format)) {
            complain(o->program, NULL,
                     "--%s has no meaning with --format %s, only with %s", use->option,
                     format, use->formats);
            return false;
        }
        if (is_given(o, use->beside)) {
            complain(o->program, NULL, "--%s has no meaning with --%s", use->option,
                     use->beside);
            return false;
        }
    }
    return check_given_input(o);
}
