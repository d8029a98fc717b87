/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: the mapped file of a session, its chunks,
 * its clock, and its copy in the order of time. Not for direct use.
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
#include <time.h>
#include <unistd.h>

#include <fxt/arg.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/trace/clock.h>

FXT_BEGIN_DECLS

#define FXT_TRACE_HEADER_BYTES_ 4096
#define FXT_TRACE_CHUNK_WORDS_ (FXT_TRACE_CHUNK_BYTES / FXT_WORD_BYTES)
/* The event that reports drops is the last of the header. */
#define FXT_TRACE_DROPS_WORDS_ 17
#define FXT_TRACE_HEADER_WORDS_ (FXT_TRACE_HEADER_BYTES_ / FXT_WORD_BYTES)
#define FXT_TRACE_NO_CHUNK_ 0xffffffffu

/* Of a chunk in a file that keeps the last events. */
struct fxt_trace_chunk_ {
    /* When it was begun, in ticks; changes when it is begun again. */
    uint64_t begun;
    /* A ring has it. */
    uint32_t is_taken;
    uint32_t n_begun;
};

/* Stays until the process ends, as threads may still be writing when a session does. */
struct fxt_trace_file_ {
    uint64_t *words;
    uint64_t size;
    int fd;
    bool keeps_last;
    uint32_t session;
    uint32_t n_chunks;
    /* How often a chunk was asked for. */
    uint32_t n_begun;
    uint32_t n_threads;
    /* The word that has the clock's rate. */
    uint64_t *rate;
    uint64_t start_ticks;
    uint64_t start_monotonic;
    uint64_t start_real;
    uint32_t has_drops;
    struct fxt_trace_chunk_ *chunks;
};

static void fxt_trace_complain_(const char *path, const char *what)
{
    static const char prefix[] = "fxt/trace.h: ";
    ssize_t unused = write(STDERR_FILENO, prefix, sizeof(prefix) - 1);

    unused += write(STDERR_FILENO, path, strlen(path));
    unused += write(STDERR_FILENO, ": ", 2);
    unused += write(STDERR_FILENO, what, strlen(what));
    unused += write(STDERR_FILENO, "\n", 1);
    (void)unused;
}

/* ---- Clock ------------------------------------------------------------------------- */

/* Stores the clock's rate, which is known the better the longer the session lasts. */
static void fxt_trace_measure_rate_(struct fxt_trace_file_ *file)
{
    uint64_t ticks = 0;
    uint64_t monotonic = 0;

    if (FXT_LOAD_RELAXED(&fxt_trace_clock_) != 1)
        return;
    fxt_trace_read_clocks_(&ticks, &monotonic);
    if (monotonic > file->start_monotonic && ticks > file->start_ticks)
        fxt_store_release_(file->rate,
                           (uint64_t)((double)(ticks - file->start_ticks) * 1e9 /
                                          (double)(monotonic - file->start_monotonic) +
                                      0.5));
}

/* A millisecond, for a rate that is right to 0.01 %. */
static void fxt_trace_start_clock_(struct fxt_trace_file_ *file)
{
    struct timespec now;

    fxt_trace_read_clocks_(&file->start_ticks, &file->start_monotonic);
    clock_gettime(CLOCK_REALTIME, &now);
    file->start_real = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec -
                       (fxt_trace_monotonic_() - file->start_monotonic);
    if (FXT_LOAD_RELAXED(&fxt_trace_clock_) != 1) {
        file->start_ticks = file->start_monotonic;
        return;
    }
    while (fxt_trace_monotonic_() - file->start_monotonic < 1000000)
        continue;
    fxt_trace_measure_rate_(file);
}

/* ---- The header -------------------------------------------------------------------- */

static struct fxt_string fxt_trace_text_(const char *text)
{
    return fxt_string_at(text, (uint32_t)strlen(text));
}

/* The first line of a file of /proc, or "". */
static void fxt_trace_read_line_(const char *path, char *line, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, size - 1) : 0;

    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = 0;
    line[strcspn(line, "\n")] = 0;
}

/* The clock's rate, and at which tick it was what time: from both, readers align the
 * times of several files. */
static uint64_t *fxt_trace_put_clock_(struct fxt_trace_file_ *file, uint64_t *at)
{
    at[0] = FXT_PUT(RECORD_TYPE, FXT_RECORD_INITIALIZATION) | FXT_PUT(RECORD_WORDS, 4);
    at[1] = FXT_DEFAULT_TICKS_PER_SECOND;
    file->rate = at + 1;
    fxt_trace_start_clock_(file);
    at[2] = file->start_ticks;
    at[3] = file->start_real;
    return at + 4;
}

