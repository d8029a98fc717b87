/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2chrome: samples and events to a trace in Chrome's JSON. */
#include "tools/convert/convert.h"

static const char usage[] =
    "Usage: fxt2chrome [OPTION]... [FILE]...\n"
    "Turns the samples and events in FXT regions and archives into a trace in Chrome's\n"
    "JSON, which many viewers read, and which is compressed if the output's name ends\n"
    "in .gz. No FILE, or -, is standard input. Compressed files (gzip, zstd) are\n"
    "read as they are. The first region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2chrome",
        .usage = usage,
        .default_format = FXT_PROFILE_CHROME,
        .other_suffix = ".json",
        .gzip_by_name = true,
    };

    return timeline_main(&converter, argc, argv);
}
