/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces the program that includes it: mark what is to be seen, and run the program with
 * FXT_TRACE_FILE set.
 *
 *     #include <fxt/trace.h>
 *
 *     void receive(int n)
 *     {
 *         FXT_SCOPE("net", "receive", "bytes", n);           until the block's end
 *         ...
 *     }
 *
 *     cc program.c -lfxtrace && FXT_TRACE_FILE=trace.fxt ./a.out && fxtreport trace.fxt
 *
 * Link libfxt (pkg-config --libs libfxt), or define FXT_TRACE_IMPLEMENTATION before the
 * include in one file of the program: then there is nothing to link. A library that may
 * be unloaded should link libfxt, which stays. C11 and C++17, on Linux, with GCC or
 * Clang.
 *
 * What is written. Each macro below has a category, a name, and up to 15 arguments: a
 * name and a value each. Categories and names are string literals. Values are integers,
 * floating point numbers, bools, pointers and strings (const char *; in C++ whatever has
 * data() and size()), of which at most FXT_TRACE_STRING_MAX bytes are kept. Arguments are
 * evaluated only if their category is traced.
 *
 * Switching. Tracing starts with the first macro that runs if the environment has
 * FXT_TRACE_FILE or FXT_TRACE, or by fxt_trace_start.
 *
 *     FXT_TRACE_FILE   the file, "trace.fxt" by default; "%p" in it is the process's id,
 *                      and "%n" the first number of which there is no file yet
 *     FXT_TRACE        patterns of categories, as in "net,db*" or "-alloc": those that no
 *                      pattern without "-" matches are off, if there is such a pattern;
 *                      the last one that matches decides
 *     FXT_TRACE_SIZE   the most bytes of the file, as in "64M"; 1G by default. Of a
 *                      stream, of its rings; 64M by default
 *     FXT_TRACE_MODE   "keep-first", the default: once the file is full, events are
 *                      dropped; "keep-last": the oldest are overwritten; or "stream"
 *     FXT_TRACE_CLOCK  "monotonic": CLOCK_MONOTONIC, and not the CPU's counter
 *     FXT_TRACE_SIGNAL a signal, as "USR2", or its number: nothing is traced before the
 *                      program gets it, and then each calls fxt_trace_toggle
 *
 * A value that is none of these is named on standard error, and the default used. The
 * file is not compressed: a name that ends in ".gz" or ".zst" is reported, too.
 *
 * fxttrace(1) starts, stops and switches a program that runs, also one that was started
 * without any of these, and fetches what is in its memory, or in its core dump.
 *
 * A category that is off costs a load and a branch while nothing is traced, and a load
 * more while something is. With FXT_TRACE_OFF defined, the macros are empty.
 *
 * The file is mapped memory, and an archive from its first event on: each event is in it
 * as soon as its macro has run, whatever then becomes of the program: a crash or a
 * SIGKILL loses at most the events that were just being written. There is no need to
 * stop. It is divided into chunks of FXT_TRACE_CHUNK_BYTES; a thread writes to a chunk of
 * its own, and registers there the strings it uses. What is left of a chunk is a string
 * record of an index that is not used. In the mode "keep-last" chunks are overwritten, so
 * that they are not in the order of time: fxt_trace_save puts them in it, and so does
 * fxtmerge, with a --window several times as large as the file.
 *
 * Streams. In the mode "stream" a thread of the session, "fxt-trace", which gets no
 * signals, writes every 5 ms what has been traced to the file, of any size, or to a pipe;
 * what is traced faster than that is dropped. Of a file, what has not been written yet is
 * in FILE.rings, which is mapped; it is removed once the file is complete: when the
 * program ends by exit or a return from main, by fxt_trace_stop, or where the library
 * that has the implementation is unloaded. After anything else (a crash, SIGKILL, _exit,
 * exec) fxttrace --recover puts the two together. While a disk is full, events stay in
 * the rings. A pipe's rings are memory. A named pipe may get its reader later; one that
 * reads nothing for 5 seconds at the program's end is not waited for. fxt_trace_save
 * fails with ENOTSUP.
 *
 * Threads. Any number may trace at once, without locks; a thread that ends hands its
 * chunk to the next. Signal handlers may trace, also while the thread that they interrupt
 * does. After fork, the child traces to a separate file if FXT_TRACE_FILE has "%p"
 * or "%n", and not at all otherwise. Once a thread has traced, nothing is allocated for
 * it.
 *
 * Losses. What cannot be written is counted, and the file has an event that says how much
 * that was (FXT_SAMPLE_DROPS in fxt/sample.h). If the file cannot be created, the disk is
 * full, or the program has closed the file as one that it does not know, there is a line
 * on standard error, and the program goes on without tracing. Do not truncate the file
 * while the program runs: that raises SIGBUS.
 *
 * Clock. The CPU's counter where it has a constant rate, which is measured for a
 * millisecond when a session starts, and again while it lasts; else CLOCK_MONOTONIC. The
 * first event, "recording" in category "fxtrecord", has what CLOCK_MONOTONIC and
 * CLOCK_REALTIME were at its timestamp, so that fxtmerge aligns the file with others.
 * Under fxtrecord, whose archive has the events of all programs that it runs, the clock
 * is CLOCK_MONOTONIC.
 */
