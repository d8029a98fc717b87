/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a converter does from its command line to its exit status: 0 for a whole profile;
 * 1 where the input was damaged, had no samples, or the output could not be written; 2
 * for a command line or an input that cannot be used. Whatever could be read of damaged
 * input is still in the output.
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include "options.h"

/* Reads the inputs and writes the output, for a converter's run_own. Returns the exit
 * status. */
int convert_inputs(struct conversion *conversion);

int convert_main(const struct converter *converter, int argc, char **argv);

/* The command line of a converter to a timeline; `name` to `gzip_by_name` are given, the
 * options are the same for all. One that has `check_own` and `write_own` has --into-fxt,
 * with which these are called. */
int timeline_main(const struct converter *format, int argc, char **argv);

#endif
