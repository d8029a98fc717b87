/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tool says about its input on standard error:
 *
 *     fxtdump: cpu0.bin:0x1a8: string record: a string is longer than ... (byte 8)
 *
 * The first few of each severity are printed and all are counted: a million faults make a
 * count, not a million lines.
 */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/common.h>

#include "common/base/text.h"

struct report {
    const char *program;
    /* The file that all the reports are about; NULL where there are several. */
    const char *input;
    /* How many lines of each severity are printed; 0 for none. */
    uint64_t max_lines;
    /* How many reports there were, by enum fxt_severity; a fatal error is an error. */
    uint64_t counts[FXT_ERROR + 1];
};

enum { REPORT_DEFAULT_LINES = 10 };

/* `max_lines` by the options -q and -v, of which -q wins. */
static inline uint64_t report_max_lines(bool quiet, bool verbose)
{
    if (quiet)
        return 0;
    return verbose ? UINT64_MAX : REPORT_DEFAULT_LINES;
}

/* Comes first in a program. A file that is opened where a standard stream is closed would
 * be taken for it, and have in it what is printed: something that is neither read nor
 * written takes that place, here and not in programs that are started. */
void report_hold_streams(void);

/* Prints and counts one report about the file `input`. */
void report_error(struct report *report, const char *input,
                  const struct fxt_error *error);

/* The word for a severity; a fatal error is an error. */
const char *report_severity(enum fxt_severity severity);

/* What a report says without its place: "string record: a string is longer than ..." */
void report_sentence(struct text *text, const struct fxt_error *error);

/* Says how many reports were not printed, if any. */
void report_rest(const struct report *report);

/* Something of severity error or fatal was reported. */
bool report_is_bad(const struct report *report);

/* Says which commands may bring missing symbols: lines that can be pasted, if any. */
void report_remedies(const char *program, const struct text *lines);

/* "fxtdump: cpu0.bin: message" on standard error, `input` NULL for none. Returns false,
 * for callers that do. */
bool complain(const char *program, const char *input, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* That an option cannot have a value, and why, which may be empty. */
void complain_of_value(const char *program, const char *option, const char *value,
                       const char *why, size_t why_size);

/* As complain, of a reason, which is freed. */
bool complain_text(const char *program, const char *input, struct text *why);

#endif
