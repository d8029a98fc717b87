/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap run: a command with libfxtheap in it. */
#ifndef FXTHEAP_RUN_H
#define FXTHEAP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/* How a program is recorded. */
struct run_options {
    const char *directory;
    /* 0 for the default; of bytes for all blocks. */
    uint32_t depth;
    uint64_t sample_bytes;
    uint64_t n_blocks;
    /* As long as this file exists, processes leave their tables when they end; NULL for
     * none. */
    const char *keep;
    bool no_children;
    bool keeps_peak;
    bool has_mappings;
};

/* Stores where the library is; false if it is not there. */
bool run_find_library(struct text *path);

/* Becomes the command. If that fails, reports why and returns the exit status. */
int run_command(const struct run_options *options, char **command);

/* Commands into which a library cannot be loaded, or that it does not follow. */
enum command_kind {
    /* A dynamic program, a script, or what is not known. */
    COMMAND_RECORDED,
    COMMAND_STATIC,
    /* The dynamic loader does not take libraries from the environment. */
    COMMAND_PRIVILEGED,
    /* Has a sanitizer that must come before all other allocators. */
    COMMAND_SANITIZED,
    /* Calls functions of an allocator that others do not have, such as mallocx. */
    COMMAND_OWN_FUNCTIONS
};

/* Looks at the file that execvp would run for a name. */
enum command_kind command_check(const char *name);

#endif
