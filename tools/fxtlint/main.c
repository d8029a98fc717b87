/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtlint: what is wrong with a trace, and a trace without it. */
#include <stdio.h>
#include <string.h>

#include "common/base/io/output.h"
#include "common/base/parse.h"
#include "run.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static const char usage[] =
    "Usage: fxtlint [OPTION]... [FILE]...\n"
    "Shows what is wrong with FXT traces: what breaks the format, what cannot be meant,\n"
    "and, as notes, what well-known readers lose or mistake. No FILE, or -, is standard\n"
    "input. Compressed files (gzip, zstd) are read as they are.\n";

static const char statuses[] =
    "\n"
    "Exit status: 0 nothing was found, or all of it repaired; 1 something was found;\n"
    "2 the command line or an input could not be used.\n";

enum { PLACES_DEFAULT = 3, PLACES_MAX = 1000000 };

struct arguments {
    struct lint_options options;
    bool lists_rules;
    bool has_output;
};

static bool take_ignored(struct option_given *given)
{
    struct arguments *a = given->options;

    return lint_take_rules(given->value, a->options.choice.ignored);
}

static bool take_readers(struct option_given *given)
{
    struct arguments *a = given->options;

    return lint_take_readers(given->value, &a->options.choice.readers);
}

#define OPTION_STRUCT struct arguments

static const struct option_entry checking[] = {
    {"reader", 0, "NAMES", OPTION_CALL(take_readers),
     "what these readers lose is a finding, not a note: perfetto, tracy, magic-trace, "
     "fuchsia, fuchsia-rust, ftfrs, eio-trace or all"},
    {"ignore", 0, "RULES", OPTION_CALL(take_ignored),
     "print and count nothing of these rules"},
    {"rules", 0, NULL, OPTION_FLAG(lists_rules), "print all rules"},
    {"places", 0, "N", OPTION_NUMBER(options.max_places, parse_u64, 0, PLACES_MAX),
     "of each rule show the first N places, up to a million (default: 3)"},
    {"json", 0, NULL, OPTION_FLAG(options.json), "one JSON object for each file"},
    OPTIONS_END,
};

static const struct option_entry repairing[] = {
    {"fix", 0, NULL, OPTION_FLAG(options.fixes),
     "write with -o what all readers read: what --rules marks is repaired"},
    {"output", 'o', "FILE",
     OPTION_VALUE(OPTION_OUTPUT_(options.output), OPTION_FLAG_(has_output)),
     "write the repaired archive to FILE, which is replaced once all is written"},
    OPTIONS_END,
};

static const struct option_entry reading[] = {
    {"region", 0, NULL, OPTION_CONSTANT(options.stream, FXT_STREAM_REGION),
     "each FILE is a region: a zero word ends it"},
    {"archive", 0, NULL, OPTION_CONSTANT(options.stream, FXT_STREAM_ARCHIVE),
     "each FILE is an archive (default: one if it starts with the magic number)"},
    {"resync", 0, NULL, OPTION_FLAG(options.resync),
     "after damage, look for the next plausible record"},
    OPTIONS_END,
};

static const struct option_entry general[] = {
    {"quiet", 'q', NULL, OPTION_FLAG(options.quiet),
     "print nothing about the data: the exit status says it"},
    OPTIONS_OF_ALL,
};

static const struct option_group groups[] = {{"Checking", checking},
                                             {"Repairing", repairing},
                                             {"Reading", reading},
                                             {NULL, general},
                                             {NULL, NULL}};

static int print_rules(bool json)
{
    struct text text = {NULL, 0, 0};

    if (json)
        rules_json(&text);
    else
        rules_text(&text);
    return program_print(FXTLINT_PROGRAM, &text) ? LINT_CLEAN : LINT_FINDINGS;
}

/* What can only be judged of all options together. */
static bool check_arguments(const struct arguments *a)
{
    const struct lint_options *o = &a->options;
    const char *wrong = NULL;

    if (o->fixes != a->has_output)
        wrong = "--fix and --output FILE need each other";
    else if (o->fixes && o->n_inputs != 1)
        wrong = "--fix repairs one file at a time";
    else if (o->fixes && o->output != NULL && output_replaces(o->output, o->inputs[0]))
        wrong = "the output is also the input, and would be overwritten";
    if (wrong != NULL)
        complain(FXTLINT_PROGRAM, NULL, "%s", wrong);
    return wrong == NULL && (o->output == NULL ||
                             output_name_check_any_archive(FXTLINT_PROGRAM, o->output));
}

/* Returns -1 if the arguments are there, or else an exit status. */
static int parse_arguments(struct arguments *a, int argc, char **argv)
{
    static char standard_input[] = "-";
    static char *const no_files[] = {standard_input};
    static const struct command_line line = {.program = FXTLINT_PROGRAM,
                                             .usage = usage,
                                             .groups = groups,
                                             .column = 26,
                                             .ending = statuses};
    int status = command_line_read(&line, a, argc, argv);

    if (status >= 0)
        return status;
    a->options.inputs = optind < argc ? argv + optind : no_files;
    a->options.n_inputs = optind < argc ? (size_t)(argc - optind) : 1;
    return check_arguments(a) ? -1 : program_refuse_usage(FXTLINT_PROGRAM);
}

static int run_fxtlint(void *context, int argc, char **argv)
{
    struct arguments arguments = {.options = {.max_places = PLACES_DEFAULT}};
    int status = parse_arguments(&arguments, argc, argv);

    (void)context;
    if (status >= 0)
        return status;
    return arguments.lists_rules ? print_rules(arguments.options.json)
                                 : (int)lint_run(&arguments.options);
}

int main(int argc, char **argv)
{
    return program_main(FXTLINT_PROGRAM, run_fxtlint, NULL, argc, argv);
}
