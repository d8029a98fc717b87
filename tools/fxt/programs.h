/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that fxt runs, each under one word. */
#ifndef FXT_PROGRAMS_H
#define FXT_PROGRAMS_H

#include <stdbool.h>

#include "common/base/text.h"

struct program_entry {
    const char *word;
    const char *program;
    /* What one wants to do. */
    const char *purpose;
    /* The heading of this entry and those after it; NULL for the one before. */
    const char *heading;
};

/* Ends in a zero entry. */
extern const struct program_entry programs[];

/* The entry of a word, or of a program's name; NULL if there is none. */
const struct program_entry *program_entry_find(const char *word);

/* The word that was probably meant, or NULL if none is similar. */
const char *program_entry_nearest(const char *word);

/* Stores the path, with a zero at its end, of a program: in the directory of this one, or
 * in the next one of a build directory, or in one of PATH. Returns false if it is in none
 * of them. */
bool program_entry_locate(struct text *path, const char *program);

#endif
