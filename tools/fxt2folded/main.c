/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2folded: samples of a kernel or a process to folded stacks and flame graphs. */
#include <string.h>

#include "tools/convert/convert.h"

enum {
    LETTER_ANNOTATE = OPTIONS_FIRST_OWN,
    LETTER_FORMAT,
    LETTER_LINES,
    LETTER_NO_MERGE,
    LETTER_ROOTS,
    LETTER_VALUE,
    LETTER_COUNT_NAME,
    LETTER_HEIGHT,
    LETTER_INVERTED,
    LETTER_MIN_WIDTH,
    LETTER_PALETTE,
    LETTER_REVERSE,
    LETTER_SUBTITLE,
    LETTER_TITLE,
    LETTER_WIDTH
};

static const struct option_entry writing_options[] = {
    {"format", LETTER_FORMAT, "FORMAT",
     "folded, svg for a flame graph, speedscope, json for the captures of cargo-osdk, or "
     "markup for Fuchsia's symbolizer (default: by the output's suffix: .svg, "
     ".speedscope.json, .json, .markup; else folded)"},
    {"lines", LETTER_LINES, NULL, "frames have their file and line, where known"},
    {"roots", LETTER_ROOTS, "LIST",
     "what each stack begins with: process, thread and cpu, in any order, or none "
     "(default: process; speedscope, which makes a profile of each: process,thread)"},
    {"value", LETTER_VALUE, "VALUE",
     "what to count: samples (or spans), or time; of heaps objects or bytes (default: "
     "time for spans, bytes for heaps, else samples)"},
    {"annotate", LETTER_ANNOTATE, NULL,
     "mark functions of the kernel with _[k], and inlined ones with _[i]"},
    {"no-merge", LETTER_NO_MERGE, NULL,
     "every sample by itself, in the order of time; with svg a flame chart"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry flame_options[] = {
    {"title", LETTER_TITLE, "TEXT", "text above the graph"},
    {"subtitle", LETTER_SUBTITLE, "TEXT", "text below the title"},
    {"width", LETTER_WIDTH, "PX",
     "200 to 100000 pixels (default: as wide as the window)"},
    {"height", LETTER_HEIGHT, "PX",
     "the height of a frame, 4 to 100 pixels (default: 16)"},
    {"min-width", LETTER_MIN_WIDTH, "PX",
     "leave out narrower frames, 0 to 100 pixels with up to two decimals (default: 0.1)"},
    {"palette", LETTER_PALETTE, "NAME",
     "hot (the default), mem, io, or module, where colours stand for files"},
    {"inverted", LETTER_INVERTED, NULL, "roots at the top (an icicle graph)"},
    {"reverse", LETTER_REVERSE, NULL,
     "stacks begin with the innermost function: merged by callers"},
    {"count-name", LETTER_COUNT_NAME, "NAME", "what is counted (default: samples)"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group groups[] = {
    {"Reading", options_reading},
    {"Choosing", options_choosing},
    {"Naming", options_naming},
    {"Writing", writing_options},
    {"Flame graphs", flame_options},
    {NULL, options_general},
    {NULL, NULL},
};

static const struct output_format *const formats[] = {
    &output_folded, &output_markup, &output_svg, &output_speedscope, &output_json, NULL};

static const char usage[] =
    "Usage: fxt2folded [OPTION]... [FILE]...\n"
    "Turns the samples in FXT regions and archives into folded stacks: a line for each\n"
    "stack, root;caller;leaf and how often it was seen; or into a flame graph. No FILE,\n"
    "or -, is standard input. Compressed files (gzip) are read as they are. The first\n"
    "region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

static bool has_root(const struct output_settings *settings, enum folded_root root)
{
    for (size_t i = 0; i < settings->n_roots; i++) {
        if (settings->roots[i] == root)
            return true;
    }
    return false;
}

static bool take_root(struct output_settings *settings, const char *name, size_t size)
{
    static const char *const names[] = {
        [FOLDED_PROCESS] = "process", [FOLDED_THREAD] = "thread", [FOLDED_CPU] = "cpu"};

    for (size_t i = 0; i < FOLDED_ROOTS; i++) {
        if (strlen(names[i]) != size || memcmp(names[i], name, size) != 0)
            continue;
        if (has_root(settings, (enum folded_root)i))
            return false;
        settings->roots[settings->n_roots++] = (enum folded_root)i;
        return true;
    }
    return false;
}

static bool take_roots(struct output_settings *settings, const char *value)
{
    settings->n_roots = 0;
    settings->has_roots = true;
    if (strcmp(value, "none") == 0)
        return true;
    for (;;) {
        size_t size = strcspn(value, ",");

        if (!take_root(settings, value, size))
            return false;
        if (value[size] == '\0')
            return true;
        value += size + 1;
    }
}

static bool take_value(struct output_settings *settings, const char *value)
{
    if (strcmp(value, "samples") == 0 || strcmp(value, "spans") == 0)
        settings->value = OUTPUT_VALUE_COUNT;
    else if (strcmp(value, "time") == 0)
        settings->value = OUTPUT_VALUE_TIME;
    else if (strcmp(value, "objects") == 0)
        settings->value = OUTPUT_VALUE_OBJECTS;
    else if (strcmp(value, "bytes") == 0)
        settings->value = OUTPUT_VALUE_BYTES;
    else
        return false;
    return true;
}

/* A length from `min` to `max`, in whole pixels. */
static bool take_length(uint32_t *length, const char *value, uint32_t min, uint32_t max)
{
    uint64_t number;

    if (!parse_u64(value, &number) || number < min || number > max)
        return false;
    *length = (uint32_t)number;
    return true;
}

static bool take_min_width(struct flame_settings *flame, const char *value)
{
    uint64_t hundredths;

    if (!parse_hundredths(value, &hundredths) || hundredths > FLAME_MIN_WIDTH_MAX)
        return false;
    flame->min_width = (uint32_t)hundredths;
    return true;
}

static bool take_flame(struct flame_settings *flame, int letter, const char *value)
{
    switch (letter) {
    case LETTER_COUNT_NAME:
        flame->count_name = value;
        return value[0] != '\0';
    case LETTER_HEIGHT:
        return take_length(&flame->frame_height, value, FLAME_FRAME_HEIGHT_MIN,
                           FLAME_FRAME_HEIGHT_MAX);
    case LETTER_INVERTED:
        flame->inverted = true;
        return true;
    case LETTER_MIN_WIDTH:
        return take_min_width(flame, value);
    case LETTER_PALETTE:
        return palette_find(value, &flame->palette);
    case LETTER_REVERSE:
        flame->reverse = true;
        return true;
    case LETTER_SUBTITLE:
        flame->subtitle = value;
        return true;
    case LETTER_TITLE:
        flame->title = value;
        return true;
    case LETTER_WIDTH:
        return take_length(&flame->width, value, FLAME_WIDTH_MIN, FLAME_WIDTH_MAX);
    default:
        return false;
    }
}

static bool take_own(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case LETTER_ANNOTATE:
        options->settings.annotate = true;
        return true;
    case LETTER_FORMAT:
        return options_take_format(options, formats, value);
    case LETTER_LINES:
        options->settings.lines = true;
        return true;
    case LETTER_NO_MERGE:
        options->settings.no_merge = true;
        return true;
    case LETTER_ROOTS:
        return take_roots(&options->settings, value);
    case LETTER_VALUE:
        return take_value(&options->settings, value);
    default:
        return take_flame(&options->settings.flame, letter, value);
    }
}

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2folded",
        .usage = usage,
        .groups = groups,
        .formats = formats,
        .take_own = take_own,
        .settings =
            {
                .flame = {.frame_height = 16, .min_width = 10, .palette = PALETTE_HOT},
            },
    };

    return convert_main(&converter, argc, argv);
}
