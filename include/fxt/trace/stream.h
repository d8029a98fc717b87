/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: a session's thread that writes what others
 * trace to a file or a pipe, from its begin to its end. Not for direct use.
 */
#ifndef FXT_TRACE_STREAM_H
#define FXT_TRACE_STREAM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/trace/drain.h>

FXT_BEGIN_DECLS

/* How often the chunks are looked at. */
#define FXT_TRACE_PERIOD_MS_ 5

/* The header of a pipe cannot be written again: so long is the clock's rate measured. */
#define FXT_TRACE_MEASURE_NS_ 50000000u

/* A program has one session. */
static struct fxt_trace_stream_ fxt_trace_stream_;

/* ---- Opening ----------------------------------------------------------------------- */

static bool fxt_trace_is_pipe_(const char *path)
{
    struct stat info;

    memset(&info, 0, sizeof(info));
    return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* While a named pipe has no reader, another file has its place. */
static int fxt_trace_open_waiting_(const char *path)
{
    if (fxt_trace_is_pipe_(path))
        return open("/dev/null", O_WRONLY | O_CLOEXEC);
    errno = ENXIO;
    return -1;
}

static int fxt_trace_open_output_(const char *path, int flags)
{
    struct stat info;
    int error = 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0666);

    memset(&info, 0, sizeof(info));
    if (fd < 0)
        return errno == ENXIO ? fxt_trace_open_waiting_(path) : -1;
    if (fstat(fd, &info) != 0)
        error = errno;
    else if (S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) != 0)
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    else if (S_ISREG(info.st_mode) && ftruncate(fd, 0) != 0)
        error = errno;
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

/* The rings are a file beside the stream's, or memory if it is a pipe. Stores -1 to
 * `*rings` for the latter. */
static bool fxt_trace_open_rings_(struct fxt_trace_stream_ *stream, int *rings)
{
    struct stat info;

    *rings = -1;
    memset(&info, 0, sizeof(info));
    if (fstat(stream->descriptor.fd, &info) != 0)
        return false;
    stream->is_file = S_ISREG(info.st_mode);
    stream->waits = !S_ISFIFO(info.st_mode) && fxt_trace_is_pipe_(stream->path);
    if (!stream->is_file)
        return true;
    snprintf(stream->rings, sizeof(stream->rings), "%s" FXT_TRACE_RINGS_SUFFIX_,
             stream->path);
    *rings = fxt_trace_open_path_(stream->rings, 0);
    return *rings >= 0;
}

/* Returns false with errno set. */
static bool fxt_trace_open_stream_(struct fxt_trace_stream_ *stream, const char *pattern,
                                   int *rings)
{
    int error;
    int fd;

    memset(stream, 0, sizeof(*stream));
    if (!pattern) {
        errno = EINVAL;
        return false;
    }
    fd = fxt_trace_open_(pattern, stream->path, sizeof(stream->path),
                         fxt_trace_open_output_);
    if (fd < 0)
        return false;
    stream->descriptor = fxt_trace_descriptor_(fd);
    if (fxt_trace_open_rings_(stream, rings))
        return true;
    error = errno;
    fxt_trace_close_(&stream->descriptor);
    errno = error;
    return false;
}

/* ---- The thread -------------------------------------------------------------------- */