/* What fxtrecord states of a recording, so that its readers know the time, and which boot
 * of which machine that was. */
static void fxt_trace_emit_start_(struct fxt_emit *emit,
                                  const struct fxt_trace_file_ *file)
{
    struct fxt_arg args[4];
    char boot[64];
    struct fxt_event event = {file->start_ticks,
                              fxt_thread_from((uint64_t)getpid(), 0),
                              FXT_TEXT("fxtrecord"),
                              FXT_TEXT("recording"),
                              0,
                              0,
                              0};

    args[0] = fxt_arg_uint64(FXT_TEXT("start_unix_ns"), file->start_real);
    args[1] = fxt_arg_uint64(FXT_TEXT("start_monotonic_ns"), file->start_monotonic);
    args[2] = fxt_arg_string(FXT_TEXT("method"), FXT_TEXT("trace.h"));
    fxt_trace_read_line_("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    args[3] = fxt_arg_string(FXT_TEXT("boot_id"), fxt_trace_text_(boot));
    fxt_emit_event(emit, FXT_EVENT_INSTANT, &event, args, boot[0] ? 4 : 3);
}

/* Where drops are reported. */
static uint64_t *fxt_trace_drops_(struct fxt_trace_file_ *file)
{
    return file->words + FXT_TRACE_HEADER_WORDS_ - FXT_TRACE_DROPS_WORDS_;
}

/* The magic number comes last: a file that begins with it has a whole header. */
static void fxt_trace_write_header_(struct fxt_trace_file_ *file)
{
    struct fxt_emit emit;
    char name[32];
    uint64_t n_name;
    uint64_t n_words;
    uint64_t *after;

    /* The program's name, as the kernel has it for its first thread. */
    fxt_trace_read_line_("/proc/self/comm", name, sizeof(name));
    n_name = strlen(name);
    file->words[1] = FXT_PUT(RECORD_TYPE, FXT_RECORD_METADATA) |
                     FXT_PUT(RECORD_WORDS, 1 + (n_name + 7) / 8) |
                     FXT_PUT(METADATA_TYPE, FXT_METADATA_PROVIDER_INFO) |
                     FXT_PUT(PROVIDER_ID, 1) | FXT_PUT(PROVIDER_NAME_SIZE, n_name);
    after = fxt_pack_bytes_(file->words + 2, name, n_name);
    after = fxt_trace_put_clock_(file, after);
    n_words = (uint64_t)(fxt_trace_drops_(file) - after);
    fxt_emit_init(&emit, after, n_words * FXT_WORD_BYTES);
    fxt_emit_kernel_object(&emit, FXT_OBJECT_PROCESS, (uint64_t)getpid(),
                           fxt_trace_text_(name), 0, 0);
    fxt_trace_emit_start_(&emit, file);
    after[emit.pos] = fxt_trace_rest_(n_words - emit.pos);
    *fxt_trace_drops_(file) = fxt_trace_rest_(FXT_TRACE_DROPS_WORDS_);
    fxt_store_release_(file->words, FXT_MAGIC_RECORD);
}

/* ---- Drops ------------------------------------------------------------------------- */

/* Where the event has the numbers of records and of bytes. */
#define FXT_TRACE_DROPS_RECORDS_ 11
#define FXT_TRACE_DROPS_BYTES_ 15

/* Fills in the event of FXT_SAMPLE_DROPS, with numbers of 64 bits. */
static void fxt_trace_write_drops_(uint64_t *record, uint64_t time)
{
    uint64_t words[FXT_TRACE_DROPS_WORDS_ + 1];
    struct fxt_emit emit;

    fxt_emit_init(&emit, words, sizeof(words));
    emit.unreported_records = UINT64_MAX;
    emit.unreported_bytes = UINT64_MAX;
    emit.unreported_first = time;
    emit.unreported_last = time;
    emit.cpu = 0;
    fxt_emit_put_drops_(&emit);
    for (uint32_t i = 1; i < FXT_TRACE_DROPS_WORDS_; i++)
        record[i] = words[i];
    record[FXT_TRACE_DROPS_RECORDS_] = 0;
    record[FXT_TRACE_DROPS_BYTES_] = 0;
    fxt_store_release_(record, words[0]);
}

/* Counts an event that is not written. */
static void fxt_trace_drop_(struct fxt_trace_file_ *file, uint64_t n_words)
{
    uint64_t *record = fxt_trace_drops_(file);
    uint64_t now = fxt_trace_now();

    if (__atomic_exchange_n(&file->has_drops, 1, __ATOMIC_ACQUIRE) == 0)
        fxt_trace_write_drops_(record, now);
    __atomic_fetch_add(&record[FXT_TRACE_DROPS_RECORDS_], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&record[FXT_TRACE_DROPS_BYTES_], n_words * FXT_WORD_BYTES,
                       __ATOMIC_RELAXED);
    __atomic_store_n(&record[FXT_TRACE_DROPS_WORDS_ - 1], now, __ATOMIC_RELAXED);
}

/* ---- Chunks ------------------------------------------------------------------------ */

static uint64_t *fxt_trace_chunk_words_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    return file->words + FXT_TRACE_HEADER_WORDS_ +
           (uint64_t)chunk * FXT_TRACE_CHUNK_WORDS_;
}