#ifndef FXT_TRACE_H
#define FXT_TRACE_H

/* The implementation needs what -std=c11 leaves out of the headers of libc. */
#if defined(FXT_TRACE_IMPLEMENTATION) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include <stddef.h>

#include <fxt/compiler.h>
#include <fxt/format.h>
#include <fxt/trace/args.h>

FXT_BEGIN_DECLS

#define FXT_TRACE_CHUNK_BYTES 32000

/* ---- Sessions ---------------------------------------------------------------------- */

enum fxt_trace_mode {
    FXT_TRACE_KEEP_FIRST = 0,
    FXT_TRACE_KEEP_LAST = 1,
    FXT_TRACE_STREAM = 2
};

/* Set `size` to sizeof(struct fxt_trace_options), and the rest to zero for defaults. */
struct fxt_trace_options {
    size_t size;
    /* The file, as FXT_TRACE_FILE; NULL for memory, which fxt_trace_save writes to a
     * file, and which cannot be a stream. Strings are copied. */
    const char *path;
    /* Patterns of categories, as FXT_TRACE; NULL for all. */
    const char *categories;
    /* The most bytes; 0 for a gigabyte, and for 64 MB of a stream's rings. */
    uint64_t max_bytes;
    /* Which events are lost once the file is full, or that it is a stream. */
    enum fxt_trace_mode mode;
    /* Take CLOCK_MONOTONIC. */
    bool monotonic_clock;
};

/*
 * Starts tracing. NULL for `options` is what the environment asks for, or the defaults.
 * Returns 0, or -1 with errno set: EBUSY if tracing has started, or if another process
 * traces to the file; EINVAL for a stream without a path; what open, ftruncate, mmap and
 * pthread_create return otherwise. May be called by any thread, but by no signal handler.
 */
FXT_API int fxt_trace_start(const struct fxt_trace_options *options);

/* Stops tracing. The file is complete afterwards, but for events that other threads were
 * just writing. No macro traces until fxt_trace_start. */
FXT_API void fxt_trace_stop(void);

/* Stops tracing; or, if it has not started, starts it with the next event, as
 * fxt_trace_start(NULL) or, if there was a session, with the options of the last one. The
 * file of that is overwritten, unless its name has "%n". May be called at any time, also
 * by signal handlers; what cannot be started is named on standard error. */
FXT_API void fxt_trace_toggle(void);

/* Replaces the patterns of categories; NULL or "" for all. May be called by any thread,
 * and by signal handlers once there has been a session. At most 1023 bytes are copied. */
FXT_API void fxt_trace_set_categories(const char *patterns);

/* Writes what the session has to another file, in the order of time, while it goes on.
 * Returns 0, or -1 with errno set; ENOENT if there is no session. */
FXT_API int fxt_trace_save(const char *path);

/* Names the calling thread, from its next event on; at most 31 bytes are kept. The
 * default is the thread's name in the kernel. */
FXT_API void fxt_trace_name_thread(const char *name);

/* ---- For the macros only ----------------------------------------------------------- */

/* A place in the program that traces. */
struct fxt_trace_site_ {
    /* Whether its category is traced; NULL before the site was first reached. */
    const uint8_t *is_on;
    /* The category, the name and the names of the arguments, and their references. */
    const char *const *texts;
    uint16_t *refs;
    uint32_t n_texts;
    /* Its number, from 1 on. */
    uint32_t number;
};

