/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2pprof: samples of a kernel or a process to a profile that pprof reads. */
#include "tools/convert/convert.h"
#include "tools/convert/options_choose.h"
#include "tools/convert/options_database.h"
#include "tools/convert/options_name.h"
#include "tools/convert/options_parse.h"
#include "tools/convert/options_read.h"
#include "tools/clickhouse/query.h"
#include "tools/convert/start_time.h"

enum {
    LETTER_DIFF = OPTIONS_FIRST_OWN,
    LETTER_MERGE_CPUS,
    LETTER_NO_GZIP,
    LETTER_RAW_LABELS,
    LETTER_START_TIME,
    LETTER_TIMESTAMPS,
    LETTER_WITH_TAGS
};

static const struct option_entry writing_options[] = {
    START_TIME_OPTION(LETTER_START_TIME),
    {"timestamps", LETTER_TIMESTAMPS, NULL,
     "label each sample with its time, and so do not merge them"},
    {"merge-cpus", LETTER_MERGE_CPUS, NULL,
     "do not label samples with their CPU, and so merge those of all CPUs"},
    {"raw-labels", LETTER_RAW_LABELS, NULL,
     "label samples with numbers only, and no names"},
    {"diff", LETTER_DIFF, "BASE",
     "of heaps: what has grown since the snapshot BASE of the same processes; what has "
     "become less is below 0"},
    {"with-tags", LETTER_WITH_TAGS, NULL,
     "of heaps: each block separately, with its address, size, time and thread"},
    {"no-gzip", LETTER_NO_GZIP, NULL, "do not compress the profile"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group groups[] = {
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {"From ClickHouse", options_database},
    {OPTION_GROUP_GOES_ON, options_server},
    {"Choosing", options_sources},
    {OPTION_GROUP_GOES_ON, options_choosing},
    {OPTION_GROUP_GOES_ON, options_points},
    {"Naming", options_naming},
    {"Writing", writing_options},
    {NULL, options_general},
    {NULL, NULL},
};

static const char usage[] = "Usage: fxt2pprof [OPTION]... [FILE]...\n"
                            "Turns the samples in FXT regions and archives into a "
                            "profile for pprof. No FILE, or\n"
                            "-, is standard input. Compressed files (gzip, zstd) are "
                            "read as they are. The first\n"
                            "region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

static bool take_own(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case LETTER_DIFF:
        options->base = value;
        return value[0] != '\0';
    case LETTER_WITH_TAGS:
        options->build.keep_blocks = true;
        return true;
    case LETTER_MERGE_CPUS:
        options->build.ignore_cpus = true;
        return true;
    case LETTER_NO_GZIP:
        options->write.no_gzip = true;
        return true;
    case LETTER_RAW_LABELS:
        options->build.ignore_renames = true;
        options->write.raw_labels = true;
        return true;
    case LETTER_TIMESTAMPS:
        options->build.keep_times = true;
        return true;
    case LETTER_START_TIME:
        return start_time_take(options, value);
    default:
        return false;
    }
}

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2pprof",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_PPROF,
        .take_own = take_own,
        .query = query_database,
        .subtracts = true,
    };

    return convert_main(&converter, argc, argv);
}
