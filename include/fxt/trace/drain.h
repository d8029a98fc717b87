/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: how a stream's chunks get to its file or
 * pipe, in pieces of whole records, while threads write to them. Not for direct use.
 *
 * A piece is of one chunk. It is in the journal before it is written; afterwards, the
 * chunk's first record grows over it, and the journal is cleared. So whenever the process
 * is killed, the file and its rings have each record once, if the piece that the journal
 * has is cut off the file where its chunk has it still (see fxttrace --recover).
 */
#ifndef FXT_TRACE_DRAIN_H
#define FXT_TRACE_DRAIN_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <fxt/trace/environment.h>
#include <fxt/trace/save.h>

FXT_BEGIN_DECLS

/* How long a reader may take nothing from a pipe when the session ends. */
#define FXT_TRACE_PATIENCE_MS_ 5000

struct fxt_trace_stream_ {
    struct fxt_trace_file_ *file;
    struct fxt_trace_descriptor_ descriptor;
    /* It can be cut, and its rings are in a file. */
    bool is_file;
    /* A named pipe that no process has opened for reading; fd is of no use yet. */
    bool waits;
    /* That it takes nothing for now has been reported; it takes nothing any more. */
    bool is_reported;
    bool is_broken;
    /* The session ends. */
    uint32_t is_ending;
    /* How much is in it. */
    uint64_t n_bytes;
    pthread_t thread;
    /* Room for a chunk, and for a list of all. */
    uint64_t *room;
    struct fxt_trace_saved_ *list;
    char path[4096 + 64];
    char rings[4096 + 64 + sizeof(FXT_TRACE_RINGS_SUFFIX_)];
};

static bool fxt_trace_is_ending_(struct fxt_trace_stream_ *stream)
{
    return __atomic_load_n(&stream->is_ending, __ATOMIC_ACQUIRE) != 0 ||
           __atomic_load_n(&fxt_trace_session_, __ATOMIC_ACQUIRE) == 0;
}

/* ---- Writing ----------------------------------------------------------------------- */

/* Waits for the pipe's reader; returns false, with errno set, if it has stopped reading.
 */
static bool fxt_trace_await_reader_(struct fxt_trace_stream_ *stream)
{
    struct pollfd pipe = {stream->descriptor.fd, POLLOUT, 0};

    for (int ms = 0; ms < FXT_TRACE_PATIENCE_MS_;) {
        if (poll(&pipe, 1, 100) > 0)
            return true;
        ms = fxt_trace_is_ending_(stream) ? ms + 100 : 0;
    }
    errno = ETIMEDOUT;
    return false;
}

