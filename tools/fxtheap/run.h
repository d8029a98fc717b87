/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap run: a command with libfxtheap in it. */
#ifndef FXTHEAP_RUN_H
#define FXTHEAP_RUN_H

#include <stdbool.h>

/* As they stand in the environment; NULL for what is not said. */
struct run_options {
    const char *directory;
    const char *depth;
    const char *sample_bytes;
    const char *n_blocks;
    bool no_children;
};

/* Becomes the command. Returns what to exit with if that fails, and has said why. */
int run_command(const struct run_options *options, char **command);

#endif
