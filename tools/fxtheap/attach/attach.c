/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach.h. */
#include "attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "libfxtheap/shared/attach_request.h"
#include "refuse.h"
#include "stack_check.h"
#include "target.h"
#include "thread_list.h"
#include "tools/common/report.h"
#include "tools/fxtheap/fxtheap.h"
#include "tools/fxtheap/run.h"
#include "tracee.h"

/* How long to look for a thread that can be made to call something, and how long to do
 * that all the time: one that does nothing but allocate is seldom outside of the
 * allocator. */
#define SEARCH_NS (UINT64_C(10) * 1000000000)
#define FAST_NS (UINT64_C(1) * 1000000000)
/* How long to call again where another call is under way. */
#define AGAIN_NS (UINT64_C(5) * 1000000000)

/* ---- Finding one ------------------------------------------------------------------- */

struct session {
    const struct attach_options *options;
    struct target target;
    uint64_t restorer;
    struct tracee tracee;
    /* Why the last threads could not be used. */
    int stop_error;
    bool is_small;
};

/* Stops a thread if it can be used. */
static bool try_thread(struct session *s, const struct stack_check *check, pid_t thread)
{
    enum stack_verdict verdict;

    if (!tracee_stop(&s->tracee, thread)) {
        if (errno != ESRCH)
            s->stop_error = errno;
        return false;
    }
    verdict = stack_check(check, &s->tracee.registers);
    if (verdict == STACK_GOOD)
        return true;
    s->is_small |= verdict == STACK_SMALL;
    tracee_release(&s->tracee);
    return false;
}

static bool try_threads(struct session *s, const struct stack_check *check)
{
    struct listed_thread *threads;
    size_t n = thread_list(s->target.process, &threads);
    bool found = false;

    s->stop_error = n == 0 ? ESRCH : 0;
    s->is_small = false;
    for (size_t i = 0; i < n && !found && s->stop_error != EPERM; i++)
        found = try_thread(s, check, threads[i].id);
    memory_release(threads);
    return found;
}

static void explain_failure(const struct session *s, struct text *why)
{
    if (s->stop_error != 0 && s->stop_error != ETIME)
        refuse_stop(s->target.process, s->stop_error, why);
    else if (s->stop_error == ETIME)
        text_str(why, "its threads do not stop");
    else if (s->is_small)
        text_str(why, "none of its threads was on a stack with enough room");
    else
        text_str(why, "none of its threads was outside of the allocator and the dynamic "
                      "loader when it was looked at, as if all waited there");
}

/* Different each time, so as not to meet a period of the program. */
static void pause_search(uint64_t begun)
{
    static uint64_t random = 1;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct timespec pause = {0, 0};

    random = random * 6364136223846793005 + now;
    pause.tv_nsec = (long)((random >> 33) % (now - begun < FAST_NS ? 100000 : 3000000));
    nanosleep(&pause, NULL);
}

/* Stops a thread that holds no lock. */
static bool find_thread(struct session *s, bool avoids_heap, struct text *why)
{
    uint64_t begun = clock_ns(CLOCK_MONOTONIC);
    struct stack_check check;

    stack_check_begin(&check, &s->target, s->restorer, avoids_heap);
    while (!try_threads(s, &check)) {
        tracee_release_late();
        if (s->stop_error == EPERM || s->stop_error == ESRCH ||
            clock_ns(CLOCK_MONOTONIC) - begun > SEARCH_NS) {
            explain_failure(s, why);
            return false;
        }
        pause_search(begun);
    }
    return true;
}

/* ---- Calling ----------------------------------------------------------------------- */

/* Returns false unless it has returned. */
static bool call(struct session *s, const struct tracee_function *function, void *data,
                 size_t size, struct text *why)
{
    switch (tracee_call(&s->tracee, s->target.memory, function, data, size)) {
    case TRACEE_RETURNED:
    case TRACEE_LEFT:
        return true;
    case TRACEE_CRASHED:
        text_str(why, "a call in it failed: it goes on where it was");
        tracee_release(&s->tracee);
        break;
    case TRACEE_LATE:
        text_str(why, "a call in it takes long, as if other threads held a lock: it "
                      "goes on with that by itself");
        break;
    case TRACEE_GONE:
        text_str(why, "it ended meanwhile");
        break;
    }
    return false;
}

