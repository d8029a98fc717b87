/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: sessions, which start and stop, in children
 * too. Not for direct use.
 */
#ifndef FXT_TRACE_SESSIONS_H
#define FXT_TRACE_SESSIONS_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/trace/requests.h>
#include <fxt/trace/rings.h>
#include <fxt/trace/save.h>
#include <fxt/trace/stream.h>
#include <fxt/trace/toggle.h>

FXT_BEGIN_DECLS

/* A thread is starting or stopping a session. */
static uint32_t fxt_trace_is_busy_;

/* Events in signal handlers that interrupted that, before there was a file. */
static uint64_t fxt_trace_n_early_;

/* ---- Children ---------------------------------------------------------------------- */

/* In a child after fork there is one thread, and the parent's rings are not the child's.
 * It may have been interrupted while it wrote: the memory stays, without the file. */
static void fxt_trace_fork_(void)
{
    struct fxt_trace_state_ *state = fxt_trace_state_;
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;
    bool goes_on = fxt_trace_session_ == 1 ||
                   (fxt_trace_session_ > 1 && fxt_trace_is_pattern_(state->path));

    if (state->file && state->file->is_open) {
        if (state->file->streams)
            fxt_trace_close_stream_(&fxt_trace_stream_);
        fxt_trace_close_file_(state->file);
    }
    for (uint32_t i = 0; i < FXT_TRACE_LEVELS_; i++)
        thread->rings[i] = 0;
    state->free_rings = 0;
    /* What fxttrace has asked of the parent is not asked of the child. */
    fxt_trace_request_.answered = fxt_trace_request_.number;
    fxt_trace_is_busy_ = 0;
    thread->is_busy = false;
    fxt_trace_session_ = goes_on;
}

/* ---- Starting and stopping --------------------------------------------------------- */

/* Whether no other thread starts or stops a session, until fxt_trace_unlock_. A signal
 * handler that interrupts this or what follows finds that the thread is busy, and does
 * not wait. */
static bool fxt_trace_lock_(void)
{
    if (fxt_trace_thread_.is_busy)
        return false;
    fxt_trace_thread_.is_busy = true;
    FXT_TRACE_FENCE_();
    if (!__atomic_exchange_n(&fxt_trace_is_busy_, 1, __ATOMIC_ACQUIRE))
        return true;
    fxt_trace_thread_.is_busy = false;
    return false;
}

static void fxt_trace_unlock_(void)
{
    FXT_STORE_RELEASE(&fxt_trace_is_busy_, (uint32_t)0);
    FXT_TRACE_FENCE_();
    fxt_trace_thread_.is_busy = false;
}

/* Also of a session that fxttrace has stopped. */
static void fxt_trace_end_session_(void)
{
    struct fxt_trace_file_ *file = fxt_trace_state_ ? fxt_trace_state_->file : 0;

    if (!file || !file->is_open)
        return;
    fxt_trace_measure_rate_(file);
    if (file->streams)
        fxt_trace_end_stream_(&fxt_trace_stream_);
    fxt_trace_close_file_(file);
}

