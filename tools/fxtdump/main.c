/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtdump: prints every record of a trace. Here is the command line. */
#include <getopt.h>
#include <stdlib.h>

#include <fxt/common.h>

#include "dump.h"
#include "output.h"
#include "parse.h"
#include "pump.h"
#include "report.h"

static const char help[] =
    "Usage: fxtdump [OPTION...] [FILE...]\n"
    "\n"
    "Prints every record of FXT traces and kernel sampler regions, one a line.\n"
    "Without FILE, or where it is -, reads standard input. Gzip is recognised.\n"
    "\n"
    "      --json               one JSON object a line\n"
    "      --payload            print the contents of blobs too\n"
    "      --region-size SIZE   split each input into regions of SIZE bytes (K, M, G)\n"
    "      --region             the input is a region: a zero word ends it\n"
    "      --archive            the input is an archive: zero words are stepped over\n"
    "      --byte-order ORDER   little or big; else as the magic number has it\n"
    "      --ticks-per-second N the clock's rate, where the trace does not say\n"
    "      --resync             go on behind damage at the next plausible record\n"
    "      --strict             warnings make the exit status 1 too\n"
    "  -q                       no lines about malformed data on standard error\n"
    "  -v                       all of them, not only the first few\n"
    "  -h, --help               print this and exit\n"
    "  -V, --version            print the version and exit\n"
    "\n"
    "Exit status: 0 all records were well formed; 1 something was malformed;\n"
    "2 the command line or an input could not be used.\n";

enum {
    OPTION_ARCHIVE = 256,
    OPTION_BYTE_ORDER,
    OPTION_JSON,
    OPTION_PAYLOAD,
    OPTION_REGION,
    OPTION_REGION_SIZE,
    OPTION_RESYNC,
    OPTION_STRICT,
    OPTION_TICKS_PER_SECOND
};

static const struct option long_options[] = {
    {"archive", no_argument, NULL, OPTION_ARCHIVE},
    {"byte-order", required_argument, NULL, OPTION_BYTE_ORDER},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"payload", no_argument, NULL, OPTION_PAYLOAD},
    {"region", no_argument, NULL, OPTION_REGION},
    {"region-size", required_argument, NULL, OPTION_REGION_SIZE},
    {"resync", no_argument, NULL, OPTION_RESYNC},
    {"strict", no_argument, NULL, OPTION_STRICT},
    {"ticks-per-second", required_argument, NULL, OPTION_TICKS_PER_SECOND},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* Ends the program with text as its only result. */
static void exit_with(const char *text)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_open(NULL, false, &why);

    output_write(output, text, strlen(text));
    if (!output_close(output, true, &why)) {
        complain(dump_program, "standard output", "%.*s", (int)why.size, why.data);
        exit(DUMP_BAD);
    }
    exit(DUMP_GOOD);
}

static void exit_with_version(void)
{
    struct text line = {NULL, 0, 0};

    text_printf(&line, "%s %s\n", dump_program, fxt_version());
    text_char(&line, '\0');
    exit_with(line.data);
}

static void refuse(const char *message)
{
    complain(dump_program, NULL, "%s; try %s --help", message, dump_program);
    exit(DUMP_UNUSABLE);
}

static enum fxt_byte_order parse_byte_order(const char *string)
{
    if (strcmp(string, "little") == 0)
        return FXT_BYTE_ORDER_LITTLE;
    if (strcmp(string, "big") != 0)
        refuse("--byte-order is little or big");
    return FXT_BYTE_ORDER_BIG;
}

static uint64_t parse_region_size(const char *string)
{
    uint64_t size;

    if (!parse_size(string, &size) || size == 0)
        refuse("--region-size takes a number of bytes, such as 65536, 64K or 1M");
    return size;
}

static uint64_t parse_rate(const char *string)
{
    uint64_t rate;

    if (!parse_u64(string, &rate) || rate == 0)
        refuse("--ticks-per-second takes a whole number above 0");
    return rate;
}

static void take_option(struct dump_options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_ARCHIVE:
        options->reader.stream = FXT_STREAM_ARCHIVE;
        break;
    case OPTION_BYTE_ORDER:
        options->reader.byte_order = parse_byte_order(value);
        break;
    case OPTION_JSON:
        options->printer = &print_json;
        break;
    case OPTION_PAYLOAD:
        options->payload = true;
        break;
    case OPTION_REGION:
        options->reader.stream = FXT_STREAM_REGION;
        break;
    case OPTION_REGION_SIZE:
        options->region_size = parse_region_size(value);
        break;
    case OPTION_RESYNC:
        options->reader.resync = true;
        break;
    case OPTION_STRICT:
        options->strict = true;
        break;
    case OPTION_TICKS_PER_SECOND:
        options->reader.ticks_per_second = parse_rate(value);
        break;
    case 'q':
        options->max_lines = 0;
        break;
    case 'v':
        options->max_lines = UINT64_MAX;
        break;
    case 'h':
        exit_with(help);
        break;
    case 'V':
        exit_with_version();
        break;
    default:
        /* getopt_long has said what is wrong. */
        complain(dump_program, NULL, "try %s --help", dump_program);
        exit(DUMP_UNUSABLE);
    }
}

int main(int argc, char **argv)
{
    static char standard_input[] = "-";
    static char *const no_files[] = {standard_input};
    struct dump_options options = {
        .printer = &print_text,
        .max_lines = REPORT_DEFAULT_LINES,
        .region_size = PUMP_ALL,
    };
    int option;

    while ((option = getopt_long(argc, argv, "hqvV", long_options, NULL)) != -1)
        take_option(&options, option, optarg);
    if (optind == argc)
        return (int)dump_files(&options, no_files, 1);
    return (int)dump_files(&options, argv + optind, (size_t)(argc - optind));
}
