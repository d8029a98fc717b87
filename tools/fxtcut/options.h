/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fxtcut. */
#ifndef FXTCUT_OPTIONS_H
#define FXTCUT_OPTIONS_H

#include "settings.h"

/* Returns -1 if the settings are there, or else an exit status. */
int options_parse(struct cut_settings *settings, int argc, char **argv);

void options_free(struct cut_settings *settings);

#endif
