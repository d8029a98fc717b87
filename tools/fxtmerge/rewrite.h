/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a record one of the output: its times, and what it says of processes, threads and
 * CPUs of its machine. */
#ifndef FXTMERGE_REWRITE_H
#define FXTMERGE_REWRITE_H

#include <stdbool.h>

#include <fxt/format.h>
#include <fxt/record.h>

#include "common/base/text.h"
#include "machines.h"
#include "providers.h"

/* What a changed record points to, until the next one is changed. All zero at first. */
struct rewriting {
    struct text name;
    struct fxt_arg args[FXT_ARGS_MAX];
};

static inline bool rewrite_is_needed(const struct merged_provider *provider,
                                     const struct machines *machines)
{
    return provider->shift_ticks != 0 || machines->n > 1;
}

/* Changes a record, if it is needed. Returns false if a time was cut to what 64 bits can
 * express. */
bool rewrite_record(struct rewriting *rewriting, struct fxt_record *record,
                    const struct merged_provider *provider,
                    const struct machines *machines);

#endif
