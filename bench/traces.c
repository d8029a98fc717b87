/* SPDX-License-Identifier: BSD-2-Clause */
/* See traces.h. */
#include "traces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <fxt/format.h>

#include "depths.h"
#include "tests/support/pick.h"

enum { SAMPLE_HEAD_WORDS = 6, SAMPLE_PCS = 30 };

static struct trace allocate(size_t mib)
{
    struct trace data = {
        .n_words = (mib << 20) / FXT_WORD_BYTES,
        .mapped = mib << 20,
    };
    void *memory = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED) {
        perror("bench");
        exit(EXIT_FAILURE);
    }
    data.words = (uint64_t *)memory;
    return data;
}

/* ---- Samples ----------------------------------------------------------------------- */

static void put_pcs(uint64_t *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        w[i] = 0xffffffff80100000 + pick(1 << 20);
}

static size_t put_sample(uint64_t *w, uint64_t now, uint64_t n_pcs)
{
    size_t n_words = SAMPLE_HEAD_WORDS + n_pcs;

    w[0] = FXT_PUT(RECORD_TYPE, FXT_RECORD_LARGE) | FXT_PUT(LARGE_WORDS, n_words);
    w[1] = 0;
    w[2] = now;
    w[3] = 1000 + pick(8);
    w[4] = 2000 + pick(64);
    w[5] = n_pcs * FXT_WORD_BYTES;
    put_pcs(w + SAMPLE_HEAD_WORDS, n_pcs);
    return n_words;
}

static size_t put_backtrace(uint64_t *w, uint64_t now, uint64_t n_pcs)
{
    w[0] = FXT_RECORD_PROFILER | FXT_PUT(RECORD_WORDS, 4 + n_pcs) |
           FXT_PUT(PROFILER_TYPE, FXT_PROFILER_BACKTRACE) | FXT_PUT(BACKTRACE_PCS, n_pcs);
    w[1] = now;
    w[2] = 1000 + pick(8);
    w[3] = 2000 + pick(64);
    put_pcs(w + 4, n_pcs);
    return 4 + n_pcs;
}

static uint64_t same_depth(void)
{
    return SAMPLE_PCS;
}

typedef size_t put_sample_fn(uint64_t *w, uint64_t now, uint64_t n_pcs);

static struct trace make_region(size_t mib, put_sample_fn *put, uint64_t (*depth)(void))
{
    struct trace data = allocate(mib);
    size_t pos = 0;

    while (data.n_words - pos > SAMPLE_HEAD_WORDS + DEPTH_MAX) {
        pos += put(data.words + pos, pos, depth());
        data.n_records++;
    }
    data.n_words = pos + 1;
    return data;
}

struct trace traces_region(size_t mib)
{
    return make_region(mib, put_sample, same_depth);
}

struct trace traces_mixed_region(size_t mib)
{
    return make_region(mib, put_sample, depths_pick);
}

struct trace traces_backtraces(size_t mib)
{
    return make_region(mib, put_backtrace, depths_pick);
}

/* ---- Events ------------------------------------------------------------------------ */

enum { N_STRINGS = 1000, N_THREADS = 200 };

static size_t put_tables(uint64_t *w)
{
    size_t pos = 0;

    w[pos++] = FXT_MAGIC_RECORD;
    for (uint64_t i = 1; i <= N_STRINGS; i++) {
        uint64_t size = 4 + i % 21;
        uint64_t n_words = 1 + (size + 7) / 8;

        w[pos] = FXT_RECORD_STRING | FXT_PUT(RECORD_WORDS, n_words) |
                 FXT_PUT(STRING_INDEX, i) | FXT_PUT(STRING_SIZE, size);
        memcpy(&w[pos + 1], "a_name_of_some_length_that_is_used", size);
        pos += n_words;
    }
    for (uint64_t i = 1; i <= N_THREADS; i++) {
        w[pos] = FXT_RECORD_THREAD | FXT_PUT(RECORD_WORDS, 3) | FXT_PUT(THREAD_INDEX, i);
        w[pos + 1] = 100 + i % 10;
        w[pos + 2] = 1000 + i;
        pos += 3;
    }
    return pos;
}

static size_t put_arg(uint64_t *w)
{
    uint64_t name = FXT_PUT(ARG_NAME, 1 + pick(N_STRINGS));

    switch (pick(4)) {
    case 0:
        w[0] = FXT_ARG_UINT32 | FXT_PUT(ARG_WORDS, 1) | name |
               FXT_PUT(ARG_VALUE, pick(1000));
        return 1;
    case 1:
        w[0] = FXT_ARG_UINT64 | FXT_PUT(ARG_WORDS, 2) | name;
        w[1] = pick(UINT64_MAX);
        return 2;
    case 2:
        w[0] = FXT_ARG_STRING | FXT_PUT(ARG_WORDS, 1) | name |
               FXT_PUT(ARG_STRING, 1 + pick(N_STRINGS));
        return 1;
    default:
        w[0] = FXT_ARG_STRING | FXT_PUT(ARG_WORDS, 3) | name |
               FXT_PUT(ARG_STRING, FXT_STRING_REF_INLINE | 11);
        memcpy(&w[1], "some detail\0\0\0\0\0", 16);
        return 3;
    }
}

