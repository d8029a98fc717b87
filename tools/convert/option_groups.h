/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that converters have in common, as groups of their tables, and what follows
 * from them. */
#ifndef CONVERT_OPTION_GROUPS_H
#define CONVERT_OPTION_GROUPS_H

#include "options.h"

/* What the inputs are and how they are read; and one more for what can be read by several
 * threads, which a timeline cannot. */
extern const struct option_entry options_reading[];
extern const struct option_entry options_parallel[];

/* What samples are: those of stacks, or spans, or waits. What is for all of these
 * together lacks these options. */
extern const struct option_entry options_sources[];
/* What of the input, and what of its stacks, is in a profile; and one more for what can
 * represent heaps: a timeline has all points of a series. */
extern const struct option_entry options_choosing[];
extern const struct option_entry options_points[];

/* How functions get their names. */
extern const struct option_entry options_naming[];

extern const struct option_entry options_general[];
/* Of converters whose output has the time of the first sample. */
extern const struct option_entry options_start_time[];

/* Whether an input is standard input, which can be read only once. */
bool options_have_standard_input(const struct options *options);

/* Complains and returns false where options_sources and options_choosing do not go
 * together. */
bool options_check_choices(const struct options *options);

/* ---- A ClickHouse server ----------------------------------------------------------- */

/* That of fxt2clickhouse, to which it sends, and that of tools that take samples from one
 * in place of files: which samples; and how servers are spoken to. */
extern const struct option_entry options_database[];
/* One more, for what can compare. */
extern const struct option_entry options_database_diff[];
extern const struct option_entry options_server[];

struct server_options options_default_server(const char *program);

/* What follows from these options. Complains and returns false where they do not go
 * together. */
bool options_choose_database(struct options *options, const struct converter *converter);

/* ---- Which of the samples' values is shown ----------------------------------------- */

/* Takes samples, spans, waits, time, objects or bytes, or else the name of an event,
 * which inputs may have, for OPTION_CALL. */
bool options_take_value(struct option_given *given);

/* Finds the value that was named. If the profile does not have it, prints which ones it
 * has, and returns false. `about` is the file that this is about, or NULL. */
bool options_find_value(const char *program, const char *about,
                        const struct fxt_profile *profile,
                        const struct fxt_profile_output *output, size_t *value);

/* ---- Which format is written ------------------------------------------------------- */

/* The one that the user names, or else the one that the output's name ends in. A name
 * that promises what would not be in the file is refused. */

/* The first format after `format` that the converter offers, which is described in
 * `info`; FXT_PROFILE_FORMAT_ANY, from which a walk begins, at the end. */
enum fxt_profile_format options_next_format(const struct converter *converter,
                                            enum fxt_profile_format format,
                                            struct fxt_profile_format_info *info);

/* Adds what --help prints of the formats, if there are several; their descriptions begin
 * at `column`. */
void options_help_formats(struct text *text, const struct converter *converter,
                          size_t column);

/* Takes the format with a name, for OPTION_CALL; returns false if the converter does not
 * offer it. */
bool options_take_format(struct option_given *given);

/* Fills in options->write.format where no option has; complains and returns false if the
 * output's name is that of something else. */
bool options_choose_format(struct options *options, const struct converter *converter);

/* ---- Where an option can have an effect -------------------------------------------- */

/* With which formats, with which kinds of input, and beside which other options. Where it
 * can have none it is refused, instead of being ignored silently; the manual pages say
 * which are accepted without an effect. */

enum input_kind {
    INPUT_SAMPLES = 1,
    INPUT_SPANS = 2,
    INPUT_HEAPS = 4,
    INPUT_GDB = 8,
    INPUT_JSON = 16,
    INPUT_SCHED = 32,
    /* Waits beside samples. */
    INPUT_WALL = 64,
    /* Samples of a database. */
    INPUT_SUMS = 128,
    INPUT_FOLDED = 256
};

/* Complains and returns false if one of the given options has no effect, as far as that
 * follows from the options alone. */
bool options_check_uses(const struct options *options, const struct converter *converter);

/* The same for an input, whose kind shows when it is read. `name` may be NULL. */
bool options_check_input(const struct options *options, const char *name,
                         enum input_kind kind);
/* The same for captures; for FXT, whose kind its contents show, always true. */
bool options_check_captures(const struct options *options, const char *name,
                            enum fxt_profile_content content);

#endif
