/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds to an archive the functions, source files, lines and inlined calls at the
 * addresses that it has, from what this machine has: a copy in which all records stay as
 * they were, and records of symbols (docs/symbol-records.md) follow the last one. What
 * cannot be read as a record comes after these.
 */
#ifndef FXTSYMBOLIZE_SYMBOLIZE_H
#define FXTSYMBOLIZE_SYMBOLIZE_H

#include "settings.h"

/* The exit status. */
enum symbolize_status {
    SYMBOLIZE_GOOD = 0,
    /* The input is damaged, or the output could not be written. */
    SYMBOLIZE_BAD = 1,
    /* The command line or the input cannot be used. */
    SYMBOLIZE_UNUSABLE = 2
};

enum symbolize_status symbolize(const struct symbolize_options *options);

#endif
