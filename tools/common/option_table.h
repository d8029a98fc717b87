/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a program, in groups. What getopt_long takes, what --help prints, and
 * where values are stored all comes from them.
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

struct filter;
struct options;

/* An option as it was given. */
struct option_given {
    /* The struct of the program's options, or that which all converters have. */
    void *options;
    /* That of what only this converter has; else the same. */
    void *own;
    /* NULL for an option without one. */
    const char *value;
    /* Why a value is impossible, if there is more to say. */
    struct text why;
};

/* The values of an option that may be given several times, which stay in place. */
struct value_list {
    const char **values;
    size_t n;
    size_t capacity;
};

/* Adds a value; returns false if it is empty. */
bool value_list_add(struct value_list *list, const char *value);

enum option_kind {
    /* Nothing is stored but its flag. */
    OPTION_KIND_NONE,
    /* A constant is stored, or its bits are set. */
    OPTION_KIND_CONSTANT,
    OPTION_KIND_BITS,
    /* A string is stored. */
    OPTION_KIND_STRING,
    OPTION_KIND_NAME,
    OPTION_KIND_OUTPUT,
    OPTION_KIND_LIST,
    OPTION_KIND_NUMBER,
    OPTION_KIND_WORD,
    OPTION_KIND_FILTER
};

/* What becomes of an option; the macros below make one. */
struct option_value {
    enum option_kind kind;
    /* It is stored in `own`. */
    bool is_own;
    /* From the start of the struct, and how many bytes it has. */
    size_t place;
    size_t size;
    /* This bool is set as well. */
    bool has_flag;
    size_t flag;
    /* This unsigned number counts how often it is given. */
    bool has_count;
    size_t count;
    uint32_t constant;
    bool (*parse)(const char *string, uint64_t *number);
    uint64_t min;
    uint64_t max;
    const char *const *words;
    size_t n_words;
    /* Both return false for a value that is impossible. The second is called once the
     * value is stored; NULL for none. */
    bool (*add)(struct filter *filter, const char *value);
    bool (*call)(struct option_given *given);
    /* What is printed for an impossible value; NULL for "--NAME cannot be 'VALUE'". */
    const char *refusal;
};

struct option_entry {
    const char *name;
    /* The short form, or 0 for none. */
    int letter;
    /* What the help calls it; "[=NAME]" if it may be omitted; NULL for none. */
    const char *argument;
    struct option_value value;
    /* In one line, which is wrapped when it is printed. */
    const char *help;
};

/* What a value is stored in: a member, with its type, of the OPTION_STRUCT that a file
 * with a table defines. */
#define OPTION_MEMBER(member) (((OPTION_STRUCT *)0)->member)
#define OPTION_PLACE(member, ...)                                                        \
    (offsetof(OPTION_STRUCT, member) + 0 * _Generic(OPTION_MEMBER(member), __VA_ARGS__))

/* ---- Parts of a value -------------------------------------------------------------- */

/* Sets a bool. */
#define OPTION_FLAG_(member) .has_flag = true, .flag = OPTION_PLACE(member, bool : 1)
/* Counts in an unsigned number, which several options may have in common. */
#define OPTION_COUNT_(member)                                                            \
    .has_count = true, .count = OPTION_PLACE(member, unsigned : 1)
/* Stores a constant of an enum. */
#define OPTION_CONSTANT_(member, value)                                                  \
    .kind = OPTION_KIND_CONSTANT, .place = OPTION_PLACE(member, unsigned : 1),           \
    .constant = (value)
/* Sets bits. */
#define OPTION_BITS_(member, value)                                                      \
    .kind = OPTION_KIND_BITS, .place = OPTION_PLACE(member, uint32_t : 1),               \
    .constant = (value)
/* Stores any string; one that is not empty; or the name of an output, where "-" is
 * standard output, which is NULL. */
#define OPTION_STRING_(member)                                                           \
    .kind = OPTION_KIND_STRING, .place = OPTION_PLACE(member, const char * : 1)
#define OPTION_NAME_(member)                                                             \
    .kind = OPTION_KIND_NAME, .place = OPTION_PLACE(member, const char * : 1)
#define OPTION_OUTPUT_(member)                                                           \
    .kind = OPTION_KIND_OUTPUT, .place = OPTION_PLACE(member, const char * : 1)
/* Adds a string that is not empty to a list. */
#define OPTION_LIST_(member)                                                             \
    .kind = OPTION_KIND_LIST, .place = OPTION_PLACE(member, struct value_list : 1)
/* Stores a number of 32 or 64 bits, from `first` to `last`, as a function of
 * common/base/parse.h reads it. */
