/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2perfetto: samples and events to a trace for Perfetto. */
#include "into_fxt.h"
#include "tools/convert/convert.h"

static const char usage[] =
    "Usage: fxt2perfetto [OPTION]... [FILE]...\n"
    "Turns the samples and events in FXT regions and archives into a trace for Perfetto\n"
    "(https://ui.perfetto.dev), in protocol buffers, which is compressed if the "
    "output's\n"
    "name ends in .gz. No FILE, or -, is standard input. Compressed files (gzip, zstd)\n"
    "are read as they are. The first region is of CPU 0, and so on; or cpu3.bin of\n"
    "CPU 3.\n";

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2perfetto",
        .usage = usage,
        .default_format = FXT_PROFILE_PERFETTO,
        .gzip_by_name = true,
        .writes_own_if_told = true,
        .check_own = into_fxt_check,
        .write_own = into_fxt_write,
    };

    return timeline_main(&converter, argc, argv);
}