/* The category and the name of an event, each name in one category. */
static uint64_t put_name(void)
{
    uint64_t name = 1 + pick(N_STRINGS);

    return FXT_PUT(EVENT_CATEGORY, 1 + name % 20) | FXT_PUT(EVENT_NAME, name);
}

static size_t put_event(uint64_t *w, uint64_t now)
{
    static const uint64_t kinds[] = {
        FXT_EVENT_INSTANT,      FXT_EVENT_COUNTER,           FXT_EVENT_DURATION_BEGIN,
        FXT_EVENT_DURATION_END, FXT_EVENT_DURATION_COMPLETE, FXT_EVENT_DURATION_COMPLETE,
        FXT_EVENT_ASYNC_BEGIN,  FXT_EVENT_FLOW_STEP,
    };
    uint64_t kind = kinds[pick(8)];
    uint64_t n_args = kind == FXT_EVENT_DURATION_END ? 0 : pick(4);
    size_t pos = 2;

    w[1] = now;
    for (uint64_t i = 0; i < n_args; i++)
        pos += put_arg(w + pos);
    if (kind != FXT_EVENT_INSTANT && kind != FXT_EVENT_DURATION_BEGIN &&
        kind != FXT_EVENT_DURATION_END)
        w[pos++] = now + 100;
    w[0] = FXT_RECORD_EVENT | FXT_PUT(RECORD_WORDS, pos) | FXT_PUT(EVENT_TYPE, kind) |
           FXT_PUT(EVENT_ARGS, n_args) | FXT_PUT(EVENT_THREAD, 1 + pick(N_THREADS)) |
           put_name();
    return pos;
}

static size_t put_context_switch(uint64_t *w, uint64_t now)
{
    uint64_t name = FXT_PUT(ARG_NAME, 1 + pick(N_STRINGS));

    w[0] = FXT_RECORD_SCHEDULING | FXT_PUT(RECORD_WORDS, 6) |
           FXT_PUT(SCHEDULING_TYPE, FXT_SCHEDULING_CONTEXT_SWITCH) |
           FXT_PUT(CONTEXT_SWITCH_ARGS, 2) | FXT_PUT(CONTEXT_SWITCH_CPU, pick(8)) |
           FXT_PUT(CONTEXT_SWITCH_STATE, FXT_THREAD_BLOCKED);
    w[1] = now;
    w[2] = 1000 + pick(N_THREADS);
    w[3] = 1000 + pick(N_THREADS);
    w[4] = FXT_ARG_INT32 | FXT_PUT(ARG_WORDS, 1) | name | FXT_PUT(ARG_VALUE, 20);
    w[5] = FXT_ARG_INT32 | FXT_PUT(ARG_WORDS, 1) | name | FXT_PUT(ARG_VALUE, 16);
    return 6;
}

struct trace traces_archive(size_t mib)
{
    struct trace data = allocate(mib);
    size_t pos = put_tables(data.words);

    while (data.n_words - pos > 64) {
        if (pick(5) > 0)
            pos += put_event(data.words + pos, pos);
        else
            pos += put_context_switch(data.words + pos, pos);
        data.n_records++;
    }
    data.n_words = pos;
    return data;
}

/* An event with strings and thread by index, and at most one argument of one word. */
static size_t put_short_event(uint64_t *w, uint64_t now)
{
    static const uint64_t kinds[] = {FXT_EVENT_DURATION_BEGIN, FXT_EVENT_DURATION_END,
                                     FXT_EVENT_DURATION_COMPLETE, FXT_EVENT_INSTANT};
    uint64_t kind = kinds[pick(4)];
    uint64_t n_args = kind == FXT_EVENT_DURATION_END ? 0 : pick(2);
    size_t pos = 2;

    w[1] = now;
    if (n_args > 0)
        w[pos++] = FXT_ARG_UINT32 | FXT_PUT(ARG_WORDS, 1) |
                   FXT_PUT(ARG_NAME, 1 + pick(N_STRINGS)) |
                   FXT_PUT(ARG_VALUE, pick(1000));
    if (kind == FXT_EVENT_DURATION_COMPLETE)
        w[pos++] = now + 100;
    w[0] = FXT_RECORD_EVENT | FXT_PUT(RECORD_WORDS, pos) | FXT_PUT(EVENT_TYPE, kind) |
           FXT_PUT(EVENT_ARGS, n_args) | FXT_PUT(EVENT_THREAD, 1 + pick(N_THREADS)) |
           put_name();
    return pos;
}

struct trace traces_short_events(size_t mib)
{
    struct trace data = allocate(mib);
    size_t pos = put_tables(data.words);

    while (data.n_words - pos > 64) {
        pos += put_short_event(data.words + pos, pos);
        data.n_records++;
    }
    data.n_words = pos;
    return data;
}

void traces_free(struct trace *trace)
{
    munmap(trace->words, trace->mapped);
}
