/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a program, in groups. What getopt_long takes and what --help prints are
 * both made from them.
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <getopt.h>
#include <stddef.h>

#include "common/base/text.h"

struct option_entry {
    const char *name;
    /* What getopt_long returns. Below OPTION_FIRST_LONG it is the short form as well. */
    int letter;
    /* What the help calls it; "[=NAME]" if it may be omitted; NULL for none. */
    const char *argument;
    /* In one line, which is wrapped when it is printed. */
    const char *help;
};

enum { OPTION_FIRST_LONG = 256 };

/* The last entries of a program's table; and those of one that reads data. */
#define OPTIONS_OF_ALL                                                                   \
    {"help", 'h', NULL, "print this"}, {"version", 'V', NULL, "print the version"},      \
    {                                                                                    \
        NULL, 0, NULL, NULL                                                              \
    }
#define OPTIONS_OF_READERS                                                               \
    {"quiet", 'q', NULL, "print nothing about the data on standard error"},              \
        {"verbose", 'v', NULL,                                                           \
         "print every problem of the data, not only the first few"},                     \
        OPTIONS_OF_ALL

/* The heading of a group whose options belong to the group before. */
#define OPTION_GROUP_GOES_ON ""

struct option_group {
    /* NULL for none. */
    const char *heading;
    /* Ends in a zero entry. No two groups of a program have a letter in common. */
    const struct option_entry *entries;
};

/* What getopt_long takes. */
struct option_table {
    size_t n_names;
    /* Ends in a zero entry. */
    struct option *names;
    char *letters;
};

/* `groups` ends in a zero entry, as it does below. `mode` is what the letters begin with:
 * "+", "-" or "". */
void option_table_make(struct option_table *table, const struct option_group *groups,
                       const char *mode);
void option_table_free(struct option_table *table);

/* Of a letter that getopt_long returned for an option. */
const char *option_table_name(const struct option_table *table, int letter);

/* Adds what --help prints of options; what they do begins at `column`, from 0. */
void option_table_help(struct text *text, const struct option_group *groups,
                       size_t column);

/* Adds a line of the same form about something that is not an option. */
void option_table_help_row(struct text *text, const char *name, const char *help,
                           size_t column);

#endif
