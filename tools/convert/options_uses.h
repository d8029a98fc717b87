/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an option can have an effect: with which formats, with which kinds of input, and
 * beside which other options. Where it can have none it is refused, instead of being
 * ignored silently; the manual pages say which are accepted without an effect.
 */
#ifndef CONVERT_OPTIONS_USES_H
#define CONVERT_OPTIONS_USES_H

#include "options.h"

enum input_kind {
    INPUT_SAMPLES = 1,
    INPUT_SPANS = 2,
    INPUT_HEAPS = 4,
    INPUT_GDB = 8,
    INPUT_JSON = 16,
    INPUT_SCHED = 32,
    /* Waits beside samples. */
    INPUT_WALL = 64,
    /* Samples of a database. */
    INPUT_SUMS = 128,
    INPUT_FOLDED = 256
};

/* Complains and returns false if one of the given options has no effect, as far as that
 * follows from the options alone. */
bool options_check_uses(const struct options *options, const struct converter *converter);

/* The same for an input, whose kind shows when it is read. `name` may be NULL. */
bool options_check_input(const struct options *options, const char *name,
                         enum input_kind kind);
/* The same for captures; for FXT, whose kind its contents show, always true. */
bool options_check_captures(const struct options *options, const char *name,
                            enum fxt_profile_content content);

#endif
