/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2folded: samples of a kernel or a process to folded stacks and flame graphs. */
#include <string.h>

#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/clickhouse/query.h"

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

static bool take_roots(struct option_given *given)
{
    struct options *options = given->options;
    const char *value = given->value;

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

static const char *const ids[] = {[FXT_PROFILE_IDS_ALWAYS] = "always",
                                  [FXT_PROFILE_IDS_REPEATED] = "repeated",
                                  [FXT_PROFILE_IDS_NEVER] = "never"};

static bool take_min_width(struct option_given *given)
{
    struct options *o = given->options;
    uint64_t hundredths;

    if (!parse_hundredths(given->value, &hundredths) ||
        hundredths > FXT_PROFILE_MAX_MIN_WIDTH)
        return false;
    o->write.min_width = (uint32_t)hundredths;
    o->write.all_frames = hundredths == 0;
    return true;
}

static bool take_palette(struct option_given *given)
{
    struct options *o = given->options;

    return fxt_profile_palette_find(given->value, &o->write.palette);
}

#define OPTION_STRUCT struct options

static const struct option_entry writing_options[] = {
    {"format", 0, "FORMAT", OPTION_CALL(options_take_format),
     "one of the formats below (default: by the output's suffix, else folded)"},
    {"lines", 0, NULL, OPTION_FLAG(write.lines),
     "frames have their file and line, where known"},
    {"roots", 0, "LIST", OPTION_CALL(take_roots),
     "what each stack begins with: process, thread and cpu, in any order, or none "
     "(default: process; --sched off-cpu, and speedscope, which makes a profile of each: "
     "process,thread)"},
    {"ids", 0, "WHEN", OPTION_WORD(write.ids, ids),
     "processes and threads have their numbers always, where their names are repeated, "
     "or never (default: always; svg: repeated, and with --diff never)"},
    {"value", 0, "VALUE", OPTION_CALL(options_take_value),
     "what to count: samples (or spans, waits), or time; of heaps objects or bytes; or "
     "an event that was sampled, such as page-faults (default: time for spans and waits, "
     "bytes for heaps, the first event where there are several, else samples)"},
    {"annotate", 0, NULL, OPTION_FLAG(write.annotate),
     "mark functions of the kernel with _[k], and inlined ones with _[i]"},
    {"no-merge", 0, NULL, OPTION_FLAG(write.no_merge),
     "every sample separately, in the order of time; with svg a flame chart"},
    OPTIONS_END,
};

static const struct option_entry flame_options[] = {
    {"title", 0, "TEXT", OPTION_STRING(write.title), "text above the graph"},
    {"subtitle", 0, "TEXT", OPTION_STRING(write.subtitle), "text below the title"},
    {"width", 0, "PX",
     OPTION_NUMBER(write.width, parse_u64, FXT_PROFILE_MIN_GRAPH_WIDTH,
                   FXT_PROFILE_MAX_GRAPH_WIDTH),
     "200 to 100000 pixels (default: as wide as the window)"},
    {"height", 0, "PX",
     OPTION_NUMBER(write.frame_height, parse_u64, FXT_PROFILE_MIN_FRAME_HEIGHT,
                   FXT_PROFILE_MAX_FRAME_HEIGHT),
     "the height of a frame, 4 to 100 pixels (default: 16)"},
    {"min-width", 0, "PX", OPTION_CALL(take_min_width),
     "leave out narrower frames, 0 to 100 pixels with up to two decimals (default: 0.1)"},
    {"palette", 0, "NAME", OPTION_CALL(take_palette),
     "hot (the default), mem, io, or module, where colours stand for files"},
    {"upright", 0, NULL, OPTION_FLAG(write.upright),
     "roots at the bottom (flames; default: icicles)"},
    {"diff", 0, "BEFORE", OPTION_NAME(before),
     "compare with an earlier recording: red for more, blue for less"},
    {"reverse", 0, NULL, OPTION_FLAG(write.reverse),
     "stacks begin with the innermost function: merged by callers"},
    {"count-name", 0, "NAME", OPTION_NAME(write.count_name),
     "what is counted (default: samples)"},
    OPTIONS_END,
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

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2folded",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .query = query_database,
    };

    return convert_main(&converter, argc, argv);
}
