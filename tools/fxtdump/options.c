/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdlib.h>
#include <unistd.h>

#include <fxt/common.h>

#include "common/base/parse.h"
#include "common/base/io/pump.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

/* ---- Values ------------------------------------------------------------------------ */

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

static const char *const color_words[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

struct arguments {
    struct dump_options options;
    /* Which were asked for of the formats that exclude each other. */
    bool fields;
    bool hex;
    bool json;
    enum color color;
};

static bool take_quiet(struct option_given *given)
{
    struct arguments *a = given->options;

    a->options.max_lines = 0;
    return true;
}

static bool take_verbose(struct option_given *given)
{
    struct arguments *a = given->options;

    a->options.max_lines = UINT64_MAX;
    return true;
}

/* ---- Options ----------------------------------------------------------------------- */

#define OPTION_STRUCT struct arguments

static const struct option_entry printing_options[] = {
    {"json", 0, NULL, OPTION_FLAG(json), "one JSON object a line"},
    {"hex", 0, NULL, OPTION_FLAG(hex), "below each record all of its words"},
    {"fields", 0, NULL, OPTION_FLAG(fields),
     "below each record its words by name, bit by bit"},
    {"tree", 0, NULL, OPTION_FLAG(options.tree),
     "events by thread: spans nested, with durations"},
    {"stats", 0, NULL, OPTION_FLAG(options.stats),
     "counts instead of records; with --json one object"},
    {"payload", 0, NULL, OPTION_FLAG(options.payload), "print the contents of blobs too"},
    {"color", 0, "WHEN",
     OPTION_VALUE(OPTION_WORD_(color, color_words),
                  OPTION_REFUSAL_("--color is auto, always or never")),
     "auto, always or never"},
    {"output", 'o', "FILE", OPTION_OUTPUT(options.output),
     "write to FILE, which is replaced once all is written"},
    OPTIONS_END,
};

static const struct option_entry choosing_options[] = {
    {"type", 0, "LIST",
     OPTION_VALUE(OPTION_FILTER_(options.filter, filter_add_kinds),
                  OPTION_REFUSAL_("--type takes types or kinds of records, such as "
                                  "event,context_switch,sample")),
     "of these types or kinds: event,context_switch,sample,..."},
    {"provider", 0, "GLOB", OPTION_FILTER(options.filter, filter_add_provider),
     "of providers of this name or number"},
    {"category", 0, "GLOB", OPTION_FILTER(options.filter, filter_add_category),
     "of this category"},
    {"name", 0, "GLOB", OPTION_FILTER(options.filter, filter_add_name), "of this name"},
    {"process", 0, "LIST",
     OPTION_VALUE(
         OPTION_FILTER_(options.filter, filter_add_processes),
         OPTION_REFUSAL_("--process takes koids, which are numbers, such as 1045,1046")),
     "of processes with these koids"},
    {"thread", 0, "LIST",
     OPTION_VALUE(
         OPTION_FILTER_(options.filter, filter_add_threads),
         OPTION_REFUSAL_("--thread takes koids, which are numbers, such as 2077,2078")),
     "of threads with these koids"},
    {"time", 0, "FROM-TO",
     OPTION_VALUE(OPTION_FILTER_(options.filter, filter_set_time),
                  OPTION_REFUSAL_("--time takes FROM-TO, FROM- or -TO, in s, ms, us or "
                                  "ns, such as 1.5-2.25 or 800ms-2s")),
     "within these times, as text prints them: 1.5-2.25, 800ms-"},
    {"count", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(options.max_records, parse_u64, 1, UINT64_MAX),
                  OPTION_REFUSAL_("--count takes a number above 0")),
     "the first N"},
    OPTIONS_END,
};

static const struct option_entry reading_options[] = {
    {"region-size", 0, "SIZE",
     OPTION_VALUE(OPTION_NUMBER_(options.region_size, parse_size, 1, UINT64_MAX),
                  OPTION_REFUSAL_(
                      "--region-size takes a number of bytes, such as 65536, 64K or 1M")),
     "split each input into regions of SIZE bytes (K, M, G)"},
    {"region", 0, NULL, OPTION_CONSTANT(options.reader.stream, FXT_STREAM_REGION),
     "the input is a region: a zero word ends it"},
    {"archive", 0, NULL, OPTION_CONSTANT(options.reader.stream, FXT_STREAM_ARCHIVE),
     "the input is an archive: zero words are skipped"},
    {"byte-order", 0, "ORDER",
     OPTION_VALUE(OPTION_WORD_(options.reader.byte_order, option_byte_orders),
                  OPTION_REFUSAL_("--byte-order is little or big")),
     "little or big; default: from the magic number"},
    {"ticks-per-second", 0, "N",
     OPTION_VALUE(
         OPTION_NUMBER_(options.reader.ticks_per_second, parse_u64, 1, UINT64_MAX),
         OPTION_REFUSAL_("--ticks-per-second takes a whole number above 0")),
     "the clock's rate, where the trace does not state it"},
    {"max-record-size", 0, "SIZE",
     OPTION_VALUE(
         OPTION_NUMBER_(options.reader.max_record_bytes, parse_size, FXT_WORD_BYTES,
                        UINT64_MAX),
         OPTION_REFUSAL_(
             "--max-record-size takes a number of bytes, at least 8, such as 1G")),
     "skip records larger than this (256M)"},
    {"follow", 0, NULL, OPTION_FLAG(options.follows),
     "wait for records that are appended, until the recording ends"},
    {"resync", 0, NULL, OPTION_FLAG(options.reader.resync),
     "after damage, continue at the next plausible record"},
    {"strict", 0, NULL, OPTION_FLAG(options.strict),
     "warnings make the exit status 1 too"},
    {"quiet", 'q', NULL, OPTION_CALL(take_quiet),
     "no lines about malformed data on standard error"},
    {"verbose", 'v', NULL, OPTION_CALL(take_verbose),
     "all of them, not only the first few"},
    {"help", 'h', NULL, OPTION_NOTHING, "print this and exit"},
    {"version", 'V', NULL, OPTION_NOTHING, "print the version and exit"},
    OPTIONS_END,
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

/* ---- All of them ------------------------------------------------------------------- */

/* The output is a terminal, and NO_COLOR (no-color.org) is not set. */
static bool is_for_eyes(const struct dump_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    return options->output == NULL && (no_color == NULL || *no_color == '\0') &&
           terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static _Noreturn void refuse_option(const char *message)
{
    exit(program_refuse(dump_program, message));
}

/* Refuses options that exclude each other. */
static void check_arguments(const struct arguments *arguments)
{
    const struct dump_options *options = &arguments->options;

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
    static const struct command_line line = {.program = dump_program,
                                             .usage = usage,
                                             .groups = groups,
                                             .column = 27,
                                             .ending = statuses};
    struct arguments arguments = {.options = {.printer = &print_text,
                                              .max_records = UINT64_MAX,
                                              .max_lines = REPORT_DEFAULT_LINES,
                                              .region_size = PUMP_ALL}};
    int status = command_line_read(&line, &arguments, argc, argv);

    if (status >= 0)
        exit(status);
    check_arguments(&arguments);
    *options = arguments.options;
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
