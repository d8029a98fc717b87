/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach.h. */
#include "attach.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach_session.h"
#include "common/base/clock.h"
#include "refuse.h"
#include "tools/common/report.h"
#include "tools/fxtheap/fxtheap.h"

/* How long to call again where another call is under way. */
#define AGAIN_NS (UINT64_C(5) * 1000000000)

/* ---- Attach ------------------------------------------------------------------------ */

static bool open_target(struct attach_session *s, struct text *why)
{
    pid_t process = (pid_t)s->options->process;

    if (!target_open(&s->target, process)) {
        refuse_stop(process, errno, why);
        return false;
    }
    if (refuse_target(&s->target, why))
        return false;
    s->restorer = target_find_bytes(&s->target, s->target.libc, registers_restorer,
                                    registers_restorer_size);
    if (s->restorer != 0)
        return true;
    return text_fail(why, "its C library has no code to return from a signal handler");
}

static bool begin(struct attach_session *s, struct text *why)
{
    return !refuse_process((pid_t)s->options->process, why) && open_target(s, why);
}

/* With tables, which are not there after the library was loaded. The process may have a
 * tracer, and be stopped: a thread that was late is this program's. */
static bool begin_again(struct attach_session *s, struct text *why)
{
    target_close(&s->target);
    s->target = (struct target){.memory = -1};
    return open_target(s, why);
}

/* One of its threads calls a function of the library: again if another call is under way,
 * or, to detach, if a thread that was in a call of the library could not wait for itself:
 * then by another one, or later. */
static bool call_library(struct attach_session *s, const char *library, bool is_attach,
                         struct heap_attach_request *r, struct text *why)
{
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + AGAIN_NS;
    bool good;

    do {
        if (!attach_find_thread(s, r->result == HEAP_ATTACH_IN_USE, why))
            return false;
        r->result = HEAP_ATTACH_PENDING;
        good = attach_load_library(s, library, why) &&
               attach_call_library(s, is_attach, r, why);
        tracee_release(&s->tracee);
        if (!good || r->result != HEAP_ATTACH_IN_USE || clock_ns(CLOCK_MONOTONIC) >= end)
            return good;
    } while (begin_again(s, why));
    return false;
}

static bool attach_with(struct attach_session *s, const char *library, struct text *why)
{
    const struct attach_options *o = s->options;
    struct heap_attach_request r = {.size = sizeof(r),
                                    .depth = o->run.depth,
                                    .no_children = o->run.no_children,
                                    .keeps_peak = o->run.keeps_peak,
                                    .sample_bytes = o->run.sample_bytes,
                                    .n_blocks = o->run.n_blocks};

    if (strlen(o->run.directory) >= sizeof(r.directory))
        return text_fail(why, "the path of --directory is too long");
    strcpy(r.directory, o->run.directory);
    if (!begin(s, why) || refuse_path(s->target.process, library, why) ||
        refuse_path(s->target.process, o->run.directory, why) ||
        !call_library(s, library, true, &r, why))
        return false;
    if (r.result == HEAP_ATTACH_IN_USE)
        text_str(why, "another fxtheap is attaching to it, or detaching");
    return r.result == HEAP_ATTACH_DONE;
}

static int report(const struct attach_session *s, bool good, struct text *why,
                  const char *done)
{
    if (!good) {
        complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %.*s", s->options->process,
                 (int)why->size, why->data);
        return FXTHEAP_FAILED;
    }
    if (!s->options->quiet)
        complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %s", s->options->process,
                 done);
    return FXTHEAP_GOOD;
}

int attach_start(const struct attach_options *options)
{
    struct attach_session s = {.options = options, .target = {.memory = -1}};
    struct text library = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    char *path = NULL;
    bool good = false;

    if (run_find_library(&library))
        path = realpath(library.data, NULL);
    if (path == NULL)
        text_printf(&why, "there is no %s", FXTHEAP_LIBRARY);
    else
        good = attach_with(&s, path, &why);
    tracee_release_late();
    target_close(&s.target);
    free(path);
    return report(&s, good, &why,
                  "recording; fxtheap snapshot shows its heap, and "
                  "fxtheap detach ends it");
}

/* ---- Detach ------------------------------------------------------------------------ */

/* Stores whether the table is still mapped. */
static bool detach_with(struct attach_session *s, bool *is_in_use, struct text *why)
{
    struct heap_attach_request r = {.size = sizeof(r)};
    bool good;

    if (!begin(s, why))
        return false;
    if (s->target.heap == NULL)
        return text_fail(why, "it is not recorded");
    good = call_library(s, FXTHEAP_LIBRARY, false, &r, why);
    *is_in_use = r.result == HEAP_ATTACH_IN_USE;
    return good;
}

int attach_end(const struct attach_options *options)
{
    struct attach_session s = {.options = options, .target = {.memory = -1}};
    struct text why = {NULL, 0, 0};
    bool is_in_use = false;
    bool good = detach_with(&s, &is_in_use, &why);

    tracee_release_late();
    target_close(&s.target);
    return report(&s, good, &why,
                  is_in_use ? "no longer recorded, but still using its table: detach it "
                              "again for that to be released"
                            : "no longer recorded; its table stays for ten minutes");
}
