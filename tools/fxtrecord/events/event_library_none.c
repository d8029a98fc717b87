/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_library.h: without libpfm4. */
#include "event_library.h"

bool event_library_find(const char *name, struct fxt_sampler_source *source,
                        const char **why)
{
    (void)name;
    (void)source;
    *why =
        "not one of perf's generic names, and this fxtrecord was built without libpfm4";
    return false;
}
