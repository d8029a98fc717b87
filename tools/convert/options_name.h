/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that say how functions get their names. */
#ifndef CONVERT_OPTIONS_NAME_H
#define CONVERT_OPTIONS_NAME_H

#include "options.h"

/* Takes one of options_naming; returns false for a value that is impossible. */
bool options_take_naming(struct options *options, int letter, const char *value);

/* Adds a directory, to be searched after those added before; false if it has no name. */
bool options_add_debug_dir(struct options *options, const char *directory);

#endif