/* Signal handlers may interrupt each other so often, and still trace. */
#define FXT_TRACE_LEVELS_ 8

/* So many sites, and so many different strings. */
#define FXT_TRACE_SITES_ 32768
#define FXT_TRACE_STRINGS_ 32768

/* Where one thread at a time writes. */
struct fxt_trace_ring_ {
    /* The next record, and the end of the chunk. */
    uint64_t *pos;
    uint64_t *end;
    uint32_t session;
    uint32_t chunk;
    /* Which thread the chunk's records are of. */
    uint64_t thread;
    uint32_t number;
    /* Among the rings that no thread has: the next one's number. */
    uint32_t next;
    /* Whose strings are registered in the chunk, one bit each; and which strings. */
    uint64_t sites[FXT_TRACE_SITES_ / 64];
    uint64_t strings[FXT_TRACE_STRINGS_ / 64];
};

struct fxt_trace_thread_ {
    uint32_t level;
    /* In which session it has the index, or 0: then it is inline in each event. */
    uint32_t session;
    uint32_t index;
    uint64_t process;
    uint64_t id;
    /* Its end will be noticed. */
    bool is_followed;
    /* It starts or stops a session. */
    bool is_busy;
    struct fxt_trace_ring_ *rings[FXT_TRACE_LEVELS_];
    char name[32];
};

#ifdef __cplusplus
#define FXT_TRACE_THREAD_LOCAL_ __thread
#else
#define FXT_TRACE_THREAD_LOCAL_ _Thread_local
#endif

/* 0 while nothing is traced, 1 before that was decided, or the number of the session. */
FXT_API extern uint32_t fxt_trace_session_;
/* The clock: 0 before that was decided, 1 for the CPU's counter, 2 for CLOCK_MONOTONIC.
 */
FXT_API extern uint32_t fxt_trace_clock_;
FXT_API extern FXT_TRACE_THREAD_LOCAL_ struct fxt_trace_thread_ fxt_trace_thread_
    __attribute__((__tls_model__("initial-exec")));

/* Whether the site's category is traced, when that is not known yet. */
FXT_API bool fxt_trace_reach_(struct fxt_trace_site_ *site);

/* Returns the thread's ring, with room for so many words in a chunk where the thread and
 * the site's strings are registered; NULL if there is none. */
FXT_API struct fxt_trace_ring_ *fxt_trace_prepare_(struct fxt_trace_site_ *site,
                                                   uint32_t level, uint64_t n_words);

FXT_INLINE bool fxt_trace_is_on_(struct fxt_trace_site_ *site)
{
    const uint8_t *is_on;

    if (FXT_LIKELY(FXT_LOAD_RELAXED(&fxt_trace_session_) == 0))
        return false;
    is_on = FXT_LOAD_ACQUIRE(&site->is_on);
    return FXT_LIKELY(is_on) ? FXT_LOAD_RELAXED(is_on) != 0 : fxt_trace_reach_(site);
}

/* ---- Time -------------------------------------------------------------------------- */

/* fxt_trace_now, where it is not the CPU's counter, or that is not known. */
FXT_API uint64_t fxt_trace_other_now_(void);

/* Now, in ticks of the clock. A session that asks for another clock than the environment
 * changes it. */
FXT_INLINE uint64_t fxt_trace_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (FXT_LIKELY(FXT_LOAD_RELAXED(&fxt_trace_clock_) == 1))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (FXT_LIKELY(FXT_LOAD_RELAXED(&fxt_trace_clock_) == 1)) {
        uint64_t ticks;

        __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return fxt_trace_other_now_();
}

/* ---- For the macros only: events --------------------------------------------------- */

/* Keeps the compiler from moving memory accesses past a place where a signal handler of
 * this thread may run. */
#define FXT_TRACE_FENCE_() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* The header of the string record that fills the rest of a chunk: its size in words, and
 * that of its text in bytes, by one multiplication. */
