/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fxtrecord. */
#ifndef FXTRECORD_OPTIONS_H
#define FXTRECORD_OPTIONS_H

#include "record_options.h"

/* Reads the command line, or ends the program, after what --help and --version print or
 * with a message. `ids` are the caller's to release. */
void options_read(struct record_options *options, int argc, char **argv);

#endif
