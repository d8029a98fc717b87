/* SPDX-License-Identifier: BSD-2-Clause */
/* Events by their names in libpfm4. */
#ifndef FXTRECORD_EVENT_LIBRARY_H
#define FXTRECORD_EVENT_LIBRARY_H

#include <stdbool.h>

#include <fxt/sampler.h>

/* Fills in all but the name. Returns false if there is no such event, or no libpfm4: then
 * `*why` has the cause. */
bool event_library_find(const char *name, struct fxt_sampler_source *source,
                        const char **why);

#endif
