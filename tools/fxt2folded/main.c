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

static const struct option own_options[] = {
    {"annotate", no_argument, NULL, LETTER_ANNOTATE},
    {"count-name", required_argument, NULL, LETTER_COUNT_NAME},
    {"format", required_argument, NULL, LETTER_FORMAT},
    {"height", required_argument, NULL, LETTER_HEIGHT},
    {"inverted", no_argument, NULL, LETTER_INVERTED},
    {"lines", no_argument, NULL, LETTER_LINES},
    {"min-width", required_argument, NULL, LETTER_MIN_WIDTH},
    {"no-merge", no_argument, NULL, LETTER_NO_MERGE},
    {"palette", required_argument, NULL, LETTER_PALETTE},
    {"reverse", no_argument, NULL, LETTER_REVERSE},
    {"roots", required_argument, NULL, LETTER_ROOTS},
    {"subtitle", required_argument, NULL, LETTER_SUBTITLE},
    {"title", required_argument, NULL, LETTER_TITLE},
    {"value", required_argument, NULL, LETTER_VALUE},
    {"width", required_argument, NULL, LETTER_WIDTH},
    {NULL, 0, NULL, 0},
};

static const struct output_format *const formats[] = {
    &output_folded, &output_markup, &output_svg, &output_speedscope, &output_json, NULL};

static const char help_start[] =
    "Usage: fxt2folded [OPTION]... [FILE]...\n"
    "Turns the samples in FXT regions and archives into folded stacks: a line for each\n"
    "stack, root;caller;leaf and how often it was seen; or into a flame graph. No FILE,\n"
    "or -, is standard input. Compressed files (gzip) are read as they are. The first\n"
    "region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

static const char help_end[] =
    "\n"
    "Writing:\n"
    "      --format FORMAT     folded, svg for a flame graph, speedscope, json for the\n"
    "                          captures of cargo-osdk, or markup for Fuchsia's\n"
    "                          symbolizer (default: as the output's name ends: .svg,\n"
    "                          .speedscope.json, .json, .markup; else folded)\n"
    "      --lines             frames say their file and line, where they are known\n"
    "      --roots LIST        what each stack begins with: process, thread and cpu, in\n"
    "                          any order, or none (default: process; speedscope, which\n"
    "                          makes a profile of each: process,thread)\n"
    "      --value VALUE       what to count: samples (or spans), or time; of heaps "
    "objects\n"
    "                          or bytes (default: time for spans, bytes for heaps, else\n"
    "                          samples)\n"
    "      --annotate          mark functions of the kernel with _[k], and inlined ones\n"
    "                          with _[i]\n"
    "      --no-merge          every sample by itself, in the order of time; with svg a\n"
    "                          flame chart\n"
    "\n"
    "Flame graphs:\n"
    "      --title TEXT, --subtitle TEXT\n"
    "                          what stands above the graph\n"
    "      --width PX          200 to 100000 pixels (default: as wide as the window)\n"
    "      --height PX         the height of a frame, 4 to 100 pixels (default: 16)\n"
    "      --min-width PX      leave out narrower frames, 0 to 100 pixels with up to "
    "two\n"
    "                          decimals (default: 0.1)\n"
    "      --palette NAME      hot (the default), mem, io, or module, where colours "
    "stand\n"
    "                          for files\n"
    "      --inverted          roots at the top (an icicle graph)\n"
    "      --reverse           stacks begin with what was running: merged by callers\n"
    "      --count-name NAME   what is counted (default: samples)\n";

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
        .help_start = help_start,
        .help_end = help_end,
        .formats = formats,
        .own_options = own_options,
        .take_own = take_own,
        .settings =
            {
                .flame = {.frame_height = 16, .min_width = 10, .palette = PALETTE_HOT},
            },
    };

    return convert_main(&converter, argc, argv);
}
