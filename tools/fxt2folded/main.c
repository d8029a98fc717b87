/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2folded: samples of a kernel or a process to folded stacks and flame graphs. */
#include <string.h>

#include "tools/convert/convert.h"
#include "tools/convert/options_choose.h"
#include "tools/convert/options_database.h"
#include "tools/convert/options_format.h"
#include "tools/convert/options_name.h"
#include "tools/convert/options_parse.h"
#include "tools/convert/options_read.h"
#include "tools/convert/options_value.h"
#include "tools/clickhouse/query.h"

enum {
    LETTER_ANNOTATE = OPTIONS_FIRST_OWN,
    LETTER_FORMAT,
    LETTER_IDS,
    LETTER_LINES,
    LETTER_NO_MERGE,
    LETTER_ROOTS,
    LETTER_VALUE,
    LETTER_COUNT_NAME,
    LETTER_DIFF,
    LETTER_HEIGHT,
    LETTER_MIN_WIDTH,
    LETTER_PALETTE,
    LETTER_REVERSE,
    LETTER_SUBTITLE,
    LETTER_TITLE,
    LETTER_UPRIGHT,
    LETTER_WIDTH
};

static const struct option_entry writing_options[] = {
    {"format", LETTER_FORMAT, "FORMAT",
     "one of the formats below (default: by the output's suffix, else folded)"},
    {"lines", LETTER_LINES, NULL, "frames have their file and line, where known"},
    {"roots", LETTER_ROOTS, "LIST",
     "what each stack begins with: process, thread and cpu, in any order, or none "
     "(default: process; --sched off-cpu, and speedscope, which makes a profile of each: "
     "process,thread)"},
    {"ids", LETTER_IDS, "WHEN",
     "processes and threads have their numbers always, where their names are repeated, "
     "or never (default: always; svg: repeated, and with --diff never)"},
    {"value", LETTER_VALUE, "VALUE",
     "what to count: samples (or spans, waits), or time; of heaps objects or bytes; or "
     "an event that was sampled, such as page-faults (default: time for spans and waits, "
     "bytes for heaps, the first event where there are several, else samples)"},
    {"annotate", LETTER_ANNOTATE, NULL,
     "mark functions of the kernel with _[k], and inlined ones with _[i]"},
    {"no-merge", LETTER_NO_MERGE, NULL,
     "every sample separately, in the order of time; with svg a flame chart"},
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
    {"upright", LETTER_UPRIGHT, NULL, "roots at the bottom (flames; default: icicles)"},
    {"diff", LETTER_DIFF, "BEFORE",
     "compare with an earlier recording: red for more, blue for less"},
    {"reverse", LETTER_REVERSE, NULL,
     "stacks begin with the innermost function: merged by callers"},
    {"count-name", LETTER_COUNT_NAME, "NAME", "what is counted (default: samples)"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group groups[] = {
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {"From ClickHouse", options_database},
    {OPTION_GROUP_GOES_ON, options_database_diff},
    {OPTION_GROUP_GOES_ON, options_server},
    {"Choosing", options_sources},
    {OPTION_GROUP_GOES_ON, options_choosing},
    {OPTION_GROUP_GOES_ON, options_points},
    {"Naming", options_naming},
    {"Writing", writing_options},
    {"Flame graphs", flame_options},
    {NULL, options_general},
    {NULL, NULL},
};

static const char usage[] =
    "Usage: fxt2folded [OPTION]... [FILE]...\n"
    "Turns the samples in FXT regions and archives into folded stacks: a line for each\n"
    "stack, root;caller;leaf and how often it was seen; or into a flame graph. No FILE,\n"
    "or -, is standard input. Compressed files (gzip, zstd) are read as they are.\n"
    "The first region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

static bool has_root(const struct options *options, enum fxt_profile_root root)
{
    for (size_t i = 0; i < options->write.n_roots; i++) {
        if (options->roots[i] == root)
            return true;
    }
    return false;
}

static bool take_root(struct options *options, const char *name, size_t size)
{
    static const char *const names[N_ROOTS] = {[FXT_PROFILE_ROOT_PROCESS] = "process",
                                               [FXT_PROFILE_ROOT_THREAD] = "thread",
                                               [FXT_PROFILE_ROOT_CPU] = "cpu"};

    for (size_t i = 0; i < N_ROOTS; i++) {
        if (strlen(names[i]) != size || memcmp(names[i], name, size) != 0)
            continue;
        if (has_root(options, (enum fxt_profile_root)i))
            return false;
        options->roots[options->write.n_roots++] = (enum fxt_profile_root)i;
        return true;
    }
    return false;
}

static bool take_roots(struct options *options, const char *value)
{
    options->write.roots = options->roots;
    options->write.n_roots = 0;
    if (strcmp(value, "none") == 0)
        return true;
    for (;;) {
        size_t size = strcspn(value, ",");

        if (!take_root(options, value, size))
            return false;
        if (value[size] == '\0')
            return true;
        value += size + 1;
    }
}

static bool take_ids(enum fxt_profile_ids *to, const char *value)
{
    if (strcmp(value, "always") == 0)
        *to = FXT_PROFILE_IDS_ALWAYS;
    else if (strcmp(value, "repeated") == 0)
        *to = FXT_PROFILE_IDS_REPEATED;
    else if (strcmp(value, "never") == 0)
        *to = FXT_PROFILE_IDS_NEVER;
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

static bool take_min_width(struct fxt_profile_output *write, const char *value)
{
    uint64_t hundredths;

    if (!parse_hundredths(value, &hundredths) || hundredths > FXT_PROFILE_MAX_MIN_WIDTH)
        return false;
    write->min_width = (uint32_t)hundredths;
    write->all_frames = hundredths == 0;
    return true;
}

static bool take_flame(struct fxt_profile_output *write, int letter, const char *value)
{
    switch (letter) {
    case LETTER_COUNT_NAME:
        write->count_name = value;
        return value[0] != '\0';
    case LETTER_HEIGHT:
        return take_length(&write->frame_height, value, FXT_PROFILE_MIN_FRAME_HEIGHT,
                           FXT_PROFILE_MAX_FRAME_HEIGHT);
    case LETTER_MIN_WIDTH:
        return take_min_width(write, value);
    case LETTER_PALETTE:
        return fxt_profile_palette_find(value, &write->palette);
    case LETTER_REVERSE:
        write->reverse = true;
        return true;
    case LETTER_SUBTITLE:
        write->subtitle = value;
        return true;
    case LETTER_TITLE:
        write->title = value;
        return true;
    case LETTER_UPRIGHT:
        write->upright = true;
        return true;
    case LETTER_WIDTH:
        return take_length(&write->width, value, FXT_PROFILE_MIN_GRAPH_WIDTH,
                           FXT_PROFILE_MAX_GRAPH_WIDTH);
    default:
        return false;
    }
}

static bool take_own(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case LETTER_DIFF:
        options->before = value;
        return value[0] != '\0';
    case LETTER_ANNOTATE:
        options->write.annotate = true;
        return true;
    case LETTER_FORMAT:
        return options_take_format(options, value);
    case LETTER_IDS:
        return take_ids(&options->write.ids, value);
    case LETTER_LINES:
        options->write.lines = true;
        return true;
    case LETTER_NO_MERGE:
        options->build.keep_times = true;
        options->write.no_merge = true;
        return true;
    case LETTER_ROOTS:
        return take_roots(options, value);
    case LETTER_VALUE:
        return options_take_value(&options->write, value);
    default:
        return take_flame(&options->write, letter, value);
    }
}

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2folded",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .take_own = take_own,
        .query = query_database,
    };

    return convert_main(&converter, argc, argv);
}
