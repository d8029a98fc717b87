/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: the mapped file of a session, and its
 * chunks. Not for direct use.
 */
#ifndef FXT_TRACE_FILE_H
#define FXT_TRACE_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/trace/environment.h>
#include <fxt/trace/header.h>

FXT_BEGIN_DECLS

static struct fxt_trace_state_ *fxt_trace_state_;

/* ---- Descriptors ------------------------------------------------------------------- */

static struct fxt_trace_descriptor_ fxt_trace_descriptor_(int fd)
{
    struct fxt_trace_descriptor_ descriptor = {fd, 0, 0};
    struct stat info;

    memset(&info, 0, sizeof(info));
    if (fd >= 0 && fstat(fd, &info) == 0) {
        descriptor.device = (uint64_t)info.st_dev;
        descriptor.inode = (uint64_t)info.st_ino;
    }
    return descriptor;
}

/* Whether it is still of its file. */
static bool fxt_trace_is_open_(const struct fxt_trace_descriptor_ *descriptor)
{
    struct fxt_trace_descriptor_ now = fxt_trace_descriptor_(descriptor->fd);

    return now.inode != 0 && now.inode == descriptor->inode &&
           now.device == descriptor->device;
}

static void fxt_trace_close_(struct fxt_trace_descriptor_ *descriptor)
{
    if (fxt_trace_is_open_(descriptor))
        close(descriptor->fd);
    descriptor->fd = -1;
}

/* ---- Chunks ------------------------------------------------------------------------ */

static uint64_t *fxt_trace_chunk_words_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    return file->words + FXT_TRACE_HEADER_WORDS_ +
           (uint64_t)chunk * FXT_TRACE_CHUNK_WORDS_;
}

/* A process may write files of this size; beyond, a signal would end it. */
static uint64_t fxt_trace_limit_size_(uint64_t size)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        size > limit.rlim_cur)
        size = limit.rlim_cur;
    if (size > SIZE_MAX / 4)
        size = SIZE_MAX / 4;
    return size;
}

/* Returns 0 or an errno, which is reported once; a stream reports that itself. */
static int fxt_trace_grow_(struct fxt_trace_file_ *file, uint64_t at)
{
    uint64_t end = at + FXT_TRACE_CHUNK_BYTES;
    char what[128];
    int error = EFBIG;

    if (!fxt_trace_is_open_(&file->descriptor))
        error = EBADF;
    else if (fxt_trace_limit_size_(end) == end)
        error = posix_fallocate(file->descriptor.fd, (off_t)at, FXT_TRACE_CHUNK_BYTES);
    if (error != 0 && !file->streams &&
        __atomic_exchange_n(&file->is_reported, 1, __ATOMIC_RELAXED) == 0) {
        snprintf(what, sizeof(what), "%s: events are dropped from now on",
                 error == EBADF ? "the program has closed it" : strerror(error));
        fxt_trace_complain_(fxt_trace_state_->path, what);
    }
    return error;
}

/* Makes sure that the file has the chunk's bytes, so that storing them cannot fail. */
static bool fxt_trace_extend_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    uint64_t at = FXT_TRACE_HEADER_BYTES_ + (uint64_t)chunk * FXT_TRACE_CHUNK_BYTES;
    uint64_t page = at & ~(uint64_t)4095;

    if (file->descriptor.fd >= 0 && fxt_trace_grow_(file, at) != 0)
        return false;
#ifdef MADV_POPULATE_WRITE
    /* One call for all page faults; without it each is one. */
    madvise((char *)file->words + page, at + FXT_TRACE_CHUNK_BYTES - page,
            MADV_POPULATE_WRITE);
#endif
    (void)page;
    return true;
}

