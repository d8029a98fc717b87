/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The implementation of fxt/trace.h, which includes this where FXT_TRACE_IMPLEMENTATION
 * is defined: what happens at the first event of a program, of a site, and of a chunk.
 * Not for direct use.
 */
#ifndef FXT_TRACE_IMPLEMENTATION_H
#define FXT_TRACE_IMPLEMENTATION_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(O_CLOEXEC) || !defined(MAP_ANONYMOUS)
#error "with -std=c11, include <fxt/trace.h> before other headers where \
FXT_TRACE_IMPLEMENTATION is defined, or define _DEFAULT_SOURCE"
#endif

#include <fxt/trace/sessions.h>

FXT_BEGIN_DECLS

/* ---- The first event --------------------------------------------------------------- */

/* Starts what fxttrace has asked for; unless the program has started something else after
 * that was decided, which then goes on. */
static int fxt_trace_start_request_(const struct fxt_trace_options *options)
{
    struct fxt_trace_file_ *file = fxt_trace_state_ ? fxt_trace_state_->file : 0;

    if (file && file->is_open && file->session > fxt_trace_request_.session) {
        FXT_STORE_RELEASE(&fxt_trace_session_, file->session);
        return EBUSY;
    }
    if (fxt_trace_start_now_(options) == 0)
        return 0;
    FXT_STORE_RELAXED(&fxt_trace_session_, (uint32_t)0);
    return errno;
}

/* Starts what the environment asks for or, in a child and after fxt_trace_toggle, what
 * was traced before. */
static void fxt_trace_start_default_(void)
{
    struct fxt_trace_state_ *state = __atomic_load_n(&fxt_trace_state_, __ATOMIC_ACQUIRE);
    bool is_again = state && state->n_sessions > 1;
    struct fxt_trace_options asked;
    const struct fxt_trace_options *options = is_again ? &state->options : &asked;

    if (!is_again && FXT_LOAD_RELAXED(&fxt_trace_is_wanted_) == 0 &&
        !fxt_trace_is_asked_for_()) {
        FXT_STORE_RELAXED(&fxt_trace_session_, (uint32_t)0);
        FXT_STORE_RELAXED(&fxt_trace_n_early_, (uint64_t)0);
        return;
    }
    if (!is_again)
        fxt_trace_read_environment_(&asked);
    if (fxt_trace_start_now_(options) != 0) {
        fxt_trace_complain_(options->path ? options->path : "memory",
                            errno == ENOMEM ? "there is no memory for that much: see "
                                              "FXT_TRACE_SIZE"
                                            : strerror(errno));
        FXT_STORE_RELAXED(&fxt_trace_session_, (uint32_t)0);
    }
}

static void fxt_trace_decide_now_(void)
{
    struct fxt_trace_options asked;
    uint32_t number;

    if (!fxt_trace_read_request_(&asked, &number))
        fxt_trace_start_default_();
    else
        fxt_trace_answer_(number, fxt_trace_start_request_(&asked));
}

/* The first site that is reached starts what the environment asks for, or fxttrace. Other
 * threads wait for that; a signal handler that interrupts it does not trace, which is
 * counted. */
static void fxt_trace_decide_(void)
{
    while (!fxt_trace_lock_()) {
        if (fxt_trace_thread_.is_busy) {
            __atomic_fetch_add(&fxt_trace_n_early_, 1, __ATOMIC_RELAXED);
            return;
        }
        sched_yield();
    }
    if (FXT_LOAD_RELAXED(&fxt_trace_session_) == 1)
        fxt_trace_decide_now_();
    fxt_trace_unlock_();
}

/* ---- Sites ------------------------------------------------------------------------- */

bool fxt_trace_reach_(struct fxt_trace_site_ *site)
{
    int error = errno;

    FXT_STORE_RELAXED(&fxt_trace_control_.is_used, (uint32_t)1);
    if (FXT_LOAD_ACQUIRE(&fxt_trace_session_) == 1)
        fxt_trace_decide_();
    errno = error;
    if (FXT_LOAD_ACQUIRE(&fxt_trace_session_) <= 1)
        return false;
    return fxt_trace_add_site_(&fxt_trace_state_->names, site);
}

/* While there is a session. */
static struct fxt_trace_ring_ *fxt_trace_find_ring_(struct fxt_trace_site_ *site,
                                                    uint32_t level, uint64_t n_words)
{
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;
    struct fxt_trace_state_ *state = fxt_trace_state_;
    struct fxt_trace_file_ *file;
    struct fxt_trace_ring_ *ring = 0;

    file = __atomic_load_n(&state->file, __ATOMIC_ACQUIRE);
    fxt_trace_number_thread_(file, thread);
    if (level < FXT_TRACE_LEVELS_ && FXT_LOAD_RELAXED(&site->number) != 0)
        ring = fxt_trace_take_ring_(state, thread, level);
    if (ring && ring->session == file->session &&
        fxt_trace_complete_chunk_(state, ring, thread, site, n_words))
        return ring;
    if (ring && fxt_trace_change_chunk_(file, ring)) {
        if (fxt_trace_complete_chunk_(state, ring, thread, site, n_words))
            return ring;
    } else if (ring && ring->session == file->session) {
        /* Smaller events would still fit, such as the end of a span that is dropped. */
        ring->end = ring->pos;
    }
    fxt_trace_drop_(file, 1, n_words);
    return 0;
}

/* A category that was on before fxttrace asked for a session may be off in that. */
struct fxt_trace_ring_ *fxt_trace_prepare_(struct fxt_trace_site_ *site, uint32_t level,
                                           uint64_t n_words)
{
    struct fxt_trace_ring_ *ring = 0;
    bool is_on = true;
    int error = errno;

    if (FXT_LOAD_ACQUIRE(&fxt_trace_session_) == 1) {
        fxt_trace_decide_();
        is_on = FXT_LOAD_RELAXED(site->is_on) != 0;
    }
    if (is_on && FXT_LOAD_ACQUIRE(&fxt_trace_session_) > 1)
        ring = fxt_trace_find_ring_(site, level, n_words);
    errno = error;
    return ring;
}

FXT_END_DECLS

#endif
