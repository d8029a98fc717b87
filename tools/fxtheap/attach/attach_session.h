/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that is attached to or detached from, and what is done to it: a thread is
 * found that may be made to call functions, and calls them. */
#ifndef FXTHEAP_ATTACH_ATTACH_SESSION_H
#define FXTHEAP_ATTACH_ATTACH_SESSION_H

#include "libfxtheap/shared/attach_request.h"
#include "target.h"
#include "tracee.h"
#include "common/base/text.h"

struct attach_options;

struct attach_session {
    const struct attach_options *options;
    struct target target;
    uint64_t restorer;
    struct tracee tracee;
    /* Why the last threads could not be used. */
    int stop_error;
    bool is_small;
};

/* All of these return false, and add why, if it cannot be done. */

/* Stops a thread that holds no lock, and if `avoids_heap` is in no function of
 * libfxtheap. */
bool attach_find_thread(struct attach_session *s, bool avoids_heap, struct text *why);

/* The thread that is stopped loads the library, or waits until another one has. */
bool attach_load_library(struct attach_session *s, const char *library, struct text *why);

/* The thread calls a function of the library, to attach or to detach. */
bool attach_call_library(struct attach_session *s, bool is_attach,
                         struct heap_attach_request *r, struct text *why);

#endif