/* Makes sure that the file has the chunk's bytes, so that storing them cannot fail. */
static bool fxt_trace_extend_(struct fxt_trace_file_ *file, uint32_t chunk)
{
    uint64_t at = FXT_TRACE_HEADER_BYTES_ + (uint64_t)chunk * FXT_TRACE_CHUNK_BYTES;
    uint64_t page = at & ~(uint64_t)4095;

    if (file->fd >= 0 && posix_fallocate(file->fd, (off_t)at, FXT_TRACE_CHUNK_BYTES) != 0)
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

        if (__atomic_exchange_n(&file->chunks[chunk].is_taken, 1, __ATOMIC_ACQUIRE) == 0)
            return chunk;
    }
    return FXT_TRACE_NO_CHUNK_;
}

/* Begins a chunk that is one record without a meaning; returns FXT_TRACE_NO_CHUNK_ if
 * there is none. */
static uint32_t fxt_trace_begin_chunk_(struct fxt_trace_file_ *file)
{
    uint32_t chunk =
        file->keeps_last ? fxt_trace_oldest_chunk_(file) : fxt_trace_next_chunk_(file);
    struct fxt_trace_chunk_ *begun;

    if (chunk == FXT_TRACE_NO_CHUNK_)
        return chunk;
    begun = &file->chunks[chunk];
    if (FXT_LOAD_RELAXED(&begun->n_begun) == 0 && !fxt_trace_extend_(file, chunk)) {
        /* What other threads extended before stays. */
        FXT_STORE_RELAXED(&file->n_chunks, chunk);
        return FXT_TRACE_NO_CHUNK_;
    }
    __atomic_fetch_add(&begun->n_begun, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&begun->begun, fxt_trace_now(), __ATOMIC_RELAXED);
    fxt_store_release_(fxt_trace_chunk_words_(file, chunk),
                       fxt_trace_rest_(FXT_TRACE_CHUNK_WORDS_));
    if (chunk < 32 || chunk % 32 == 0)
        fxt_trace_measure_rate_(file);
    return chunk;
}

/* ---- Opening ----------------------------------------------------------------------- */

/* Writes the path with the process's id for each "%p". */
static bool fxt_trace_expand_path_(char *to, size_t size, const char *path)
{
    size_t n = 0;

    for (; *path && n < size; path++) {
        if (path[0] == '%' && path[1] == 'p') {
            n += (size_t)snprintf(to + n, size - n, "%ld", (long)getpid());
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

static int fxt_trace_open_(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int error = 0;

    if (fd < 0)
        return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        error = errno == EWOULDBLOCK ? EBUSY : errno;
    else if (ftruncate(fd, 0) != 0)
        error = errno;
    else
        error = posix_fallocate(fd, 0, FXT_TRACE_HEADER_BYTES_);
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
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

static void *fxt_trace_map_(uint64_t size, int fd)
{
    int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(0, (size_t)size, PROT_READ | PROT_WRITE, flags, fd, 0);

    return memory == MAP_FAILED ? 0 : memory;
}

/* Returns NULL with errno set. */
static struct fxt_trace_file_ *fxt_trace_make_file_(
    const struct fxt_trace_options *options, int fd)
{
    uint64_t max = options->max_bytes > 0 ? options->max_bytes : (uint64_t)1 << 30;
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
    file->fd = fd;
    file->size = FXT_TRACE_HEADER_BYTES_ + n_chunks * FXT_TRACE_CHUNK_BYTES;
    file->n_chunks = (uint32_t)n_chunks;
    file->keeps_last = options->mode == FXT_TRACE_KEEP_LAST;
    file->words = (uint64_t *)fxt_trace_map_(file->size, fd);
    if (file->words)
        return file;
    munmap(file, sizeof(*file) + n_chunks * sizeof(file->chunks[0]));
    return 0;
}

/* Whoever still writes to the file's memory writes to no file. */
static void fxt_trace_close_file_(struct fxt_trace_file_ *file)
{
    mmap(file->words, (size_t)file->size, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

FXT_END_DECLS

#endif
