/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a program that takes options and then files. */
#ifndef COMMON_COMMAND_LINE_H
#define COMMON_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"
#include "option_table.h"

struct command_line {
    const char *program;
    /* What --help prints: this, the options with their help at `column`, and `ending`,
     * which may be NULL. */
    const char *usage;
    const struct option_group *groups;
    size_t column;
    const char *ending;
    /* Takes any option but --help and --version. Returns false for a value that is
     * impossible; `why` may say more. */
    bool (*take)(void *context, int letter, const char *value, struct text *why);
};

/* Takes the options. Returns -1 if the program goes on, with the files from getopt's
 * `optind` on; or else its exit status. */
int command_line_read(const struct command_line *line, void *context, int argc,
                      char **argv);

/* The one file that is given after the options, or "-" for none. Returns NULL after it
 * was printed that there is another one. */
const char *command_line_file(const char *program, int argc, char **argv);

#endif
