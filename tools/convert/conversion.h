/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a converter, from its options to its exit status: conversion_start and
 * conversion_read make a profile of the inputs, which conversion_write writes (see
 * convert.c); conversion_report.c has the rest.
 */
#ifndef CONVERT_CONVERSION_H
#define CONVERT_CONVERSION_H

#include <fxt/profile.h>

#include "common/base/io/output.h"
#include "common/base/text.h"
#include "options.h"
#include "reports.h"

/* EXIT_UNWRITTEN is for a converter's `write_own` only, and no status, of which programs
 * have others, too: the program exits with EXIT_BAD. */
enum { EXIT_UNWRITTEN = -1, EXIT_GOOD = 0, EXIT_BAD = 1, EXIT_UNUSABLE = 2 };

struct conversion {
    const struct converter *converter;
    /* The file that messages are about; NULL if it needs no name. */
    const char *about;
    /* The command as it was given, as a comment; where it begins in this, and where it
     * has another option. */
    struct text command;
    size_t command_start;
    size_t command_files;
    struct options options;
    struct reports reports;
    struct fxt_profile_builder *builder;
    /* Once all inputs were read. */
    struct fxt_profile *profile;
    struct fxt_profile_statistics statistics;
};

/* Whether the converter writes something other than a format of the library. */
static inline bool conversion_writes_own(const struct conversion *conversion)
{
    if (conversion->converter->writes_own_if_told)
        return conversion->options.writes_own;
    return conversion->converter->write_own != NULL &&
           conversion->options.write.format == conversion->converter->default_format;
}

/* Whether files without symbols are reported on standard error, and what brings them. */
static inline bool conversion_prints_missing_files(const struct conversion *conversion)
{
    return !conversion->options.quiet &&
           (!conversion_writes_own(conversion) || conversion->options.writes_own);
}

/* Takes the filters and the files with symbols. Returns EXIT_GOOD, or another status if
 * that cannot be done, which is reported. */
int conversion_start(struct conversion *conversion);

/* Reads all inputs and makes the profile. Returns as conversion_start does. */
int conversion_read(struct conversion *conversion);

/* Which of the profile's values is shown. */
size_t conversion_value(const struct conversion *conversion);

/* Writes the profile. Returns false if that cannot be done, which is reported, unless it
 * is the output that failed: that is for output_close. */
bool conversion_write(const struct conversion *conversion, struct output *output);

void conversion_free(struct conversion *conversion);

/* Prints what is in the profile and what is not. */
void conversion_summarize(const struct conversion *conversion);

/* What can only be judged once it is known what the input holds: complains and returns
 * false if the options do not go with it. */
bool conversion_fits(const struct conversion *conversion);

/* The exit status. */
int conversion_judge(const struct conversion *conversion);

/* Each returns false, with a message, if the output would replace an input: before inputs
 * are read; the files with symbols that are known so far; and after all inputs were read,
 * with the exit status so far, those that turned out to be captures. */
bool conversion_spares_inputs(const struct conversion *conversion);
bool conversion_spares_symbols(const struct conversion *conversion);
bool conversion_spares_captures(const struct conversion *conversion, int status);

/* Prints on standard error how much there is, and what the profile lacks. */
void summary_print(const char *program, const struct fxt_profile *profile);

/* Prints what the sampler dropped on each CPU. */
void summary_print_drops(const char *program, const struct fxt_profile *profile);

/* Whether a page for browsers takes all events of the inputs. Complain, with a command
 * that makes a page of a part of them, and return false if there are too many: before the
 * inputs are read as a profile, which takes far longer than counting, as far as they can
 * be counted; and afterwards. */
bool page_takes_inputs(const struct conversion *conversion);
bool page_takes_profile(const struct conversion *conversion);

/* ---- The earlier recording, with which a tool compares the one that it shows ------- */

/* Makes a profile of a file with the options of `now`, which must stay in place, as must
 * `before` and `file`. Returns an exit status; with EXIT_UNUSABLE, which was reported,
 * there may be no profile. */
int conversion_read_before(struct conversion *before, const struct conversion *now,
                           struct fxt_profile_file *file);

/* Whether the profiles are of the same kind, and the values that are shown of the same
 * type; if not, that is reported. */
bool conversion_is_comparable(const struct conversion *now,
                              const struct conversion *before);

#endif
