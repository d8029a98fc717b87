/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program's --help prints of its options and commands. */
#ifndef FXT_HELP_OPTIONS_H
#define FXT_HELP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

/* Strings are in the text of the help. */
struct help_option {
    const char *name;
    /* 0 for none. */
    char letter;
    /* NULL for none. */
    const char *argument;
    /* Whether the argument may be omitted, and so follows a "=". */
    bool is_optional;
    /* One line. */
    const char *help;
    /* "" for none. */
    const char *heading;
};

/* One way to call the program. */
struct help_usage {
    /* A word that comes first, such as "attach"; NULL for none. */
    const char *command;
    /* What follows. */
    const char *arguments;
};

struct help {
    struct text text;
    struct help_option *options;
    size_t n_options;
    size_t option_capacity;
    struct help_usage *usages;
    size_t n_usages;
    size_t usage_capacity;
};

/* Runs the program. Returns false if it is not installed, or fails. */
bool help_read(struct help *help, const char *program);

/* Whether an option can follow a command; without commands, always. */
bool help_option_is_of(const struct help *help, const struct help_option *option,
                       const char *command);

/* The option by which a word of the command line begins; `*value` is what follows it in
 * the same word, or NULL. NULL if there is none. */
const struct help_option *help_option_of(const struct help *help, const char *word,
                                         const char **value);

#endif
