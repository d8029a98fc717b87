/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Part of the implementation of fxt/trace.h: what a file begins with: its clock, what
 * program it is of, and how much was dropped. Not for direct use.
 */
#ifndef FXT_TRACE_HEADER_H
#define FXT_TRACE_HEADER_H

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fxt/arg.h>
#include <fxt/emit.h>
#include <fxt/emit_records.h>
#include <fxt/trace/clock.h>
#include <fxt/trace/layout.h>

FXT_BEGIN_DECLS

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

static uint64_t *fxt_trace_journal_(struct fxt_trace_file_ *file)
{
    return fxt_trace_drops_(file) - FXT_TRACE_JOURNAL_WORDS_;
}

static uint64_t *fxt_trace_mark_(struct fxt_trace_file_ *file)
{
    return fxt_trace_journal_(file) - FXT_TRACE_MARK_WORDS_;
}

/* The program ends: what has not ended in its trace never does. */
static void fxt_trace_end_mark_(struct fxt_trace_file_ *file)
{
    bool is_overwritten = file->keeps_last && FXT_LOAD_RELAXED(&file->n_begun) >
                                                  FXT_LOAD_RELAXED(&file->n_chunks);

    if (!is_overwritten)
        fxt_store_release_(&fxt_trace_mark_(file)[1], 0);
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
    n_words = (uint64_t)(fxt_trace_mark_(file) - after);
    fxt_emit_init(&emit, after, n_words * FXT_WORD_BYTES);
    fxt_emit_kernel_object(&emit, FXT_OBJECT_PROCESS, (uint64_t)getpid(),
                           fxt_trace_text_(name), 0, 0);
    fxt_trace_emit_start_(&emit, file);
    after[emit.pos] = fxt_trace_rest_(n_words - emit.pos);
    fxt_trace_mark_(file)[0] = fxt_trace_rest_(FXT_TRACE_MARK_WORDS_);
    fxt_trace_mark_(file)[1] = FXT_EMIT_TEXT_('f', 'x', 't', '-', 'p', 'a', 'r', 't');
    *fxt_trace_journal_(file) = fxt_trace_rest_(FXT_TRACE_JOURNAL_WORDS_);
    *fxt_trace_drops_(file) = fxt_trace_rest_(FXT_TRACE_DROPS_WORDS_);
    fxt_store_release_(file->words, FXT_MAGIC_RECORD);
}

/* ---- Drops ------------------------------------------------------------------------- */

/* Fills in the event of FXT_SAMPLE_DROPS, with numbers of 64 bits, but for what is
 * counted: another thread may be adding to that. */
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
    for (uint32_t i = 1; i < FXT_TRACE_DROPS_WORDS_; i++) {
        if (i != FXT_TRACE_DROPS_RECORDS_ && i != FXT_TRACE_DROPS_BYTES_)
            __atomic_store_n(&record[i], words[i], __ATOMIC_RELAXED);
    }
    fxt_store_release_(record, words[0]);
}

/* Counts events that are not written. */
static void fxt_trace_drop_(struct fxt_trace_file_ *file, uint64_t n_events,
                            uint64_t n_words)
{
    uint64_t *record = fxt_trace_drops_(file);
    uint64_t now = fxt_trace_now();

    if (__atomic_exchange_n(&file->has_drops, 1, __ATOMIC_ACQUIRE) == 0)
        fxt_trace_write_drops_(record, now);
    __atomic_fetch_add(&record[FXT_TRACE_DROPS_RECORDS_], n_events, __ATOMIC_RELAXED);
    __atomic_fetch_add(&record[FXT_TRACE_DROPS_BYTES_], n_words * FXT_WORD_BYTES,
                       __ATOMIC_RELAXED);
    __atomic_store_n(&record[FXT_TRACE_DROPS_WORDS_ - 1], now, __ATOMIC_RELAXED);
}

FXT_END_DECLS

#endif
