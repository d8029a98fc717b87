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

enum letter {
    LETTER_ARCHIVE = OPTION_FIRST_LONG,
    LETTER_FIX,
    LETTER_IGNORE,
    LETTER_JSON,
    LETTER_PLACES,
    LETTER_READER,
    LETTER_REGION,
    LETTER_RESYNC,
    LETTER_RULES
};

static const struct option_entry checking[] = {
    {"reader", LETTER_READER, "NAMES",
     "what these readers lose is a finding, not a note: perfetto, tracy, magic-trace, "
     "fuchsia, fuchsia-rust, ftfrs, eio-trace or all"},
    {"ignore", LETTER_IGNORE, "RULES", "print and count nothing of these rules"},
    {"rules", LETTER_RULES, NULL, "print all rules"},
    {"places", LETTER_PLACES, "N",
     "of each rule show the first N places, up to a million (default: 3)"},
    {"json", LETTER_JSON, NULL, "one JSON object for each file"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry repairing[] = {
    {"fix", LETTER_FIX, NULL,
     "write with -o what all readers read: what --rules marks is repaired"},
    {"output", 'o', "FILE",
     "write the repaired archive to FILE, which is replaced once all is written"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry reading[] = {
    {"region", LETTER_REGION, NULL, "each FILE is a region: a zero word ends it"},
    {"archive", LETTER_ARCHIVE, NULL,
     "each FILE is an archive (default: one if it starts with the magic number)"},
    {"resync", LETTER_RESYNC, NULL, "after damage, look for the next plausible record"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry general[] = {
    {"quiet", 'q', NULL, "print nothing about the data: the exit status says it"},
    OPTIONS_OF_ALL,
};

static const struct option_group groups[] = {{"Checking", checking},
                                             {"Repairing", repairing},
                                             {"Reading", reading},
                                             {NULL, general},
                                             {NULL, NULL}};

enum { PLACES_DEFAULT = 3, PLACES_MAX = 1000000 };

struct arguments {
    struct lint_options options;
    bool lists_rules;
    bool has_output;
};

static int print_rules(bool json)
{
    struct text text = {NULL, 0, 0};

    if (json)
        rules_json(&text);
    else
        rules_text(&text);
    return program_print(FXTLINT_PROGRAM, &text) ? LINT_CLEAN : LINT_FINDINGS;
}

/* Returns false for a value that is impossible. */
static bool take_option(void *context, int letter, const char *value, struct text *why)
{
    struct arguments *a = (struct arguments *)context;
    struct lint_options *o = &a->options;

    (void)why;
    switch (letter) {
    case LETTER_ARCHIVE:
        o->stream = FXT_STREAM_ARCHIVE;
        return true;
    case LETTER_FIX:
        o->fixes = true;
        return true;
    case LETTER_IGNORE:
        return lint_take_rules(value, o->choice.ignored);
    case LETTER_JSON:
        o->json = true;
        return true;
    case LETTER_PLACES:
        return parse_u64(value, &o->max_places) && o->max_places <= PLACES_MAX;
    case LETTER_READER:
        return lint_take_readers(value, &o->choice.readers);
    case LETTER_REGION:
        o->stream = FXT_STREAM_REGION;
        return true;
    case LETTER_RESYNC:
        o->resync = true;
        return true;
    case LETTER_RULES:
        a->lists_rules = true;
        return true;
    case 'o':
        a->has_output = true;
        o->output = strcmp(value, "-") == 0 ? NULL : value;
        return value[0] != '\0';
    default:
        o->quiet = true;
        return true;
    }
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
                                             .ending = statuses,
                                             .take = take_option};
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
