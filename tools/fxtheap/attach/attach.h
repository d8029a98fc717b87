/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records a process that already runs: one of its threads is stopped where it holds no
 * lock, and made to load libfxtheap and to start it, while the others go on. That takes
 * some tens of milliseconds. If this program is killed during that, the process goes
 * on, recorded or not.
 */
#ifndef FXTHEAP_ATTACH_ATTACH_H
#define FXTHEAP_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/fxtheap/run.h"

struct attach_options {
    uint64_t process;
    /* Its directory is an absolute path. */
    struct run_options run;
    bool quiet;
};

/* Both return the exit status, and report what is wrong. */
int attach_start(const struct attach_options *options);
int attach_end(const struct attach_options *options);

#endif
