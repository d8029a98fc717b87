/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "common/base/memory.h"
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

enum letter {
    LETTER_ARCHIVE = OPTION_FIRST_LONG,
    LETTER_AROUND,
    LETTER_BYTE_ORDER,
    LETTER_CATEGORY,
    LETTER_EACH,
    LETTER_EVERY,
    LETTER_MAX_RECORD_SIZE,
    LETTER_NAME,
    LETTER_PID,
    LETTER_PROCESS,
    LETTER_PROVIDER,
    LETTER_REGION,
    LETTER_RESYNC,
    LETTER_SPLIT,
    LETTER_TICKS,
    LETTER_TID,
    LETTER_TIME,
    LETTER_TYPE
};

static const struct option_entry choosing[] = {
    {"time", LETTER_TIME, "FROM-TO",
     "only these times of the trace's clock, as in 1.5-2.25 or 800ms- (in s, or with a "
     "unit: ms, us, ns)"},
    {"around", LETTER_AROUND, "REGEX",
     "only the times of the spans and operations whose name matches"},
    {"each", LETTER_EACH, NULL,
     "with --around, a file for each of them: NAME.0001.fxt and so on"},
    {"pid", LETTER_PID, "LIST", "only these processes, as in 1045,1046"},
    {"process", LETTER_PROCESS, "PATTERN",
     "only processes of such names, as in 'net*'; adds to --pid"},
    {"tid", LETTER_TID, "LIST", "only these threads"},
    {"category", LETTER_CATEGORY, "REGEX", "only categories that match"},
    {"name", LETTER_NAME, "REGEX", "only names that match, of events and others"},
    {"provider", LETTER_PROVIDER, "PATTERN",
     "only providers of such names, or of this number"},
    {"type", LETTER_TYPE, "LIST",
     "only records of these types or kinds: event,context_switch,sample,..."},
    {"every", LETTER_EVERY, "N",
     "one in N of what is alike, or with --around, of its spans"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry writing[] = {
    {"output", 'o', "FILE", "write to FILE, which is replaced once all is written"},
    {"split", LETTER_SPLIT, "SIZE|TIME|N",
     "write parts NAME.0001.fxt and so on, of at most SIZE bytes (100M, with K, M or G), "
     "of so much time (10s, with ns, us, ms or s), or of N records"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry reading[] = {
    {"region", LETTER_REGION, NULL, "FILE is a region, one CPU's sampler buffer"},
    {"archive", LETTER_ARCHIVE, NULL,
     "FILE is an archive (default: an archive if it starts with the magic number)"},
    {"byte-order", LETTER_BYTE_ORDER, "ORDER",
     "little or big (default: from the magic number, else little)"},
    {"ticks-per-second", LETTER_TICKS, "RATE",
     "the clock rate of what does not state it, such as regions"},
    {"max-record-size", LETTER_MAX_RECORD_SIZE, "SIZE",
     "leave out records larger than this (256M)"},
    {"resync", LETTER_RESYNC, NULL, "after damage, look for the next plausible record"},
    OPTIONS_OF_READERS,
};

static const struct option_group groups[] = {{"What is kept", choosing},
                                             {"What is written", writing},
                                             {"How the input is read", reading},
                                             {NULL, NULL}};

/* ---- Values ------------------------------------------------------------------------ */

static bool take_window(struct cut_settings *s, const char *value)
{
    struct filter filter = {.is_set = false};
    bool good = filter_set_time(&filter, value);

    s->has_time = true;
    s->time = (struct time_window){filter.first_ns, filter.last_ns};
    return good;
}

static bool take_process_name(struct cut_settings *s, const char *value)
{
    struct filter_patterns *names = &s->process_names;

    s->choice.by_process_name = true;
    names->patterns = (const char **)memory_grow((void *)names->patterns, names->n,
                                                 &names->capacity, sizeof(value));
    names->patterns[names->n++] = value;
    return value[0] != '\0';
}

/* A number alone is one of records. */
static bool take_split(struct cut_settings *s, const char *value)
{
    struct split *split = &s->split;

    if (parse_u64(value, &split->limit))
        split->by = SPLIT_BY_RECORDS;
    else if (parse_size(value, &split->limit))
        split->by = SPLIT_BY_BYTES;
    else if (parse_time(value, &split->limit))
        split->by = SPLIT_BY_NS;
    return split->by != SPLIT_NOT && split->limit > 0;
}

static bool take_number(const char *value, uint64_t *number)
{
    return parse_u64(value, number) && *number > 0;
}

static bool take_expression(struct cut_settings *s, enum expression which,
                            const char *value, struct text *why)
{
    return value[0] != '\0' && choice_add(&s->choice, which, value, why);
}

static bool take_choice(struct cut_settings *s, int letter, const char *value,
                        struct text *why)
{
    struct filter *filter = &s->choice.filter;

    switch (letter) {
    case LETTER_AROUND:
        return take_expression(s, EXPRESSION_AROUND, value, why);
    case LETTER_CATEGORY:
        return take_expression(s, EXPRESSION_CATEGORY, value, why);
    case LETTER_EACH:
        s->each = true;
        return true;
    case LETTER_EVERY:
        return take_number(value, &s->every);
    case LETTER_NAME:
        return take_expression(s, EXPRESSION_NAME, value, why);
    case LETTER_PID:
        return filter_add_processes(filter, value);
    case LETTER_PROCESS:
        return take_process_name(s, value);
    case LETTER_PROVIDER:
        return value[0] != '\0' && filter_add_provider(filter, value);
    case LETTER_TID:
        return filter_add_threads(filter, value);
    case LETTER_TIME:
        return take_window(s, value);
    case LETTER_TYPE:
        return filter_add_kinds(filter, value);
    default:
        return false;
    }
}

/* Returns false for a value that is impossible; `why` may say more. */
static bool take_option(void *context, int letter, const char *value, struct text *why)
{
    struct cut_settings *s = (struct cut_settings *)context;

    switch (letter) {
    case LETTER_ARCHIVE:
        s->reader.stream = FXT_STREAM_ARCHIVE;
        return true;
    case LETTER_BYTE_ORDER:
        return parse_byte_order(value, &s->reader.byte_order);
    case LETTER_MAX_RECORD_SIZE:
        return parse_size(value, &s->reader.max_record_bytes) &&
               s->reader.max_record_bytes >= FXT_WORD_BYTES;
    case LETTER_REGION:
        s->reader.stream = FXT_STREAM_REGION;
        return true;
    case LETTER_RESYNC:
        s->reader.resync = true;
        return true;
    case LETTER_SPLIT:
        return take_split(s, value);
    case LETTER_TICKS:
        return take_number(value, &s->reader.ticks_per_second);
    case 'o':
        s->output = strcmp(value, "-") == 0 ? NULL : value;
        return value[0] != '\0';
    case 'q':
        s->quiet = true;
        return true;
    case 'v':
        s->verbose = true;
        return true;
    default:
        return take_choice(s, letter, value, why);
    }
}

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
    static const struct command_line line = {.program = FXTCUT_PROGRAM,
                                             .usage = usage,
                                             .groups = groups,
                                             .column = 26,
                                             .take = take_option};
    int status = command_line_read(&line, settings, argc, argv);

    if (status >= 0)
        return status;
    settings->input = command_line_file(FXTCUT_PROGRAM, argc, argv);
    return settings->input != NULL && check_settings(settings)
               ? -1
               : program_refuse_usage(FXTCUT_PROGRAM);
}

void options_free(struct cut_settings *settings)
{
    choice_free(&settings->choice);
    memory_release((void *)settings->process_names.patterns);
}