/* Whether the named pipe has a reader; when the session ends, it may still come. */
static bool fxt_trace_has_reader_(struct fxt_trace_stream_ *stream)
{
    for (int ms = 0; stream->waits; ms += 100) {
        int fd = open(stream->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

        if (fd >= 0) {
            fxt_trace_close_(&stream->descriptor);
            stream->descriptor = fxt_trace_descriptor_(fd);
            stream->waits = false;
        } else if (!fxt_trace_is_ending_(stream)) {
            return false;
        } else if (ms >= FXT_TRACE_PATIENCE_MS_) {
            fxt_trace_complain_(stream->path, "no process reads it: the trace is lost");
            stream->is_broken = true;
            return false;
        } else {
            poll(NULL, 0, 100);
        }
    }
    return true;
}

/* Whether the clock's rate is known well enough to write a header. */
static bool fxt_trace_has_rate_(struct fxt_trace_stream_ *stream)
{
    return stream->is_file || stream->n_bytes > 0 || fxt_trace_is_ending_(stream) ||
           fxt_trace_monotonic_() - stream->file->start_monotonic > FXT_TRACE_MEASURE_NS_;
}

/* Writes a word of the header again; the thread that ends the session may be writing it.
 */
static bool fxt_trace_rewrite_(struct fxt_trace_stream_ *stream, const uint64_t *from)
{
    uint64_t word;

    fxt_trace_copy_words_(&word, from, 1);
    return pwrite(stream->descriptor.fd, &word, FXT_WORD_BYTES,
                  (off_t)((from - stream->file->words) * FXT_WORD_BYTES)) ==
           FXT_WORD_BYTES;
}

/* The rings stay if there is something in them that the file has no room for. */
static void fxt_trace_finish_stream_(struct fxt_trace_stream_ *stream, bool is_drained)
{
    struct fxt_trace_file_ *file = stream->file;

    if (stream->is_file && is_drained && fxt_trace_rewrite_(stream, file->rate) &&
        fxt_trace_rewrite_(stream, fxt_trace_mark_(file) + 1))
        unlink(stream->rings);
    /* Also of a session that fxttrace or a signal has stopped: a pipe's reader waits. */
    fxt_trace_close_(&stream->descriptor);
}

static void *fxt_trace_run_stream_(void *of_stream)
{
    struct fxt_trace_stream_ *stream = (struct fxt_trace_stream_ *)of_stream;
    bool is_drained = false;
    bool is_ending = false;
    uint64_t before = 0;

    prctl(PR_SET_NAME, "fxt-trace");
    while (!is_ending && !stream->is_broken) {
        is_ending = fxt_trace_is_ending_(stream);
        /* Not if the rings fill faster. */
        if (!is_ending && stream->n_bytes - before < stream->file->size / 8)
            poll(NULL, 0, FXT_TRACE_PERIOD_MS_);
        before = stream->n_bytes;
        fxt_trace_measure_rate_(stream->file);
        is_drained = fxt_trace_has_reader_(stream) && fxt_trace_has_rate_(stream) &&
                     fxt_trace_drain_(stream);
    }
    if (stream->is_broken) {
        uint32_t session = stream->file->session;

        __atomic_compare_exchange_n(&fxt_trace_session_, &session, 0, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    fxt_trace_finish_stream_(stream, is_drained);
    return NULL;
}

/* ---- Begin and end ----------------------------------------------------------------- */

static void fxt_trace_close_stream_(struct fxt_trace_stream_ *stream)
{
    if (stream->room)
        munmap(stream->room, FXT_TRACE_CHUNK_BYTES +
                                 (size_t)stream->file->n_chunks * sizeof(*stream->list));
    stream->room = 0;
    fxt_trace_close_(&stream->descriptor);
}

/* Once there is a session. The thread gets no signals, which are the program's. Returns 0
 * or an errno. */
static int fxt_trace_start_stream_(struct fxt_trace_stream_ *stream,
                                   struct fxt_trace_file_ *file)
{
    sigset_t all;
    sigset_t before;
    int error;

    stream->file = file;
    stream->room = (uint64_t *)fxt_trace_map_(
        FXT_TRACE_CHUNK_BYTES + file->n_chunks * sizeof(*stream->list), -1);
    if (!stream->room)
        return errno;
    stream->list =
        (struct fxt_trace_saved_ *)(void *)(stream->room + FXT_TRACE_CHUNK_WORDS_);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&stream->thread, NULL, fxt_trace_run_stream_, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Returns when all is written. */
static void fxt_trace_end_stream_(struct fxt_trace_stream_ *stream)
{
    __atomic_store_n(&stream->is_ending, 1, __ATOMIC_RELEASE);
    pthread_join(stream->thread, NULL);
    fxt_trace_close_stream_(stream);
}

FXT_END_DECLS

#endif
