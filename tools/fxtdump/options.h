/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fxtdump. */
#ifndef FXTDUMP_OPTIONS_H
#define FXTDUMP_OPTIONS_H

#include "dump.h"

/* Parses the options of the command line and returns the index of the first file. If one
 * is wrong, or is --help or --version, the program exits. */
int options_parse(struct dump_options *options, int argc, char **argv);

#endif