FXT_INLINE uint64_t fxt_trace_rest_(uint64_t n_words)
{
    return (FXT_PUT(RECORD_TYPE, FXT_RECORD_STRING) |
            FXT_PUT(STRING_INDEX, FXT_STRING_INDEX_MAX)) +
           n_words * (FXT_PUT(RECORD_WORDS, 1) | FXT_PUT(STRING_SIZE, FXT_WORD_BYTES)) -
           FXT_PUT(STRING_SIZE, FXT_WORD_BYTES);
}

/* Makes n_words at the ring's position visible, of which all but the first have been
 * stored; `header` is the first. At any time, the chunk's end is a whole record. */
FXT_INLINE void fxt_trace_publish_(struct fxt_trace_ring_ *ring, uint64_t n_words,
                                   uint64_t header)
{
    uint64_t *next = ring->pos + n_words;

    *next = fxt_trace_rest_((uint64_t)(ring->end - next));
    fxt_store_release_(ring->pos, header);
    ring->pos = next;
}

/* Whether the ring can take so many words of the site, and one more. */
FXT_INLINE bool fxt_trace_is_ready_(const struct fxt_trace_ring_ *ring,
                                    const struct fxt_trace_site_ *site, uint64_t n_words)
{
    uint32_t number = FXT_LOAD_RELAXED(&site->number);

    return ring && ring->session == FXT_LOAD_RELAXED(&fxt_trace_session_) &&
           n_words < (uint64_t)(ring->end - ring->pos) &&
           (ring->sites[number / 64] >> number % 64 & 1) != 0;
}

/* Writes an event; `word` is its last word, where `has_word`. What the caller knows of
 * the arguments is worth half of its time. */
static FXT_ALWAYS_INLINE void fxt_trace_put_event_(struct fxt_trace_site_ *site,
                                                   uint32_t type, uint64_t time,
                                                   bool has_word, uint64_t word,
                                                   const struct fxt_trace_value_ *values,
                                                   uint32_t n)
{
    struct fxt_trace_thread_ *thread = &fxt_trace_thread_;
    uint64_t n_words = 2 + fxt_trace_values_words_(values, n) + has_word;
    uint64_t n_inline = thread->index == 0 ? 2 : 0;
    uint32_t level = thread->level;
    struct fxt_trace_ring_ *ring = 0;

    thread->level = level + 1;
    FXT_TRACE_FENCE_();
    if (FXT_LIKELY(level < FXT_TRACE_LEVELS_))
        ring = thread->rings[level];
    if (FXT_UNLIKELY(!fxt_trace_is_ready_(ring, site, n_words + n_inline))) {
        ring = fxt_trace_prepare_(site, level, n_words + 2);
        n_inline = thread->index == 0 ? 2 : 0;
    }
    if (FXT_LIKELY(ring)) {
        uint64_t *at = ring->pos + 2;

        n_words += n_inline;
        ring->pos[1] = time;
        if (FXT_UNLIKELY(n_inline > 0)) {
            at[0] = thread->process;
            at[1] = thread->id;
            at += 2;
        }
        for (uint32_t i = 0; i < n; i++)
            at = fxt_trace_put_value_(at, FXT_LOAD_RELAXED(&site->refs[2 + i]),
                                      &values[i]);
        if (has_word)
            *at = word;
        fxt_trace_publish_(ring, n_words,
                           FXT_PUT(RECORD_TYPE, FXT_RECORD_EVENT) |
                               FXT_PUT(RECORD_WORDS, n_words) |
                               FXT_PUT(EVENT_TYPE, type) | FXT_PUT(EVENT_ARGS, n) |
                               FXT_PUT(EVENT_THREAD, thread->index) |
                               FXT_PUT(EVENT_CATEGORY, FXT_LOAD_RELAXED(&site->refs[0])) |
                               FXT_PUT(EVENT_NAME, FXT_LOAD_RELAXED(&site->refs[1])));
    }
    FXT_TRACE_FENCE_();
    thread->level = level;
}

/* The same for events of many arguments, which would make the caller's code long. */
FXT_OUT_OF_LINE void fxt_trace_event_(struct fxt_trace_site_ *site, uint32_t type,
                                      uint64_t time, bool has_word, uint64_t word,
                                      const struct fxt_trace_value_ *values, uint32_t n)
{
    fxt_trace_put_event_(site, type, time, has_word, word, values, n);
}

#define FXT_TRACE_FEW_ 2

