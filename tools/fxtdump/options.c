/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdlib.h>
#include <unistd.h>

#include <fxt/common.h>

#include "common/base/parse.h"
#include "common/base/io/pump.h"
#include "tools/common/option_table.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

enum {
    OPTION_ARCHIVE = OPTION_FIRST_LONG,
    OPTION_BYTE_ORDER,
    OPTION_CATEGORY,
    OPTION_COLOR,
    OPTION_COUNT,
    OPTION_FIELDS,
    OPTION_FOLLOW,
    OPTION_HEX,
    OPTION_JSON,
    OPTION_MAX_RECORD_SIZE,
    OPTION_NAME,
    OPTION_PAYLOAD,
    OPTION_PROCESS,
    OPTION_PROVIDER,
    OPTION_REGION,
    OPTION_REGION_SIZE,
    OPTION_RESYNC,
    OPTION_STATS,
    OPTION_STRICT,
    OPTION_THREAD,
    OPTION_TICKS_PER_SECOND,
    OPTION_TIME,
    OPTION_TREE,
    OPTION_TYPE
};

static const struct option_entry printing_options[] = {
    {"json", OPTION_JSON, NULL, "one JSON object a line"},
    {"hex", OPTION_HEX, NULL, "below each record all of its words"},
    {"fields", OPTION_FIELDS, NULL, "below each record its words by name, bit by bit"},
    {"tree", OPTION_TREE, NULL, "events by thread: spans nested, with durations"},
    {"stats", OPTION_STATS, NULL, "counts instead of records; with --json one object"},
    {"payload", OPTION_PAYLOAD, NULL, "print the contents of blobs too"},
    {"color", OPTION_COLOR, "WHEN", "auto, always or never"},
    {"output", 'o', "FILE", "write to FILE, which is replaced once all is written"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry choosing_options[] = {
    {"type", OPTION_TYPE, "LIST",
     "of these types or kinds: event,context_switch,sample,..."},
    {"provider", OPTION_PROVIDER, "GLOB", "of providers of this name or number"},
    {"category", OPTION_CATEGORY, "GLOB", "of this category"},
    {"name", OPTION_NAME, "GLOB", "of this name"},
    {"process", OPTION_PROCESS, "LIST", "of processes with these koids"},
    {"thread", OPTION_THREAD, "LIST", "of threads with these koids"},
    {"time", OPTION_TIME, "FROM-TO",
     "within these times, as text prints them: 1.5-2.25, 800ms-"},
    {"count", OPTION_COUNT, "N", "the first N"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry reading_options[] = {
    {"region-size", OPTION_REGION_SIZE, "SIZE",
     "split each input into regions of SIZE bytes (K, M, G)"},
    {"region", OPTION_REGION, NULL, "the input is a region: a zero word ends it"},
    {"archive", OPTION_ARCHIVE, NULL, "the input is an archive: zero words are skipped"},
    {"byte-order", OPTION_BYTE_ORDER, "ORDER",
     "little or big; default: from the magic number"},
    {"ticks-per-second", OPTION_TICKS_PER_SECOND, "N",
     "the clock's rate, where the trace does not state it"},
    {"max-record-size", OPTION_MAX_RECORD_SIZE, "SIZE",
     "skip records larger than this (256M)"},
    {"follow", OPTION_FOLLOW, NULL,
     "wait for records that are appended, until the recording ends"},
    {"resync", OPTION_RESYNC, NULL,
     "after damage, continue at the next plausible record"},
    {"strict", OPTION_STRICT, NULL, "warnings make the exit status 1 too"},
    {"quiet", 'q', NULL, "no lines about malformed data on standard error"},
    {"verbose", 'v', NULL, "all of them, not only the first few"},
    {"help", 'h', NULL, "print this and exit"},
    {"version", 'V', NULL, "print the version and exit"},
    {NULL, 0, NULL, NULL},
};

static const struct option_group groups[] = {
    {"What is printed", printing_options},
    {"Which records are printed", choosing_options},
    {"How the input is read", reading_options},
    {NULL, NULL},
};

static const char usage[] =
    "Usage: fxtdump [OPTION...] [FILE...]\n"
    "\n"
    "Prints every record of FXT traces and kernel sampler regions, one a line.\n"
    "Without FILE, or where it is -, reads standard input. Gzip is recognised.\n";

static const char statuses[] =
    "\n"
    "Exit status: 0 all records were well formed; 1 something was malformed;\n"
    "2 the command line or an input could not be used.\n";

/* ---- Endings ----------------------------------------------------------------------- */

static void refuse_option(const char *message)
{
    complain(dump_program, NULL, "%s; try %s --help", message, dump_program);
    exit(DUMP_UNUSABLE);
}

/* ---- Values ------------------------------------------------------------------------ */

static uint64_t parse_region_size(const char *string)
{
    uint64_t size;

    if (!parse_size(string, &size) || size == 0)
        refuse_option("--region-size takes a number of bytes, such as 65536, 64K or 1M");
    return size;
}

static uint64_t parse_record_size(const char *string)
{
    uint64_t size;

    if (!parse_size(string, &size) || size < FXT_WORD_BYTES)
        refuse_option(
            "--max-record-size takes a number of bytes, at least 8, such as 1G");
    return size;
}

static uint64_t parse_above_zero(const char *string, const char *message)
{
    uint64_t number;

    if (!parse_u64(string, &number) || number == 0)
        refuse_option(message);
    return number;
}

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

static enum color parse_color(const char *string)
{
    if (strcmp(string, "auto") == 0)
        return COLOR_AUTO;
    if (strcmp(string, "always") == 0)
        return COLOR_ALWAYS;
    if (strcmp(string, "never") != 0)
        refuse_option("--color is auto, always or never");
    return COLOR_NEVER;
}

/* The output is a terminal, and NO_COLOR (no-color.org) is not set. */
static bool is_for_eyes(const struct dump_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return options->output == NULL && (no_color == NULL || *no_color == '\0') &&
           terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* ---- Options ----------------------------------------------------------------------- */

struct arguments {
    struct dump_options *options;
    /* Which were asked for of the formats that exclude each other. */
    bool fields;
    bool hex;
    bool json;
    enum color color;
};

/* Takes an option that chooses records. Returns false if it is none. */
static bool take_filter(struct filter *filter, int option, const char *value)
{
    static const struct {
        int option;
        bool (*take)(struct filter *filter, const char *value);
        const char *message;
    } choices[] = {
        {OPTION_TYPE, filter_add_kinds,
         "--type takes types or kinds of records, such as event,context_switch,sample"},
        {OPTION_PROVIDER, filter_add_provider, NULL},
        {OPTION_CATEGORY, filter_add_category, NULL},
        {OPTION_NAME, filter_add_name, NULL},
        {OPTION_PROCESS, filter_add_processes,
         "--process takes koids, which are numbers, such as 1045,1046"},
        {OPTION_THREAD, filter_add_threads,
         "--thread takes koids, which are numbers, such as 2077,2078"},
        {OPTION_TIME, filter_set_time,
         "--time takes FROM-TO, FROM- or -TO, in s, ms, us or ns, such as 1.5-2.25 or "
         "800ms-2s"},
    };

    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        if (choices[i].option == option) {
            if (!choices[i].take(filter, value))
                refuse_option(choices[i].message);
            return true;
        }
    }
    return false;
}

/* Takes an option that says how to read. Returns false if it is none. */
static bool take_reading(struct dump_options *options, int option, const char *value)
{
    switch (option) {
    case OPTION_ARCHIVE:
        options->reader.stream = FXT_STREAM_ARCHIVE;
        return true;
    case OPTION_BYTE_ORDER:
        if (!parse_byte_order(value, &options->reader.byte_order))
            refuse_option("--byte-order is little or big");
        return true;
    case OPTION_MAX_RECORD_SIZE:
        options->reader.max_record_bytes = parse_record_size(value);
        return true;
    case OPTION_REGION:
        options->reader.stream = FXT_STREAM_REGION;
        return true;
    case OPTION_REGION_SIZE:
        options->region_size = parse_region_size(value);
        return true;
    case OPTION_FOLLOW:
        options->follows = true;
        return true;
    case OPTION_RESYNC:
        options->reader.resync = true;
        return true;
    case OPTION_STRICT:
        options->strict = true;
        return true;
    case OPTION_TICKS_PER_SECOND:
        options->reader.ticks_per_second =
            parse_above_zero(value, "--ticks-per-second takes a whole number above 0");
        return true;
    case 'q':
        options->max_lines = 0;
        return true;
    case 'v':
        options->max_lines = UINT64_MAX;
        return true;
    default:
        return false;
    }
}

static void take_option(struct arguments *arguments, int option, const char *value)
{
    struct dump_options *options = arguments->options;

    switch (option) {
    case OPTION_COLOR:
        arguments->color = parse_color(value);
        break;
    case OPTION_COUNT:
        options->max_records = parse_above_zero(value, "--count takes a number above 0");
        break;
    case OPTION_FIELDS:
        arguments->fields = true;
        break;
    case OPTION_HEX:
        arguments->hex = true;
        break;
    case OPTION_JSON:
        arguments->json = true;
        break;
    case OPTION_PAYLOAD:
        options->payload = true;
        break;
    case OPTION_STATS:
        options->stats = true;
        break;
    case OPTION_TREE:
        options->tree = true;
        break;
    case 'o':
        options->output = strcmp(value, "-") == 0 ? NULL : value;
        break;
    case 'h':
        exit(program_help(dump_program, usage, groups, 27, statuses));
        break;
    case 'V':
        exit(program_version(dump_program));
        break;
    default:
        if (take_filter(&options->filter, option, value) ||
            take_reading(options, option, value))
            break;
        /* getopt_long has printed what is wrong. */
        complain(dump_program, NULL, "try %s --help", dump_program);
        exit(DUMP_UNUSABLE);
    }
}

/* Refuses options that exclude each other. */
static void check_arguments(const struct arguments *arguments)
{
    const struct dump_options *options = arguments->options;

    if (arguments->json + arguments->hex + arguments->fields > 1)
        refuse_option("--json, --hex and --fields exclude each other");
    if (options->tree && (arguments->json || arguments->hex || arguments->fields))
        refuse_option("--tree is text, so neither --json nor --hex nor --fields");
    if (options->stats && options->tree)
        refuse_option("--stats and --tree exclude each other");
    if (options->stats && (arguments->hex || arguments->fields))
        refuse_option("--stats prints no records, so neither --hex nor --fields");
    if (arguments->json && arguments->color == COLOR_ALWAYS)
        refuse_option("--json has no colors");
    if (options->stats && options->payload)
        refuse_option("--stats prints no payloads");
    if (options->output != NULL && !arguments->json &&
        output_name_ends_with(options->output, ".json"))
        refuse_option("-o NAME.json needs --json");
    if (options->output != NULL &&
        !output_name_check_text(dump_program, options->output, arguments->json))
        exit(DUMP_UNUSABLE);
}

int options_parse(struct dump_options *options, int argc, char **argv)
{
    struct arguments arguments = {.options = options};
    struct option_table table;
    int option;

    *options = (struct dump_options){
        .printer = &print_text,
        .max_records = UINT64_MAX,
        .max_lines = REPORT_DEFAULT_LINES,
        .region_size = PUMP_ALL,
    };
    option_table_make(&table, groups, "");
    while ((option = getopt_long(argc, argv, table.letters, table.names, NULL)) != -1)
        take_option(&arguments, option, optarg);
    option_table_free(&table);
    check_arguments(&arguments);
    if (options->follows && (options->stats || options->tree || argc - optind != 1))
        refuse_option("--follow prints the records of one FILE, and neither --stats nor "
                      "--tree");
    if (arguments.json)
        options->printer = &print_json;
    else if (arguments.hex)
        options->printer = &print_hex;
    else if (arguments.fields)
        options->printer = &print_fields;
    options->stats_as_json = arguments.json;
    options->color = arguments.color == COLOR_ALWAYS ||
                     (arguments.color == COLOR_AUTO && is_for_eyes(options));
    return optind;
}
