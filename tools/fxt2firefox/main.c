/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2firefox: samples and events to a timeline for Firefox Profiler. */
#include "tools/convert/convert.h"

static const char usage[] =
    "Usage: fxt2firefox [OPTION]... [FILE]...\n"
    "Turns the samples and events in FXT regions and archives into a timeline for\n"
    "Firefox Profiler (https://profiler.firefox.com), in JSON, which is compressed if "
    "the\n"
    "output's name ends in .gz. No FILE, or -, is standard input. Compressed files "
    "(gzip,\n"
    "zstd) are read as they are. The first region is of CPU 0, and so on; or cpu3.bin\n"
    "of CPU 3.\n";

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2firefox",
        .usage = usage,
        .default_format = FXT_PROFILE_FIREFOX,
        .other_suffix = ".json",
        .gzip_by_name = true,
    };

    return timeline_main(&converter, argc, argv);
}