/* What ends with the block that it is declared in. */
struct fxt_trace_scope_ {
    /* NULL: its category was not traced. */
    struct fxt_trace_site_ *site;
#ifdef __cplusplus
    ~fxt_trace_scope_()
    {
        if (site)
            fxt_trace_put_event_(site, FXT_EVENT_DURATION_END, fxt_trace_now(), false, 0,
                                 0, 0);
    }
#endif
};

#ifdef __cplusplus
#define FXT_TRACE_SCOPE_VARIABLE_(variable)                                              \
    __attribute__((__unused__)) fxt_trace_scope_ variable = {0}
#else
FXT_INLINE void fxt_trace_end_scope_(struct fxt_trace_scope_ *scope)
{
    if (scope->site)
        fxt_trace_put_event_(scope->site, FXT_EVENT_DURATION_END, fxt_trace_now(), false,
                             0, 0, 0);
}
#define FXT_TRACE_SCOPE_VARIABLE_(variable)                                              \
    __attribute__((__cleanup__(fxt_trace_end_scope_),                                    \
                   __unused__)) struct fxt_trace_scope_ variable = {0}
#endif

FXT_END_DECLS

#define FXT_TRACE_N_(array) (uint32_t)(sizeof(array) / sizeof((array)[0]))

/* Declares a site called `site`. */
#define FXT_TRACE_SITE_(site, ...)                                                       \
    static const char *const site##_texts[] = {FXT_TRACE_CATEGORY_(__VA_ARGS__),         \
                                               FXT_TRACE_NAME_(__VA_ARGS__)              \
                                                   FXT_TRACE_NAMES_(__VA_ARGS__)};       \
    static uint16_t site##_refs[FXT_TRACE_N_(site##_texts)];                             \
    static struct fxt_trace_site_ site = {0, site##_texts, site##_refs,                  \
                                          FXT_TRACE_N_(site##_texts), 0}

/* Declares the values of a site's arguments, after one that is not used. */
#define FXT_TRACE_LIST_(list, ...)                                                       \
    const struct fxt_trace_value_ list[] = {{0, 0, 0, 0} FXT_TRACE_VALUES_(__VA_ARGS__)}

/* Writes an event of the site. */
#define FXT_TRACE_WRITE_(site, type, time, has_word, word, ...)                          \
    FXT_TRACE_LIST_(fxt_values_, __VA_ARGS__);                                           \
    if (FXT_TRACE_N_(fxt_values_) - 1 <= FXT_TRACE_FEW_)                                 \
        fxt_trace_put_event_(&(site), (type), (time), (has_word), (word),                \
                             fxt_values_ + 1, FXT_TRACE_N_(fxt_values_) - 1);            \
    else                                                                                 \
        fxt_trace_event_(&(site), (type), (time), (has_word), (word), fxt_values_ + 1,   \
                         FXT_TRACE_N_(fxt_values_) - 1)

#define FXT_TRACE_STATEMENT_(type, time, has_word, word, ...)                            \
    do {                                                                                 \
        FXT_TRACE_SITE_(fxt_site_, __VA_ARGS__);                                         \
        if (fxt_trace_is_on_(&fxt_site_)) {                                              \
            FXT_TRACE_WRITE_(fxt_site_, type, time, has_word, word, __VA_ARGS__);        \
        }                                                                                \
    } while (0)

/* An event whose last word is an id. */
#define FXT_TRACE_ID_STATEMENT_(type, id, ...)                                           \
    FXT_TRACE_STATEMENT_(type, fxt_trace_now(), true, (uint64_t)(id), __VA_ARGS__)

#define FXT_TRACE_SCOPE_AT_(n, ...) FXT_TRACE_SCOPE_NOW_(n, __VA_ARGS__)
#define FXT_TRACE_SCOPE_NOW_(n, ...)                                                     \
    FXT_TRACE_SITE_(fxt_site_##n##_, __VA_ARGS__);                                       \
    FXT_TRACE_SCOPE_VARIABLE_(fxt_scope_##n##_);                                         \
    if (fxt_trace_is_on_(&fxt_site_##n##_)) {                                            \
        FXT_TRACE_WRITE_(fxt_site_##n##_, FXT_EVENT_DURATION_BEGIN, fxt_trace_now(),     \
                         false, 0, __VA_ARGS__);                                         \
        fxt_scope_##n##_.site = &fxt_site_##n##_;                                        \
    }                                                                                    \
    (void)0

/* ---- Macros ------------------------------------------------------------------------ */

#ifndef FXT_TRACE_OFF

/* FXT_SCOPE(category, name, argument, value, ...): a span from here to the end of the
 * enclosing block, however that is left: in C++ also by an exception. */
#define FXT_SCOPE(...) FXT_TRACE_SCOPE_AT_(__COUNTER__, __VA_ARGS__)

/* A span from where FXT_BEGIN runs to where FXT_END with the same category and name does,
 * on the same thread; spans of a thread end in the opposite order of their begins. */
#define FXT_BEGIN(...)                                                                   \
    FXT_TRACE_STATEMENT_(FXT_EVENT_DURATION_BEGIN, fxt_trace_now(), false, 0, __VA_ARGS__)
#define FXT_END(...)                                                                     \
    FXT_TRACE_STATEMENT_(FXT_EVENT_DURATION_END, fxt_trace_now(), false, 0, __VA_ARGS__)

/* FXT_COMPLETE(begin, end, category, name, ...): a span with given times, which
 * fxt_trace_now returned. */
#define FXT_COMPLETE(begin, end, ...)                                                    \
    FXT_TRACE_STATEMENT_(FXT_EVENT_DURATION_COMPLETE, (begin), true, (end), __VA_ARGS__)

/* Something that happened at a moment. */
#define FXT_INSTANT(...)                                                                 \
    FXT_TRACE_STATEMENT_(FXT_EVENT_INSTANT, fxt_trace_now(), false, 0, __VA_ARGS__)

/* FXT_COUNTER(id, category, name, series, value, ...): what was measured at a moment. The
 * id tells counters of one name apart. */
#define FXT_COUNTER(id, ...) FXT_TRACE_ID_STATEMENT_(FXT_EVENT_COUNTER, id, __VA_ARGS__)

/* FXT_ASYNC_BEGIN(id, category, name, ...): an operation that may end on another thread;
 * its events have the same id, category and name. */
#define FXT_ASYNC_BEGIN(id, ...)                                                         \
    FXT_TRACE_ID_STATEMENT_(FXT_EVENT_ASYNC_BEGIN, id, __VA_ARGS__)
#define FXT_ASYNC_INSTANT(id, ...)                                                       \
    FXT_TRACE_ID_STATEMENT_(FXT_EVENT_ASYNC_INSTANT, id, __VA_ARGS__)
#define FXT_ASYNC_END(id, ...)                                                           \
    FXT_TRACE_ID_STATEMENT_(FXT_EVENT_ASYNC_END, id, __VA_ARGS__)

/* FXT_FLOW_BEGIN(id, category, name, ...): an arrow between the spans that enclose its
 * events, which have the same id, category and name. */
#define FXT_FLOW_BEGIN(id, ...)                                                          \
    FXT_TRACE_ID_STATEMENT_(FXT_EVENT_FLOW_BEGIN, id, __VA_ARGS__)
#define FXT_FLOW_STEP(id, ...)                                                           \
    FXT_TRACE_ID_STATEMENT_(FXT_EVENT_FLOW_STEP, id, __VA_ARGS__)
#define FXT_FLOW_END(id, ...) FXT_TRACE_ID_STATEMENT_(FXT_EVENT_FLOW_END, id, __VA_ARGS__)

#else

#define FXT_SCOPE(...) (void)0
#define FXT_BEGIN(...) (void)0
#define FXT_END(...) (void)0
#define FXT_COMPLETE(begin, end, ...) (void)0
#define FXT_INSTANT(...) (void)0
#define FXT_COUNTER(id, ...) (void)0
#define FXT_ASYNC_BEGIN(id, ...) (void)0
#define FXT_ASYNC_INSTANT(id, ...) (void)0
#define FXT_ASYNC_END(id, ...) (void)0
#define FXT_FLOW_BEGIN(id, ...) (void)0
#define FXT_FLOW_STEP(id, ...) (void)0
#define FXT_FLOW_END(id, ...) (void)0

#endif

#ifdef FXT_TRACE_IMPLEMENTATION
#include <fxt/trace/implementation.h>
#endif

#endif
