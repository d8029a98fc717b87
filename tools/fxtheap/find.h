/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a directory, and the processes that they are of.
 *
 * A process that exits removes its table. That of a killed process remains, so that its
 * heap can be examined. When fxtheap first sees such a table it marks it by making it
 * read-only; a run of fxtheap that is more than ten minutes later removes it.
 */
#ifndef FXTHEAP_FIND_H
#define FXTHEAP_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "owner.h"

struct found {
    struct found_table *all;
    size_t n;
    size_t capacity;
    /* Tables that were reported, and those that belong to other users. */
    size_t n_damaged;
    size_t n_others;
};

/* Which tables of processes that have ended are removed. */
enum find_removal { FIND_REMOVE_NONE, FIND_REMOVE_OLD, FIND_REMOVE_ENDED };

/* Finds all tables that can be read, by process id, also in directories of
 * fxtheap run --at-exit. Tables that cannot be read are reported, unless they belong to
 * other users. Reports why and returns false if the directory cannot be read. */
bool find_tables(struct found *found, const char *directory, enum find_removal removal);

/* Removes a table; false if it was not the one of that name any more. */
bool find_remove(const struct found_table *table);

/* The name for users: that of the first thread, or, if that is empty, of the program. */
const char *found_name(const struct found_table *table);

/* Whether the process has that name, or its program. */
bool found_is_named(const struct found_table *table, const char *name);

void found_free(struct found *found);

#endif
