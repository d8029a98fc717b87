/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2pprof: samples of a kernel or a process to a profile that pprof reads. */
#include "convert.h"

enum { LETTER_NO_GZIP = OPTIONS_FIRST_OWN, LETTER_PERIOD, LETTER_START_TIME };

static const struct option own_options[] = {
    {"no-gzip", no_argument, NULL, LETTER_NO_GZIP},
    {"period", required_argument, NULL, LETTER_PERIOD},
    {"start-time", required_argument, NULL, LETTER_START_TIME},
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
    "      --period TIME       the time from one sample to the next, as in 1ms (ns, us,\n"
    "                          ms, s): count CPU time beside samples\n"
    "      --start-time TIME   when the first sample was taken, in seconds since the "
    "Unix\n"
    "                          epoch, with up to nine decimals\n"
    "      --no-gzip           do not compress the profile\n";

static bool take_own(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case LETTER_NO_GZIP:
        options->settings.plain = true;
        return true;
    case LETTER_PERIOD:
        return parse_duration(value, &options->period_ns) && options->period_ns > 0 &&
               options->period_ns <= INT64_MAX;
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