/* Each chunk is begun once, until there are no more. */
static uint32_t fxt_trace_next_chunk_(struct fxt_trace_file_ *file)
{
    uint32_t chunk = FXT_LOAD_RELAXED(&file->n_begun);

    do {
        if (chunk >= FXT_LOAD_RELAXED(&file->n_chunks))
            return FXT_TRACE_NO_CHUNK_;
    } while (!__atomic_compare_exchange_n(&file->n_begun, &chunk, chunk + 1, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return chunk;
}

/* The chunk that was begun the longest ago, of those that no ring has. */
static uint32_t fxt_trace_oldest_chunk_(struct fxt_trace_file_ *file)
{
    uint32_t n = FXT_LOAD_RELAXED(&file->n_chunks);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t chunk = __atomic_fetch_add(&file->n_begun, 1, __ATOMIC_RELAXED) % n;

        if (__atomic_exchange_n(&file->chunks[chunk].owner, FXT_TRACE_CHUNK_TAKEN_,
                                __ATOMIC_ACQUIRE) == FXT_TRACE_CHUNK_FREE_)
            return chunk;
    }
    return FXT_TRACE_NO_CHUNK_;
}

/* The first chunk that a stream has written: it was used the latest of all, and is in the
 * cache. */
static uint32_t fxt_trace_free_chunk_(struct fxt_trace_file_ *file)
{
    for (uint32_t i = 0; FXT_LOAD_RELAXED(&file->n_free) > 0 && i < file->n_chunks; i++) {
        uint32_t owner = FXT_TRACE_CHUNK_FREE_;

        if (FXT_LOAD_RELAXED(&file->chunks[i].owner) != owner ||
            !__atomic_compare_exchange_n(&file->chunks[i].owner, &owner,
                                         FXT_TRACE_CHUNK_TAKEN_, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        __atomic_fetch_sub(&file->n_free, 1, __ATOMIC_RELAXED);
        return i;
    }
    return FXT_TRACE_NO_CHUNK_;
}

static uint32_t fxt_trace_take_chunk_(struct fxt_trace_file_ *file)
{
    if (file->streams)
        return fxt_trace_free_chunk_(file);
    return file->keeps_last ? fxt_trace_oldest_chunk_(file) : fxt_trace_next_chunk_(file);
}

/* Makes a chunk one record without a meaning; a stream's, two. */
static void fxt_trace_clear_chunk_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    uint64_t *words = fxt_trace_chunk_words_(file, chunk);
    uint64_t n_words = FXT_TRACE_CHUNK_WORDS_;

    if (file->streams) {
        n_words = FXT_TRACE_ORDER_WORDS_;
        words[n_words] = fxt_trace_rest_(FXT_TRACE_CHUNK_WORDS_ - n_words);
        words[1] = __atomic_fetch_add(&file->n_begun, 1, __ATOMIC_SEQ_CST);
    }
    fxt_store_release_(words, fxt_trace_rest_(n_words));
}

/* Begins a chunk without records; returns FXT_TRACE_NO_CHUNK_ if there is none. */
static uint32_t fxt_trace_begin_chunk_(struct fxt_trace_file_ *file)
{
    uint32_t chunk = fxt_trace_take_chunk_(file);
    struct fxt_trace_chunk_ *begun;

    if (chunk == FXT_TRACE_NO_CHUNK_)
        return chunk;
    begun = &file->chunks[chunk];
    if (FXT_LOAD_RELAXED(&begun->n_begun) == 0 && !fxt_trace_extend_(file, chunk)) {
        /* What other threads extended before stays. A stream's chunk stays taken. */
        if (!file->streams)
            FXT_STORE_RELAXED(&file->n_chunks, chunk);
        return FXT_TRACE_NO_CHUNK_;
    }
    __atomic_fetch_add(&begun->n_begun, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&begun->begun, fxt_trace_now(), __ATOMIC_RELAXED);
    fxt_trace_clear_chunk_(file, chunk);
    if (!file->streams && (chunk < 32 || chunk % 32 == 0))
        fxt_trace_measure_rate_(file);
    return chunk;
}

/* ---- Opening ----------------------------------------------------------------------- */

/* Whether each process has a separate file. */
static bool fxt_trace_is_pattern_(const char *path)
{
    return strstr(path, "%p") != NULL || strstr(path, "%n") != NULL;
}

/* Writes the path with the process's id for each "%p", and the number for each "%n". */
static bool fxt_trace_expand_path_(char *to, size_t size, const char *path,
                                   uint32_t number)
{
    size_t n = 0;

    for (; *path && n < size; path++) {
        if (path[0] == '%' && (path[1] == 'p' || path[1] == 'n')) {
            n += (size_t)snprintf(to + n, size - n, "%ld",
                                  path[1] == 'p' ? (long)getpid() : (long)number);
            path++;
        } else {
            to[n++] = *path;
        }
    }
    if (n >= size)
        return false;
    to[n] = 0;
    return true;
}

static int fxt_trace_open_path_(const char *path, int flags)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666);
    int error = 0;

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    else if (ftruncate(fd, 0) != 0)
        error = errno;
    else if (fxt_trace_limit_size_(FXT_TRACE_HEADER_BYTES_) < FXT_TRACE_HEADER_BYTES_)
        error = EFBIG;
    else
        error = posix_fallocate(fd, 0, FXT_TRACE_HEADER_BYTES_);
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

/* "%n" is the first number that makes a new file. Writes the name of the file to `path`.
 */
static int fxt_trace_open_(const char *pattern, char *path, size_t size,
                           int (*open_path)(const char *path, int flags))
{
    bool is_new = strstr(pattern, "%n") != NULL;
    int fd = -1;

    for (uint32_t number = 1; fd < 0; number++) {
        if (!fxt_trace_expand_path_(path, size, pattern, number)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open_path(path, is_new ? O_EXCL : 0);
        if (fd < 0 && (!is_new || errno != EEXIST))
            return -1;
    }
    return fd;
}

static void *fxt_trace_map_(uint64_t size, int fd)
{
    int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(0, (size_t)size, PROT_READ | PROT_WRITE, flags, fd, 0);

    return memory == MAP_FAILED ? 0 : memory;
}

static uint64_t fxt_trace_max_bytes_(const struct fxt_trace_options *options)
{
    if (options->max_bytes > 0)
        return options->max_bytes;
    return options->mode == FXT_TRACE_STREAM ? (uint64_t)64 << 20 : (uint64_t)1 << 30;
}

/* Returns NULL with errno set. */
static struct fxt_trace_file_ *fxt_trace_make_file_(
    const struct fxt_trace_options *options, int fd)
{
    uint64_t max = fxt_trace_max_bytes_(options);
    uint64_t size = fd >= 0 ? fxt_trace_limit_size_(max) : max;
    uint64_t n_chunks;
    struct fxt_trace_file_ *file;

    if (size < FXT_TRACE_HEADER_BYTES_ + FXT_TRACE_CHUNK_BYTES) {
        errno = EFBIG;
        return 0;
    }
    n_chunks = (size - FXT_TRACE_HEADER_BYTES_) / FXT_TRACE_CHUNK_BYTES;
    n_chunks = n_chunks < 0x7fffffff ? n_chunks : 0x7fffffff;
    file = (struct fxt_trace_file_ *)fxt_trace_map_(
        sizeof(*file) + n_chunks * sizeof(file->chunks[0]), -1);
    if (!file)
        return 0;
    file->chunks = (struct fxt_trace_chunk_ *)(file + 1);
    file->descriptor = fxt_trace_descriptor_(fd);
    file->size = FXT_TRACE_HEADER_BYTES_ + n_chunks * FXT_TRACE_CHUNK_BYTES;
    file->n_chunks = (uint32_t)n_chunks;
    file->n_free = file->n_chunks;
    file->keeps_last = options->mode == FXT_TRACE_KEEP_LAST;
    file->streams = options->mode == FXT_TRACE_STREAM;
    file->words = (uint64_t *)fxt_trace_map_(file->size, fd);
    if (file->words)
        return file;
    munmap(file, sizeof(*file) + n_chunks * sizeof(file->chunks[0]));
    return 0;
}

/* Threads that still write to the file's memory write to no file. */
static void fxt_trace_close_file_(struct fxt_trace_file_ *file)
{
    mmap(file->words, (size_t)file->size, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    fxt_trace_close_(&file->descriptor);
    file->is_open = false;
}

FXT_END_DECLS

#endif
