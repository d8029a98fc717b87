/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the macros of fxt/trace.h cost.
 *
 * Usage: bench_trace
 *
 * Beside reading the clock as often: a span is two reads and its two events, of which the
 * latter should cost no more than 12 ns on a machine whose clock takes 8; that is a ratio
 * of 1.75. What is off is beside a loop that does nothing but count.
 *
 * Perfetto's SDK is not here to be measured: its documentation states 630 ns for a span
 * on a ThinkStation P920, and 285 ns on a Pixel 3 XL.
 *
 * The file is memory of a megabyte that is overwritten, so that what is measured is
 * instructions and not the machine's memory.
 */
#include <stdio.h>

#include <fxt/trace.h>

#include "bench.h"

enum { N = 2000000 };

/* A loop that the compiler cannot remove or merge. */
#define LOOP(body)                                                                       \
    do {                                                                                 \
        for (uint64_t i = 0; i < N; i++) {                                               \
            body;                                                                        \
            __asm__ volatile("" : : "r"(i) : "memory");                                  \
        }                                                                                \
    } while (0)

static uint64_t sum;

static uint64_t count(void *unused)
{
    (void)unused;
    LOOP((void)0);
    return N;
}

static uint64_t off(void *unused)
{
    (void)unused;
    LOOP({ FXT_SCOPE("off", "span"); });
    return N;
}

static uint64_t read_once(void *unused)
{
    (void)unused;
    LOOP(sum += fxt_trace_now());
    return N;
}

static uint64_t read_twice(void *unused)
{
    (void)unused;
    LOOP({
        sum += fxt_trace_now();
        sum += fxt_trace_now();
    });
    return N;
}

static uint64_t span(void *unused)
{
    (void)unused;
    LOOP({ FXT_SCOPE("on", "span"); });
    return N;
}

static uint64_t span_of_arguments(void *unused)
{
    (void)unused;
    LOOP({ FXT_SCOPE("on", "span of arguments", "a", (int)i, "b", (int)i); });
    return N;
}

static uint64_t instant(void *unused)
{
    (void)unused;
    LOOP(FXT_INSTANT("on", "instant"));
    return N;
}

static uint64_t complete(void *unused)
{
    (void)unused;
    LOOP(FXT_COMPLETE(i, i + 1, "on", "complete"));
    return N;
}

/* What any way of keeping a complete event must do: three words, once a record. */
static uint64_t store(void *unused)
{
    static uint64_t words[1 << 17];

    (void)unused;
    LOOP({
        uint64_t *at = words + 3 * (i % (sizeof(words) / 24));

        at[0] = 1;
        at[1] = i;
        at[2] = i + 1;
    });
    return words[0];
}

static int start(const char *categories)
{
    struct fxt_trace_options options = {0};

    options.size = sizeof(options);
    options.categories = categories;
    options.max_bytes = 1 << 20;
    options.mode = FXT_TRACE_KEEP_LAST;
    return fxt_trace_start(&options);
}

int main(void)
{
    struct bench_candidate idle[] = {{.name = "count", .run = count},
                                     {.name = "off, no session", .run = off}};
    struct bench_candidate busy[] = {
        {.name = "read the clock", .run = read_once},
        {.name = "read it twice", .run = read_twice},
        {.name = "span", .run = span},
        {.name = "span, 2 arguments", .run = span_of_arguments},
        {.name = "instant", .run = instant},
        {.name = "complete", .run = complete},
        {.name = "store 3 words", .run = store},
        {.name = "category off", .run = off},
    };
    int failed = 0;

    fxt_trace_stop();
    bench_run(idle, 2, NULL);
    bench_print(idle, 2, N, "macro");
    failed |= bench_ratio(&idle[1], &idle[0], 8);
    if (start("on") != 0) {
        perror("bench_trace");
        return 1;
    }
    bench_run(busy, 8, NULL);
    bench_print(busy, 8, N, "macro");
    failed |= bench_ratio(&busy[2], &busy[1], 1.75);
    failed |= bench_ratio(&busy[3], &busy[1], 2);
    failed |= bench_ratio(&busy[4], &busy[0], 2);
    failed |= bench_ratio(&busy[5], &busy[0], 1);
    fxt_trace_stop();
    return failed;
}
