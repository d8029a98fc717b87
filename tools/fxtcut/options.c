/* SPDX-License-Identifier: BSD-2-Clause */
/* See settings.h: the command line. */
#include "settings.h"

#include <stdio.h>

#include "common/base/parse.h"
#include "tools/common/command_line.h"
#include "tools/common/output_name.h"
#include "tools/common/program.h"
#include "tools/common/report.h"

static const char usage[] =
    "Usage: fxtcut [OPTION]... [FILE]\n"
    "Writes a part of an FXT trace: an archive or a region, in which all records are as\n"
    "they were, with the strings, threads, names and mappings that they need. No FILE, "
    "or\n"
    "-, is standard input. Compressed files (gzip, zstd) are read as they are.\n";

/* ---- Values ------------------------------------------------------------------------ */

static bool take_window(struct option_given *given)
{
    struct cut_settings *s = given->options;

    s->has_time = true;
    return filter_parse_window(given->value, &s->time.from_ns, &s->time.to_ns);
}

/* A number alone is one of records. */
static bool take_split(struct option_given *given)
{
    struct cut_settings *s = given->options;
    struct split *split = &s->split;

    if (parse_u64(given->value, &split->limit))
        split->by = SPLIT_BY_RECORDS;
    else if (parse_size(given->value, &split->limit))
        split->by = SPLIT_BY_BYTES;
    else if (parse_time(given->value, &split->limit))
        split->by = SPLIT_BY_NS;
    return split->by != SPLIT_NOT && split->limit > 0;
}

static bool take_expression(struct option_given *given, enum expression which)
{
    struct cut_settings *s = given->options;

    return given->value[0] != '\0' &&
           choice_add(&s->choice, which, given->value, &given->why);
}

static bool take_around(struct option_given *given)
{
    return take_expression(given, EXPRESSION_AROUND);
}

static bool take_category(struct option_given *given)
{
    return take_expression(given, EXPRESSION_CATEGORY);
}

static bool take_name(struct option_given *given)
{
    return take_expression(given, EXPRESSION_NAME);
}

static bool take_provider(struct option_given *given)
{
    struct cut_settings *s = given->options;

    return given->value[0] != '\0' &&
           filter_add_provider(&s->choice.filter, given->value);
}

/* ---- Options ----------------------------------------------------------------------- */

#define OPTION_STRUCT struct cut_settings

static const struct option_entry choosing[] = {
    {"time", 0, "FROM-TO", OPTION_CALL(take_window),
     "only these times of the trace's clock, as in 1.5-2.25 or 800ms- (in s, or with a "
     "unit: ms, us, ns)"},
    {"around", 0, "REGEX", OPTION_CALL(take_around),
     "only the times of the spans and operations whose name matches"},
    {"each", 0, NULL, OPTION_FLAG(each),
     "with --around, a file for each of them: NAME.0001.fxt and so on"},
    {"pid", 0, "LIST", OPTION_FILTER(choice.filter, filter_add_processes),
     "only these processes, as in 1045,1046"},
    {"process", 0, "PATTERN",
     OPTION_VALUE(OPTION_LIST_(process_names), OPTION_FLAG_(choice.by_process_name)),
     "only processes of such names, as in 'net*'; adds to --pid"},
    {"tid", 0, "LIST", OPTION_FILTER(choice.filter, filter_add_threads),
     "only these threads"},
    {"category", 0, "REGEX", OPTION_CALL(take_category), "only categories that match"},
    {"name", 0, "REGEX", OPTION_CALL(take_name),
     "only names that match, of events and others"},
    {"provider", 0, "PATTERN", OPTION_CALL(take_provider),
     "only providers of such names, or of this number"},
    {"type", 0, "LIST", OPTION_FILTER(choice.filter, filter_add_kinds),
     "only records of these types or kinds: event,context_switch,sample,..."},
    {"every", 0, "N", OPTION_NUMBER(every, parse_u64, 1, UINT64_MAX),
     "one in N of what is alike, or with --around, of its spans"},
    OPTIONS_END,
};

static const struct option_entry writing[] = {
    {"output", 'o', "FILE", OPTION_OUTPUT(output),
     "write to FILE, which is replaced once all is written"},
    {"split", 0, "SIZE|TIME|N", OPTION_CALL(take_split),
     "write parts NAME.0001.fxt and so on, of at most SIZE bytes (100M, with K, M or G), "
     "of so much time (10s, with ns, us, ms or s), or of N records"},
    OPTIONS_END,
};

static const struct option_entry reading[] = {
    {"region", 0, NULL, OPTION_CONSTANT(reader.stream, FXT_STREAM_REGION),
     "FILE is a region, one CPU's sampler buffer"},
    {"archive", 0, NULL, OPTION_CONSTANT(reader.stream, FXT_STREAM_ARCHIVE),
     "FILE is an archive (default: an archive if it starts with the magic number)"},
    {"byte-order", 0, "ORDER", OPTION_WORD(reader.byte_order, option_byte_orders),
     "little or big (default: from the magic number, else little)"},
    {"ticks-per-second", 0, "RATE",
     OPTION_NUMBER(reader.ticks_per_second, parse_u64, 1, UINT64_MAX),
     "the clock rate of what does not state it, such as regions"},
    {"max-record-size", 0, "SIZE",
     OPTION_NUMBER(reader.max_record_bytes, parse_size, FXT_WORD_BYTES, UINT64_MAX),
     "leave out records larger than this (256M)"},
    {"resync", 0, NULL, OPTION_FLAG(reader.resync),
     "after damage, look for the next plausible record"},
    OPTIONS_OF_READERS,
};

static const struct option_group groups[] = {{"What is kept", choosing},
                                             {"What is written", writing},
                                             {"How the input is read", reading},
                                             {NULL, NULL}};

/* ---- All of them ------------------------------------------------------------------- */

/* What can only be judged of all options together. */
static bool check_settings(const struct cut_settings *s)
{
    const char *wrong = NULL;

    if (s->each && !settings_have_around(s))
        wrong = "--each has no meaning without --around";
    else if (s->each && s->split.by != SPLIT_NOT)
        wrong = "--each and --split exclude each other";
    else if ((s->each || s->split.by != SPLIT_NOT) && s->output == NULL)
        wrong = "several files need a name: -o NAME.fxt";
    if (wrong != NULL)
        complain(FXTCUT_PROGRAM, NULL, "%s", wrong);
    return wrong == NULL && (s->output == NULL ||
                             output_name_check_any_archive(FXTCUT_PROGRAM, s->output));
}

int options_parse(struct cut_settings *settings, int argc, char **argv)
{
    static const struct command_line line = {
        .program = FXTCUT_PROGRAM, .usage = usage, .groups = groups, .column = 26};
    int status = command_line_read(&line, settings, argc, argv);

    if (status >= 0)
        return status;
    settings->input = command_line_file(FXTCUT_PROGRAM, argc, argv);
    return settings->input != NULL && check_settings(settings)
               ? -1
               : program_refuse_usage(FXTCUT_PROGRAM);
}