/* Two threads may do this at the same time. */
static bool fxt_trace_make_state_(void)
{
    struct fxt_trace_state_ *known = __atomic_load_n(&fxt_trace_state_, __ATOMIC_ACQUIRE);
    struct fxt_trace_state_ *state;

    if (known)
        return true;
    state = (struct fxt_trace_state_ *)fxt_trace_map_(sizeof(*state), -1);
    if (!state)
        return false;
    if (pthread_key_create(&state->key, fxt_trace_end_thread_) != 0) {
        munmap(state, sizeof(*state));
        errno = EAGAIN;
        return false;
    }
#ifdef MADV_POPULATE_WRITE
    /* The tables of strings: each page would be a fault at some site. */
    madvise(state, offsetof(struct fxt_trace_names_, n_sites), MADV_POPULATE_WRITE);
#endif
    state->n_sessions = 1;
    fxt_trace_judge_(&state->names, 0, "");
    if (__atomic_compare_exchange_n(&fxt_trace_state_, &known, state, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        FXT_STORE_RELAXED(&fxt_trace_has_key_, (uint32_t)1);
        pthread_atfork(0, 0, fxt_trace_fork_);
        FXT_STORE_RELEASE(&fxt_trace_control_.state, state);
    } else {
        pthread_key_delete(state->key);
        munmap(state, sizeof(*state));
    }
    return true;
}

static int fxt_trace_fail_(int error)
{
    errno = error;
    return -1;
}

/* From here on, no more are counted. */
static void fxt_trace_drop_early_(struct fxt_trace_file_ *file)
{
    uint64_t n = __atomic_exchange_n(&fxt_trace_n_early_, 0, __ATOMIC_RELAXED);

    if (n > 0)
        fxt_trace_drop_(file, n, n * 2);
}

/* Opens what is to be mapped; stores -1 to `*fd` for memory. */
static bool fxt_trace_open_files_(const struct fxt_trace_options *options, int *fd)
{
    char path[sizeof(fxt_trace_state_->path) + 64];

    *fd = -1;
    if (options->mode == FXT_TRACE_STREAM)
        return fxt_trace_open_stream_(&fxt_trace_stream_, options->path, fd);
    if (!options->path)
        return true;
    *fd = fxt_trace_open_(options->path, path, sizeof(path), fxt_trace_open_path_);
    return *fd >= 0;
}

/* Unless another thread, a signal handler or fxttrace stops it before it has begun. */
static int fxt_trace_open_session_(struct fxt_trace_state_ *state,
                                   const struct fxt_trace_options *options)
{
    uint32_t before = __atomic_load_n(&fxt_trace_session_, __ATOMIC_ACQUIRE);
    struct fxt_trace_file_ *file;
    int error = 0;
    int fd;

    if (!fxt_trace_open_files_(options, &fd))
        return -1;
    fxt_trace_choose_clock_(options->monotonic_clock);
    file = fxt_trace_make_file_(options, fd);
    if (!file) {
        error = errno;
        if (fd >= 0)
            close(fd);
        if (options->mode == FXT_TRACE_STREAM)
            fxt_trace_close_stream_(&fxt_trace_stream_);
        return fxt_trace_fail_(error);
    }
    fxt_trace_write_header_(file);
    file->is_open = true;
    file->session = ++state->n_sessions;
    if (options->categories)
        fxt_trace_change_patterns_(&state->names, options->categories);
    __atomic_store_n(&state->file, file, __ATOMIC_RELEASE);
    __atomic_compare_exchange_n(&fxt_trace_session_, &before, file->session, false,
                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    fxt_trace_drop_early_(file);
    if (file->streams)
        error = fxt_trace_start_stream_(&fxt_trace_stream_, file);
    if (error == 0)
        return 0;
    __atomic_store_n(&fxt_trace_session_, 0, __ATOMIC_SEQ_CST);
    fxt_trace_close_stream_(&fxt_trace_stream_);
    fxt_trace_close_file_(file);
    return fxt_trace_fail_(error);
}

/* The program, or a child of it, may change the directory; unless the path would become
 * too long, or another pattern. */
static void fxt_trace_keep_path_(struct fxt_trace_state_ *state, const char *path)
{
    size_t size = sizeof(state->path);
    size_t n = 0;

    if (path[0] != '/' && getcwd(state->path, size) &&
        !fxt_trace_is_pattern_(state->path)) {
        n = strlen(state->path);
        n = strlen(path) + 1 < size - n ? n : 0;
    }
    snprintf(state->path + n, size - n, "%s%s", n > 0 ? "/" : "", path);
}

static void fxt_trace_keep_options_(struct fxt_trace_state_ *state,
                                    const struct fxt_trace_options *options)
{
    state->options = *options;
    state->options.categories = 0;
    state->path[0] = 0;
    if (options->path)
        fxt_trace_keep_path_(state, options->path);
    state->options.path = options->path ? state->path : 0;
}

/* While no other thread starts or stops a session. */
static int fxt_trace_start_now_(const struct fxt_trace_options *options)
{
    struct fxt_trace_options asked;
    struct fxt_trace_options kept;

    if (FXT_LOAD_RELAXED(&fxt_trace_session_) > 1)
        return fxt_trace_fail_(EBUSY);
    if (!options) {
        fxt_trace_read_environment_(&asked);
        options = &asked;
    }
    if (options->path && strlen(options->path) >= sizeof(fxt_trace_state_->path))
        return fxt_trace_fail_(ENAMETOOLONG);
    if (!fxt_trace_make_state_())
        return -1;
    fxt_trace_end_session_();
    if (options != &fxt_trace_state_->options)
        fxt_trace_keep_options_(fxt_trace_state_, options);
    kept = fxt_trace_state_->options;
    kept.categories = options->categories;
    return fxt_trace_open_session_(fxt_trace_state_, &kept);
}

/* The members that both the caller and this version know; others must be zero. */
static bool fxt_trace_copy_options_(struct fxt_trace_options *to,
                                    const struct fxt_trace_options *from)
{
    const unsigned char *bytes = (const unsigned char *)from;

    if (from->size < sizeof(*to))
        return false;
    for (size_t i = sizeof(*to); i < from->size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    *to = *from;
    return true;
}

int fxt_trace_start(const struct fxt_trace_options *options)
{
    struct fxt_trace_options known;
    int result;

    if (options && !fxt_trace_copy_options_(&known, options))
        return fxt_trace_fail_(EINVAL);
    options = options ? &known : NULL;
    if (!fxt_trace_lock_())
        return fxt_trace_fail_(EBUSY);
    result = fxt_trace_start_now_(options);
    fxt_trace_unlock_();
    return result;
}

void fxt_trace_stop(void)
{
    if (!fxt_trace_lock_())
        return;
    __atomic_store_n(&fxt_trace_session_, 0, __ATOMIC_SEQ_CST);
    fxt_trace_end_session_();
    fxt_trace_unlock_();
}

/* At the end of the program, or where the library that has this is unloaded: threads that
 * end later do not call it, and what was traced before is in the stream. Other files have
 * that already. */
__attribute__((__destructor__)) static void fxt_trace_exit_(void)
{
    struct fxt_trace_file_ *file = fxt_trace_state_ ? fxt_trace_state_->file : 0;

    fxt_trace_ignore_signal_();
    if (__atomic_exchange_n(&fxt_trace_has_key_, 0, __ATOMIC_RELAXED) != 0)
        pthread_key_delete(fxt_trace_state_->key);
    if (!file || !file->is_open)
        return;
    if (FXT_LOAD_RELAXED(&fxt_trace_session_) == file->session)
        fxt_trace_end_mark_(file);
    if (file->streams)
        fxt_trace_stop();
}

int fxt_trace_save(const char *path)
{
    int result = -1;

    if (!fxt_trace_lock_())
        return fxt_trace_fail_(EBUSY);
    if (FXT_LOAD_RELAXED(&fxt_trace_session_) > 1 && fxt_trace_state_->file->streams)
        errno = ENOTSUP;
    else if (FXT_LOAD_RELAXED(&fxt_trace_session_) > 1)
        result = fxt_trace_save_file_(fxt_trace_state_->file, path);
    else
        errno = ENOENT;
    fxt_trace_unlock_();
    return result;
}

void fxt_trace_set_categories(const char *patterns)
{
    if (fxt_trace_make_state_())
        fxt_trace_change_patterns_(&fxt_trace_state_->names, patterns ? patterns : "");
}

void fxt_trace_name_thread(const char *name)
{
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;

    snprintf(thread->name, sizeof(thread->name), "%s", name);
    for (uint32_t i = 0; i < FXT_TRACE_LEVELS_; i++) {
        struct fxt_trace_ring_ *ring = thread->rings[i];

        if (!ring)
            continue;
        /* The next event finds its site unknown, and then the thread. */
        ring->thread = 0;
        memset(ring->sites, 0, sizeof(ring->sites));
    }
}

FXT_END_DECLS

#endif
