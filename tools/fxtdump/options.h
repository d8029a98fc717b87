/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fxtdump. */
#ifndef FXTDUMP_OPTIONS_H
#define FXTDUMP_OPTIONS_H

#include "dump.h"

/* Takes the options off the command line and returns the index of the first file. Where
 * one is wrong, or asks for no more than help, the program ends here. */
int options_parse(struct dump_options *options, int argc, char **argv);

#endif