/* dlopen is in the C library from glibc 2.34 on; others have a function for that which
 * is not for programs. */
static uint64_t find_dlopen(const struct session *s, uint64_t *flags)
{
    const struct image *libc = &s->target.libc->image;
    uint64_t found = image_find(libc, "dlopen").start;

    *flags = RTLD_NOW;
    if (found != 0)
        return found;
    *flags = RTLD_NOW | UINT64_C(0x80000000);
    return image_find(libc, "__libc_dlopen_mode").start;
}

/* Of the thread that is stopped; 0 if it is not known. */
static uint64_t find_errno(const struct session *s)
{
    uint64_t function = image_find(&s->target.libc->image, "__errno_location").start;
    unsigned char code[REGISTERS_ERRNO_BYTES];
    uint64_t word_at;
    uint64_t offset;
    uint64_t base;

    if (function == 0 || !image_copy(s->target.memory, function, code, sizeof(code)) ||
        !registers_errno(&s->tracee.registers, code, function, &word_at, &base) ||
        !image_copy(s->target.memory, word_at, &offset, sizeof(offset)))
        return 0;
    return base + offset;
}

/* dlopen changes errno, which the thread may be about to look at. */
static bool call_dlopen(struct session *s, uint64_t function, char *path, uint64_t flags,
                        struct text *why)
{
    uint64_t errno_at = find_errno(s);
    int before = 0;
    bool is_known =
        errno_at != 0 && image_copy(s->target.memory, errno_at, &before, sizeof(before));
    const struct tracee_function dlopen_there = {
        .address = function, .second = flags, .restorer = s->restorer};
    bool good = call(s, &dlopen_there, path, strlen(path) + 1, why);

    if (is_known && good)
        good = pwrite(s->target.memory, &before, sizeof(before), (off_t)errno_at) ==
               sizeof(before);
    return good;
}

static bool load_library(struct session *s, const char *library, struct text *why)
{
    uint64_t flags;
    uint64_t function = find_dlopen(s, &flags);
    char path[4096];

    if (s->target.heap != NULL)
        return true;
    memset(path, 0, sizeof(path));
    strncpy(path, library, sizeof(path) - 1);
    if (function == 0) {
        text_str(why, "its C library has no dlopen");
        return false;
    }
    if (!call_dlopen(s, function, path, flags, why))
        return false;
    if (target_reopen(&s->target) && s->target.heap != NULL)
        return true;
    text_printf(why, "its dynamic loader cannot load %s", library);
    return false;
}

/* Whether a table is mapped there. */
static bool is_recorded(const struct target *t)
{
    struct text name = {NULL, 0, 0};
    bool found = false;

    text_printf(&name, "fxtheap.%ld.", (long)t->process);
    for (size_t i = 0; i < t->n_files && !found; i++)
        found = strncmp(target_name(&t->files[i]), name.data, name.size) == 0;
    text_free(&name);
    return found;
}

static void explain_result(const struct heap_attach_request *r, bool is_attach,
                           struct text *why)
{
    switch ((enum heap_attach_result)r->result) {
    case HEAP_ATTACH_PENDING:
        text_str(why, "the libfxtheap in it is of another version");
        break;
    case HEAP_ATTACH_BOUND:
        text_str(why, is_attach ? "it is already being recorded"
                                : "it is not recorded, or was not attached to");
        break;
    case HEAP_ATTACH_OPTIONS:
        text_str(why, "it was recorded with --sample before: it can be so again, but not "
                      "without");
        break;
    case HEAP_ATTACH_TABLE:
        text_printf(why, "the table cannot be created: %s", strerror((int)r->error));
        break;
    case HEAP_ATTACH_NO_CALLS:
        text_str(why, "no module in it calls the allocator by a name");
        break;
    case HEAP_ATTACH_DONE:
    case HEAP_ATTACH_IN_USE:
        break;
    }
}

/* Calls a function of libfxtheap. */
static bool call_library(struct session *s, const char *name,
                         struct heap_attach_request *r, bool is_attach, struct text *why)
{
    const struct tracee_function function = {
        .address = image_find(&s->target.heap->image, name).start,
        .waits = true,
        .restorer = s->restorer};

