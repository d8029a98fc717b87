/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a program that takes options and then files. */
#ifndef COMMON_COMMAND_LINE_H
#define COMMON_COMMAND_LINE_H

#include <stddef.h>

#include "option_table.h"

struct command_line {
    const char *program;
    /* What --help prints: this, the options with their help at `column`, and `ending`,
     * which may be NULL. */
    const char *usage;
    const struct option_group *groups;
    size_t column;
    const char *ending;
    /* Which of the options it takes; NULL for all. */
    const struct option_group *taken;
    /* What getopt's letters begin with, such as "+"; NULL for nothing. */
    const char *mode;
};

/* Takes the options, of which a program has --help and --version with any tables, into
 * the OPTION_STRUCT of these. Returns -1 if the program goes on, with the files from
 * getopt's `optind` on; or else its exit status. */
int command_line_read(const struct command_line *line, void *options, int argc,
                      char **argv);

/* The one file that is given after the options, or "-" for none. Returns NULL after it
 * was printed that there is another one. */
const char *command_line_file(const char *program, int argc, char **argv);

/* Prints which value of an option is impossible, and how to get help. Returns the exit
 * status. */
int command_line_refuse_value(const char *program, const struct option_entry *entry,
                              const struct option_given *given);

#endif
