/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much CPU time a report of the events of a trace takes, beside counting the same
 * records with fxtdump --stats, and how much memory a span.
 *
 * Usage: bench_events FXTDUMP FXTREPORT [MILLIONS]
 *
 * The traces are so many million events, by default ten: begins and ends, or complete
 * spans that are written when they end, of eight threads or of one. 45 million complete
 * spans are a gigabyte. Beyond some hundred megabytes the time depends on the machine:
 * up to 45 % of it is the kernel clearing pages where the hypervisor has to find them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "common/base/clock.h"
#include "tests/support/pick.h"

enum { MILLION = 1000000, N_NAMES = 64, DEPTH = 4, RUNS = 3, BLOCK_WORDS = 3 << 12 };

/* The most that a report may take: times as much as counting, and bytes a span beyond
 * what a program needs for itself. */
enum { MOST_TIMES = 3, SPAN_BYTES = 40, PROGRAM_BYTES = 16 << 20 };

struct bench_trace {
    const char *name;
    bool is_complete;
    uint64_t n_threads;
};

/* ---- The trace --------------------------------------------------------------------- */

static void write_tables(int fd, uint64_t n_threads)
{
    static const uint64_t magic = FXT_MAGIC_RECORD;

    bench_write(fd, &magic, sizeof(magic));
    for (uint64_t i = 0; i < N_NAMES; i++) {
        uint64_t words[2] = {FXT_PUT(RECORD_TYPE, FXT_RECORD_STRING) |
                                 FXT_PUT(RECORD_WORDS, 2) | FXT_PUT(STRING_INDEX, i + 1) |
                                 FXT_PUT(STRING_SIZE, 8),
                             0};
        char name[9];

        snprintf(name, sizeof(name), "span-%03" PRIu64, i);
        memcpy(&words[1], name, sizeof(words[1]));
        bench_write(fd, words, sizeof(words));
    }
    for (uint64_t i = 1; i <= n_threads; i++) {
        uint64_t words[3] = {FXT_PUT(RECORD_TYPE, FXT_RECORD_THREAD) |
                                 FXT_PUT(RECORD_WORDS, 3) | FXT_PUT(THREAD_INDEX, i),
                             1, 1 + i};

        bench_write(fd, words, sizeof(words));
    }
}

static uint64_t header_of(uint64_t kind, uint64_t words, uint64_t thread, uint64_t name)
{
    return FXT_PUT(RECORD_TYPE, FXT_RECORD_EVENT) | FXT_PUT(RECORD_WORDS, words) |
           FXT_PUT(EVENT_TYPE, kind) | FXT_PUT(EVENT_THREAD, thread) |
           FXT_PUT(EVENT_CATEGORY, 1) | FXT_PUT(EVENT_NAME, name);
}

/* Returns how many words there are. */
static size_t put_event(const struct bench_trace *trace, uint64_t number, uint64_t *words)
{
    uint64_t tree = number / (trace->is_complete ? DEPTH : 2 * DEPTH);
    uint64_t place = number % (trace->is_complete ? DEPTH : 2 * DEPTH);
    uint64_t thread = 1 + tree % trace->n_threads;
    uint64_t start = MILLION + tree * 8000;
    uint64_t depth = place < DEPTH ? place : 2 * DEPTH - 1 - place;
    uint64_t name = 1 + (tree * DEPTH + depth) % N_NAMES;

    if (trace->is_complete) {
        words[0] = header_of(FXT_EVENT_DURATION_COMPLETE, 3, thread, name);
        words[1] = start + (DEPTH - place) * 300;
        words[2] = start + 2000 + place * 300 + pick(300);
        return 3;
    }
    words[0] =
        header_of(place < DEPTH ? FXT_EVENT_DURATION_BEGIN : FXT_EVENT_DURATION_END, 2,
                  thread, name);
    words[1] = start + place * 900 + pick(900);
    return 2;
}

static int make_trace(const struct bench_trace *trace, uint64_t n)
{
    static uint64_t words[BLOCK_WORDS + 3];
    int fd = memfd_create("trace", 0);
    size_t size = 0;

    write_tables(fd, trace->n_threads);
    for (uint64_t i = 0; i < n; i++) {
        size += put_event(trace, i, words + size);
        if (size < BLOCK_WORDS && i + 1 < n)
            continue;
        bench_write(fd, words, size * sizeof(*words));
        size = 0;
    }
    return fd;
}

/* ---- Programs ---------------------------------------------------------------------- */

struct cost {
    double seconds;
    uint64_t peak_bytes;
};

static struct cost run_once(const char *const *arguments)
{
    int output = memfd_create("output", 0);
    struct rusage usage = bench_command(arguments, output);

    close(output);
    return (struct cost){(double)usage_ns(&usage) * 1e-9,
                         (uint64_t)usage.ru_maxrss * 1024};
}

static struct cost run_best(const char *const *arguments)
{
    struct cost best = run_once(arguments);

    for (int i = 1; i < RUNS; i++) {
        struct cost cost = run_once(arguments);

        best = cost.seconds < best.seconds ? cost : best;
    }
    return best;
}

static int measure(const struct bench_trace *trace, uint64_t n, const char *fxtdump,
                   const char *fxtreport)
{
    int fd = make_trace(trace, n);
    uint64_t n_spans = trace->is_complete ? n : n / 2;
    char file[32];
    struct cost base;
    struct cost cost;
    double ratio;
    double bytes;
    bool is_good;

    snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
    base = run_best((const char *const[]){fxtdump, "--stats", file, NULL});
    cost = run_best((const char *const[]){fxtreport, "-q", file, NULL});
    close(fd);
    ratio = cost.seconds / base.seconds;
    bytes =
        (double)(cost.peak_bytes > PROGRAM_BYTES ? cost.peak_bytes - PROGRAM_BYTES : 0) /
        (double)n_spans;
    is_good = ratio <= MOST_TIMES && bytes <= SPAN_BYTES;
    printf("  %-28s %6.1f ns an event, counted in %5.1f: %.2f (limit %d); %.1f bytes a "
           "span (limit %d): %s\n",
           trace->name, cost.seconds * 1e9 / (double)n, base.seconds * 1e9 / (double)n,
           ratio, MOST_TIMES, bytes, SPAN_BYTES, is_good ? "ok" : "OVER");
    return !is_good;
}

int main(int argc, char **argv)
{
    static const struct bench_trace traces[] = {
        {"begins and ends", false, 8},
        {"the same of one thread", false, 1},
        {"complete spans", true, 8},
        {"the same of one thread", true, 1},
    };
    uint64_t millions = argc > 3 ? strtoull(argv[3], NULL, 10) : 10;
    int over = 0;

    if (argc != 3 && argc != 4) {
        fputs("usage: bench_events FXTDUMP FXTREPORT [MILLIONS]\n", stderr);
        return 2;
    }
    printf("%" PRIu64 " million events, CPU time of fxtreport and of fxtdump --stats\n",
           millions);
    for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++)
        over += measure(&traces[i], millions * MILLION, argv[1], argv[2]);
    return over > 0;
}
