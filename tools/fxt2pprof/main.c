/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2pprof: samples of a kernel or a process to a profile that pprof reads. */
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/clickhouse/query.h"

#define OPTION_STRUCT struct options

static const struct option_entry writing_options[] = {
    {"timestamps", 0, NULL, OPTION_FLAG(build.keep_times),
     "label each sample with its time, and so do not merge them"},
    {"merge-cpus", 0, NULL, OPTION_FLAG(build.ignore_cpus),
     "do not label samples with their CPU, and so merge those of all CPUs"},
    {"raw-labels", 0, NULL, OPTION_FLAG(write.raw_labels),
     "label samples with numbers only, and no names"},
    {"diff", 0, "BASE", OPTION_NAME(base),
     "of heaps: what has grown since the snapshot BASE of the same processes; what has "
     "become less is below 0"},
    {"with-tags", 0, NULL, OPTION_FLAG(build.keep_blocks),
     "of heaps: each block separately, with its address, size, time and thread"},
    {"no-gzip", 0, NULL, OPTION_FLAG(write.no_gzip), "do not compress the profile"},
    OPTIONS_END,
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
    {"Writing", options_start_time},
    {OPTION_GROUP_GOES_ON, writing_options},
    {NULL, options_general},
    {NULL, NULL},
};

static const char usage[] = "Usage: fxt2pprof [OPTION]... [FILE]...\n"
                            "Turns the samples in FXT regions and archives into a "
                            "profile for pprof. No FILE, or\n"
                            "-, is standard input. Compressed files (gzip, zstd) are "
                            "read as they are. The first\n"
                            "region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2pprof",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_PPROF,
        .query = query_database,
        .subtracts = true,
    };

    return convert_main(&converter, argc, argv);
}