#define OPTION_NUMBER_(member, reader, first, last)                                      \
    .kind = OPTION_KIND_NUMBER,                                                          \
    .place = OPTION_PLACE(member, uint32_t : 1, uint64_t : 1),                           \
    .size = sizeof(OPTION_MEMBER(member)), .parse = (reader), .min = (first),            \
    .max = (last)
/* Stores in an enum which of an array of words it is; NULL is none of them. */
#define OPTION_WORD_(member, list)                                                       \
    .kind = OPTION_KIND_WORD, .place = OPTION_PLACE(member, unsigned : 1),               \
    .words = (list), .n_words = sizeof(list) / sizeof((list)[0])
/* Adds to a filter, by a function of filter.h. */
#define OPTION_FILTER_(member, function)                                                 \
    .kind = OPTION_KIND_FILTER, .place = OPTION_PLACE(member, struct filter : 1),        \
    .add = (function)
/* Calls a function, which takes the value or checks what the other parts have stored. */
#define OPTION_CALL_(function) .call = (function)
/* What is printed for an impossible value. */
#define OPTION_REFUSAL_(message) .refusal = (message)

/* ---- Values ------------------------------------------------------------------------ */

/* All parts of one. Where tables of converters are not of struct options, they are of
 * what only one of these has. */
#define OPTION_VALUE(...)                                                                \
    {                                                                                    \
        .is_own = _Generic((OPTION_STRUCT *)0, struct options *                          \
                           : false, default                                              \
                           : true),                                                      \
        __VA_ARGS__                                                                      \
    }
#define OPTION_FLAG(member) OPTION_VALUE(OPTION_FLAG_(member))
#define OPTION_CONSTANT(member, value) OPTION_VALUE(OPTION_CONSTANT_(member, value))
/* Of several constants of which one may be given; how many were is counted. */
#define OPTION_CHOICE(member, value, counter)                                            \
    OPTION_VALUE(OPTION_CONSTANT_(member, value), OPTION_COUNT_(counter))
#define OPTION_BITS(member, value) OPTION_VALUE(OPTION_BITS_(member, value))
#define OPTION_STRING(member) OPTION_VALUE(OPTION_STRING_(member))
#define OPTION_NAME(member) OPTION_VALUE(OPTION_NAME_(member))
#define OPTION_OUTPUT(member) OPTION_VALUE(OPTION_OUTPUT_(member))
#define OPTION_LIST(member) OPTION_VALUE(OPTION_LIST_(member))
#define OPTION_NUMBER(member, reader, first, last)                                       \
    OPTION_VALUE(OPTION_NUMBER_(member, reader, first, last))
#define OPTION_WORD(member, list) OPTION_VALUE(OPTION_WORD_(member, list))
#define OPTION_FILTER(member, function) OPTION_VALUE(OPTION_FILTER_(member, function))
#define OPTION_CALL(function) OPTION_VALUE(OPTION_CALL_(function))

/* Nothing becomes of it: of --help and --version, which programs print. */
#define OPTION_NOTHING                                                                   \
    {                                                                                    \
        0                                                                                \
    }

/* The last entry of a table; the last ones of a program's; and those of one that reads
 * data. */
#define OPTIONS_END                                                                      \
    {                                                                                    \
        0                                                                                \
    }
#define OPTIONS_OF_ALL                                                                   \
    {"help", 'h', NULL, OPTION_NOTHING, "print this"},                                   \
        {"version", 'V', NULL, OPTION_NOTHING, "print the version"}, OPTIONS_END
#define OPTIONS_OF_READERS                                                               \
    {"quiet", 'q', NULL, OPTION_FLAG(quiet),                                             \
     "print nothing about the data on standard error"},                                  \
        {"verbose", 'v', NULL, OPTION_FLAG(verbose),                                     \
         "print every problem of the data, not only the first few"},                     \
        OPTIONS_OF_ALL

/* little or big, for an enum fxt_byte_order. */
extern const char *const option_byte_orders[3];

/* ---- All of them ------------------------------------------------------------------- */

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
    /* That of each name. */
    const struct option_entry **entries;
    /* Ends in a zero entry. */
    struct option *names;
    char *letters;
};

/* `groups` ends in a zero entry, as it does below. `mode` is what the letters begin with:
 * "+", "-" or "". */
void option_table_make(struct option_table *table, const struct option_group *groups,
                       const char *mode);

/* Of what getopt_long returned for an option. */
const struct option_entry *option_table_find(const struct option_table *table,
                                             int returned);

/* Takes an option that was given. Returns false for a value that is impossible. */
bool option_take(const struct option_entry *entry, struct option_given *given);

/* Adds what --help prints of options; what they do begins at `column`, from 0. */
void option_table_help(struct text *text, const struct option_group *groups,
                       size_t column);

/* Adds a line of the same form about something that is not an option. */
void option_table_help_row(struct text *text, const char *name, const char *help,
                           size_t column);

#endif
