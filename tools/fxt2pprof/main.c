/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2pprof: samples of a kernel or a process to a profile that pprof reads. */
#include "tools/convert/convert.h"

enum {
    LETTER_DIFF = OPTIONS_FIRST_OWN,
    LETTER_NO_GZIP,
    LETTER_RAW_LABELS,
    LETTER_START_TIME,
    LETTER_TIMESTAMPS,
    LETTER_WITH_TAGS
};

static const struct option own_options[] = {
    {"diff", required_argument, NULL, LETTER_DIFF},
    {"no-gzip", no_argument, NULL, LETTER_NO_GZIP},
    {"raw-labels", no_argument, NULL, LETTER_RAW_LABELS},
    {"start-time", required_argument, NULL, LETTER_START_TIME},
    {"timestamps", no_argument, NULL, LETTER_TIMESTAMPS},
    {"with-tags", no_argument, NULL, LETTER_WITH_TAGS},
    {NULL, 0, NULL, 0},
};

static const char help_start[] = "Usage: fxt2pprof [OPTION]... [FILE]...\n"
                                 "Turns the samples in FXT regions and archives into a "
                                 "profile for pprof. No FILE, or\n"
                                 "-, is standard input. Compressed files (gzip) are read "
                                 "as they are. The first region\n"
                                 "is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

static const char help_end[] =
    "\n"
    "Writing:\n"
    "      --start-time TIME   when the first sample was taken, in seconds since the "
    "Unix\n"
    "                          epoch, with up to nine decimals\n"
    "      --timestamps        label each sample with its time, and so do not merge "
    "them\n"
    "      --raw-labels        label samples with numbers only, and no names\n"
    "      --diff BASE         of heaps: what has grown since the snapshot BASE of the "
    "same\n"
    "                          processes; what has become less is below 0\n"
    "      --with-tags         of heaps: each block by itself, with its address, size,\n"
    "                          time and thread\n"
    "      --no-gzip           do not compress the profile\n";

static bool take_own(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case LETTER_DIFF:
        options->base = value;
        return value[0] != '\0';
    case LETTER_WITH_TAGS:
        options->settings.with_tags = true;
        return true;
    case LETTER_NO_GZIP:
        options->settings.plain = true;
        return true;
    case LETTER_RAW_LABELS:
        options->settings.raw_labels = true;
        return true;
    case LETTER_TIMESTAMPS:
        options->settings.timestamps = true;
        return true;
    case LETTER_START_TIME:
        return parse_seconds(value, &options->start_ns) && options->start_ns > 0 &&
               options->start_ns <= INT64_MAX;
    default:
        return false;
    }
}

static const struct output_format *const formats[] = {&output_pprof, NULL};

int main(int argc, char **argv)
{
    static const struct converter converter = {
        .name = "fxt2pprof",
        .help_start = help_start,
        .help_end = help_end,
        .formats = formats,
        .own_options = own_options,
        .take_own = take_own,
    };

    return convert_main(&converter, argc, argv);
}