    if (function.address == 0) {
        text_str(why, "the libfxtheap in it is of another version");
        return false;
    }
    if (!call(s, &function, r, sizeof(*r), why))
        return false;
    /* It has returned by itself. */
    if (r->result == HEAP_ATTACH_PENDING && r->state == 0 && target_reopen(&s->target) &&
        is_recorded(&s->target) == is_attach)
        r->result = HEAP_ATTACH_DONE;
    if (r->result == HEAP_ATTACH_DONE || r->result == HEAP_ATTACH_IN_USE)
        return true;
    explain_result(r, is_attach, why);
    return false;
}

/* ---- Attach ------------------------------------------------------------------------ */

static bool begin(struct session *s, struct text *why)
{
    pid_t process = (pid_t)s->options->process;

    if (refuse_process(process, why))
        return false;
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
    text_str(why, "its C library has no code to return from a signal handler");
    return false;
}

/* With tables, which are not there after the library was loaded. */
static bool begin_again(struct session *s, struct text *why)
{
    target_close(&s->target);
    s->target = (struct target){.memory = -1};
    return begin(s, why);
}

static bool attach_with(struct session *s, const char *library, struct text *why)
{
    const struct attach_options *o = s->options;
    struct heap_attach_request r = {.size = sizeof(r),
                                    .depth = o->depth,
                                    .no_children = o->no_children,
                                    .keeps_peak = o->keeps_peak,
                                    .sample_bytes = o->sample_bytes,
                                    .n_blocks = o->n_blocks};
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + AGAIN_NS;
    bool good;

    if (strlen(o->directory) >= sizeof(r.directory)) {
        text_str(why, "the path of --directory is too long");
        return false;
    }
    strcpy(r.directory, o->directory);
    if (!begin(s, why))
        return false;
    if (refuse_path(s->target.process, library, why) ||
        refuse_path(s->target.process, o->directory, why))
        return false;
    do {
        if (!find_thread(s, false, why))
            return false;
        good = load_library(s, library, why) &&
               call_library(s, HEAP_ATTACH_FUNCTION, &r, true, why);
        tracee_release(&s->tracee);
    } while (good && r.result == HEAP_ATTACH_IN_USE && clock_ns(CLOCK_MONOTONIC) < end &&
             begin_again(s, why));
    if (good && r.result == HEAP_ATTACH_IN_USE)
        text_str(why, "another fxtheap is attaching to it, or detaching");
    return good && r.result == HEAP_ATTACH_DONE;
}

static int report(const struct session *s, bool good, struct text *why, const char *done)
{
    if (!good) {
        complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %.*s", s->options->process,
                 (int)why->size, why->data);
        text_free(why);
        return FXTHEAP_FAILED;
    }
    if (!s->options->quiet)
        complain(FXTHEAP_PROGRAM, NULL, "process %" PRIu64 ": %s", s->options->process,
                 done);
    return FXTHEAP_GOOD;
}

int attach_start(const struct attach_options *options)
{
    struct session s = {.options = options, .target = {.memory = -1}};
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
    text_free(&library);
    return report(&s, good, &why,
                  "recording; fxtheap snapshot shows its heap, and "
                  "fxtheap detach ends it");
}

/* ---- Detach ------------------------------------------------------------------------ */

/* A thread that was in a call of libfxtheap cannot wait for that to end: another one, or
 * the same one later, is called again. Stores whether the table is still mapped. */
static bool detach_with(struct session *s, bool *is_in_use, struct text *why)
{
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + AGAIN_NS;
    bool good = true;

    if (!begin(s, why))
        return false;
    if (s->target.heap == NULL) {
        text_str(why, "it is not recorded");
        return false;
    }
    *is_in_use = false;
    do {
        struct heap_attach_request r = {.size = sizeof(r)};

        if (!find_thread(s, *is_in_use, why))
            return false;
        good = call_library(s, HEAP_DETACH_FUNCTION, &r, false, why);
        *is_in_use = good && r.result == HEAP_ATTACH_IN_USE;
        tracee_release(&s->tracee);
    } while (*is_in_use && clock_ns(CLOCK_MONOTONIC) < end);
    return good;
}

int attach_end(const struct attach_options *options)
{
    struct session s = {.options = options, .target = {.memory = -1}};
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
