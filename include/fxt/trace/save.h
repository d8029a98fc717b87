/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: the copy of a session's chunks in the order
 * of time, while they are written. Not for direct use.
 */
#ifndef FXT_TRACE_SAVE_H
#define FXT_TRACE_SAVE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fxt/trace/file.h>

FXT_BEGIN_DECLS

struct fxt_trace_saved_ {
    uint64_t begun;
    uint32_t chunk;
};

static int fxt_trace_compare_(const void *a, const void *b)
{
    const struct fxt_trace_saved_ *x = (const struct fxt_trace_saved_ *)a;
    const struct fxt_trace_saved_ *y = (const struct fxt_trace_saved_ *)b;

    return (x->begun > y->begun) - (x->begun < y->begun);
}

static bool fxt_trace_write_all_(int fd, const void *data, size_t size)
{
    const char *bytes = (const char *)data;

    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

/* Copies words that a thread may be writing: a sanitizer would find a race. */
FXT_NO_SANITIZE static void fxt_trace_copy_words_(uint64_t *to, const uint64_t *from,
                                                  uint64_t n_words)
{
    const volatile uint64_t *words = from;

    for (uint64_t i = 0; i < n_words; i++)
        to[i] = words[i];
        /* Later loads stay later; GCC has no fences with its thread sanitizer. */
#ifndef __SANITIZE_THREAD__
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/* Copies the records of a chunk from a word on, which a thread may be writing; returns
 * where they end. */
static uint64_t fxt_trace_copy_chunk_(uint64_t *to, const uint64_t *from, uint64_t at)
{
    while (at < FXT_TRACE_CHUNK_WORDS_) {
        uint64_t header;
        uint64_t n_words;

        fxt_trace_copy_words_(&header, &from[at], 1);
        n_words = FXT_GET(header, RECORD_WORDS);
        if (n_words == 0 || n_words > FXT_TRACE_CHUNK_WORDS_ - at ||
            header == fxt_trace_rest_(FXT_TRACE_CHUNK_WORDS_ - at))
            break;
        to[at] = header;
        fxt_trace_copy_words_(to + at + 1, from + at + 1, n_words - 1);
        at += n_words;
    }
    return at;
}

static bool fxt_trace_save_chunk_(struct fxt_trace_file_ *file, uint32_t chunk,
                                  uint64_t *room, int fd)
{
    uint32_t *n_begun = &file->chunks[chunk].n_begun;
    uint32_t before = __atomic_load_n(n_begun, __ATOMIC_ACQUIRE);
    uint64_t n_words =
        fxt_trace_copy_chunk_(room, fxt_trace_chunk_words_(file, chunk), 0);

    /* It has been begun again: its events are newer than all others. The addition keeps
     * the loads above it. */
    if (__atomic_fetch_add(n_begun, 0, __ATOMIC_ACQ_REL) != before)
        return true;
    return fxt_trace_write_all_(fd, room, n_words * FXT_WORD_BYTES);
}

/* Room for a chunk, and then for a list of all chunks. */
static bool fxt_trace_save_chunks_(struct fxt_trace_file_ *file, int fd)
{
    uint32_t n = FXT_LOAD_RELAXED(&file->n_chunks);
    uint64_t size = FXT_TRACE_CHUNK_BYTES + (n + 1) * sizeof(struct fxt_trace_saved_);
    uint64_t *room = (uint64_t *)fxt_trace_map_(size, -1);
    struct fxt_trace_saved_ *saved =
        (struct fxt_trace_saved_ *)(void *)(room + FXT_TRACE_CHUNK_WORDS_);
    uint32_t n_saved = 0;
    bool ok = true;

    if (!room)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (__atomic_load_n(&file->chunks[i].n_begun, __ATOMIC_ACQUIRE) == 0)
            continue;
        saved[n_saved].begun = __atomic_load_n(&file->chunks[i].begun, __ATOMIC_RELAXED);
        saved[n_saved++].chunk = i;
    }
    qsort(saved, n_saved, sizeof(*saved), fxt_trace_compare_);
    for (uint32_t i = 0; ok && i < n_saved; i++)
        ok = fxt_trace_save_chunk_(file, saved[i].chunk, room, fd);
    munmap(room, (size_t)size);
    return ok;
}

/* The file appears under its name once it is whole. */
static int fxt_trace_save_file_(struct fxt_trace_file_ *file, const char *path)
{
    uint64_t header[FXT_TRACE_HEADER_WORDS_];
    char other[4096];
    int n = snprintf(other, sizeof(other), "%s.%ld.tmp", path, (long)getpid());
    int fd = -1;
    int error;

    if (n < 0 || (size_t)n >= sizeof(other)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    fxt_trace_measure_rate_(file);
    fxt_trace_copy_words_(header, file->words, FXT_TRACE_HEADER_WORDS_);
    if (fxt_trace_write_all_(fd, header, sizeof(header)) &&
        fxt_trace_save_chunks_(file, fd) && rename(other, path) == 0)
        return close(fd);
    error = errno;
    close(fd);
    unlink(other);
    errno = error;
    return -1;
}

FXT_END_DECLS

#endif
