/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says. */
#ifndef FXTTRACE_SETTINGS_H
#define FXTTRACE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FXTTRACE_PROGRAM "fxttrace"

enum fxttrace_status { FXTTRACE_GOOD = 0, FXTTRACE_BAD = 1, FXTTRACE_UNUSABLE = 2 };

struct fxttrace_options {
    /* 0 for none. */
    pid_t process;
    const char *core;
    const char *streamed;
    bool starts;
    bool stops;
    bool keeps_last;
    bool streams;
    /* 0 for the default. */
    uint64_t max_bytes;
    /* NULL if they are not given. */
    const char *categories;
    const char *output;
    bool quiet;
};

#endif