static bool fxt_trace_write_bytes_(struct fxt_trace_stream_ *stream, const char *bytes,
                                   size_t size)
{
    int fd = stream->descriptor.fd;
    uint64_t at = stream->n_bytes;

    if (!fxt_trace_is_open_(&stream->descriptor)) {
        errno = EBADF;
        return false;
    }
    while (size > 0) {
        ssize_t n =
            stream->is_file ? pwrite(fd, bytes, size, (off_t)at) : write(fd, bytes, size);

        if (n < 0 &&
            (errno == EINTR || (errno == EAGAIN && fxt_trace_await_reader_(stream))))
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* A disk may have room again; a pipe's reader does not come back, nor a descriptor that
 * the program has closed. */
static void fxt_trace_report_full_(struct fxt_trace_stream_ *stream)
{
    char what[256 + sizeof(stream->rings)];

    if (stream->is_file && errno != EBADF) {
        snprintf(what, sizeof(what), "%s: until there is room, events stay in %s",
                 strerror(errno), stream->rings);
        if (!stream->is_reported)
            fxt_trace_complain_(stream->path, what);
    } else {
        snprintf(what, sizeof(what), "%s: the rest of the trace is lost",
                 errno == ETIMEDOUT ? "its reader has stopped reading"
                 : errno == EBADF   ? "the program has closed it"
                                    : strerror(errno));
        fxt_trace_complain_(stream->path, what);
        stream->is_broken = true;
    }
    stream->is_reported = true;
}

/* Writes whole records, all or none: `source` is the chunk's number and 1, or
 * FXT_TRACE_NO_CHUNK_. The caller ends the piece once its source knows of it. */
static bool fxt_trace_write_piece_(struct fxt_trace_stream_ *stream,
                                   const uint64_t *words, uint64_t n_words,
                                   uint32_t source, uint64_t from)
{
    uint64_t *journal = fxt_trace_journal_(stream->file);

    fxt_store_release_(&journal[1], stream->n_bytes);
    fxt_store_release_(&journal[2], from << 32 | source);
    if (fxt_trace_write_bytes_(stream, (const char *)words, n_words * FXT_WORD_BYTES)) {
        stream->n_bytes += n_words * FXT_WORD_BYTES;
        return true;
    }
    fxt_trace_report_full_(stream);
    if (stream->is_file && !stream->is_broken &&
        ftruncate(stream->descriptor.fd, (off_t)stream->n_bytes) == 0)
        fxt_store_release_(&journal[2], 0);
    return false;
}

static void fxt_trace_end_piece_(struct fxt_trace_stream_ *stream)
{
    fxt_store_release_(&fxt_trace_journal_(stream->file)[2], 0);
}

/* ---- Chunks ------------------------------------------------------------------------ */

/* Lists the chunks that may have records, in the order in which they were begun. One that
 * is begun while the list is made is not in it: its thread's chunk before that may not be
 * either. */
static uint32_t fxt_trace_list_chunks_(struct fxt_trace_stream_ *stream)
{
    struct fxt_trace_file_ *file = stream->file;
    uint32_t limit = __atomic_load_n(&file->n_begun, __ATOMIC_SEQ_CST);
    uint32_t n = 0;

    for (uint32_t i = 0; i < file->n_chunks; i++) {
        uint64_t first[2];

        if (__atomic_load_n(&file->chunks[i].n_begun, __ATOMIC_ACQUIRE) == 0 ||
            __atomic_load_n(&file->chunks[i].owner, __ATOMIC_ACQUIRE) ==
                FXT_TRACE_CHUNK_FREE_)
            continue;
        fxt_trace_copy_words_(&first[0], fxt_trace_chunk_words_(file, i), 1);
        fxt_trace_copy_words_(&first[1], fxt_trace_chunk_words_(file, i) + 1, 1);
        if (first[0] == 0 || first[0] == fxt_trace_rest_(FXT_TRACE_CHUNK_WORDS_) ||
            first[1] >= limit)
            continue;
        stream->list[n].begun = first[1];
        stream->list[n++].chunk = i;
    }
    qsort(stream->list, n, sizeof(*stream->list), fxt_trace_compare_);
    return n;
}

/* Nothing is left in the chunk. */
static void fxt_trace_free_drained_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    fxt_store_release_(fxt_trace_chunk_words_(file, chunk),
                       fxt_trace_rest_(FXT_TRACE_CHUNK_WORDS_));
    __atomic_store_n(&file->chunks[chunk].owner, FXT_TRACE_CHUNK_FREE_, __ATOMIC_RELEASE);
    __atomic_fetch_add(&file->n_free, 1, __ATOMIC_RELAXED);
}

/* Writes what is new in a chunk. */
static bool fxt_trace_drain_chunk_(struct fxt_trace_stream_ *stream, uint32_t chunk)
{
    struct fxt_trace_file_ *file = stream->file;
    uint64_t *words = fxt_trace_chunk_words_(file, chunk);
    bool is_left = __atomic_load_n(&file->chunks[chunk].owner, __ATOMIC_ACQUIRE) ==
                   FXT_TRACE_CHUNK_LEFT_;
    uint64_t header;
    uint64_t from;
    uint64_t to;

    fxt_trace_copy_words_(&header, words, 1);
    from = FXT_GET(header, RECORD_WORDS);
    to = fxt_trace_copy_chunk_(stream->room, words, from);
    if (to > from) {
        if (!fxt_trace_write_piece_(stream, stream->room + from, to - from, chunk + 1,
                                    from))
            return false;
        fxt_store_release_(words, fxt_trace_rest_(to));
        fxt_trace_end_piece_(stream);
    }
    if (is_left)
        fxt_trace_free_drained_(file, chunk);
    return true;
}

/* ---- The rest ---------------------------------------------------------------------- */

/* The header of the rings, without what is of the rings only. */
static bool fxt_trace_drain_header_(struct fxt_trace_stream_ *stream)
{
    struct fxt_trace_file_ *file = stream->file;
    uint64_t *journal = fxt_trace_journal_(file);

    fxt_trace_copy_words_(stream->room, file->words, FXT_TRACE_HEADER_WORDS_);
    stream->room[journal - file->words] =
        fxt_trace_rest_(FXT_TRACE_JOURNAL_WORDS_ + FXT_TRACE_DROPS_WORDS_);
    /* In a pipe it cannot be taken back when the program ends. */
    if (!stream->is_file)
        stream->room[fxt_trace_mark_(file) + 1 - file->words] = 0;
    if (!fxt_trace_write_piece_(stream, stream->room, FXT_TRACE_HEADER_WORDS_,
                                FXT_TRACE_NO_CHUNK_, 0))
        return false;
    fxt_trace_end_piece_(stream);
    return true;
}

/* Moves what was counted in the header of the rings to an event in the stream. */
static bool fxt_trace_drain_drops_(struct fxt_trace_stream_ *stream)
{
    uint64_t *counts = fxt_trace_drops_(stream->file);
    uint64_t words[FXT_TRACE_DROPS_WORDS_];
    uint64_t n;
    uint64_t n_bytes;

    if (__atomic_load_n(&stream->file->has_drops, __ATOMIC_ACQUIRE) == 0)
        return true;
    n = __atomic_load_n(&counts[FXT_TRACE_DROPS_RECORDS_], __ATOMIC_RELAXED);
    n_bytes = __atomic_load_n(&counts[FXT_TRACE_DROPS_BYTES_], __ATOMIC_RELAXED);
    if (n == 0)
        return true;
    fxt_trace_write_drops_(words, fxt_trace_now());
    words[FXT_TRACE_DROPS_RECORDS_] = n;
    words[FXT_TRACE_DROPS_BYTES_] = n_bytes;
    if (!fxt_trace_write_piece_(stream, words, FXT_TRACE_DROPS_WORDS_,
                                FXT_TRACE_NO_CHUNK_, 0))
        return false;
    __atomic_fetch_sub(&counts[FXT_TRACE_DROPS_RECORDS_], n, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&counts[FXT_TRACE_DROPS_BYTES_], n_bytes, __ATOMIC_RELAXED);
    fxt_trace_end_piece_(stream);
    return true;
}

/* Writes all that there is; returns false if not all could be written. */
static bool fxt_trace_drain_(struct fxt_trace_stream_ *stream)
{
    uint32_t n;

    if (stream->n_bytes == 0 && !fxt_trace_drain_header_(stream))
        return false;
    n = fxt_trace_list_chunks_(stream);
    for (uint32_t i = 0; i < n; i++) {
        if (!fxt_trace_drain_chunk_(stream, stream->list[i].chunk))
            return false;
    }
    return fxt_trace_drain_drops_(stream);
}

FXT_END_DECLS

#endif
