/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap list and fxtheap snapshot. */
#ifndef FXTHEAP_TAKE_H
#define FXTHEAP_TAKE_H

#include <stdbool.h>
#include <stdint.h>

struct take_options {
    const char *directory;
    /* NULL, and 0, for any. */
    const char *name;
    uint64_t process;
    bool takes_several;
    bool with_tags;
    /* Of the time when the heap was largest. */
    bool of_peak;
    /* All threads of the process are stopped while it is read. */
    bool freezes;
    /* NULL for none. */
    const char *contents;
    const char *output;
    bool quiet;
    /* For the list: tables of processes that have ended are removed at once. */
    bool cleans;
};

/* Both report what is wrong and return the exit status. */
int take_list(const struct take_options *options);
int take_snapshot(const struct take_options *options);

#endif
