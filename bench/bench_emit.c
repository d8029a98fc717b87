/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a sampler's interrupt costs: emitting a sample, and walking a stack.
 *
 * Usage: bench_emit
 *
 * Two ratios. Emitting a sample of 32 PCs, with a time stamp, beside a copy of the bytes
 * of such a record and a time stamp: what any way of keeping a sample must do. And
 * walking 32 frames and emitting the sample beside the walk alone.
 *
 * All of it is written to the same few pages again and again, as a ring would be, so that
 * what is measured is instructions and not the machine's memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <fxt/emit.h>

/* The frames are made up here, on any machine. */
#define FXT_UNWIND_HAS_RECORDS 1
#include <fxt/unwind.h>

#include "bench.h"

enum {
    N_PCS = 32,
    RECORD_WORDS = 6 + N_PCS,
    REGION_WORDS = 4096,
    /* As many as leave room for the end. */
    PER_REGION = (REGION_WORDS - 1) / RECORD_WORDS,
    N_REGIONS = 5000,
    N_SAMPLES = PER_REGION * N_REGIONS
};

struct work {
    uint64_t region[REGION_WORDS];
    uint64_t pcs[N_PCS];
    /* A record that is ready to be copied. */
    uint64_t record[RECORD_WORDS];
    /* A stack of 32 frames, some of them larger. */
    uintptr_t stack[32 * N_PCS];
    struct fxt_unwind from;
};

/* The machine's clock register; the C library's clock takes ten times as long as
 * everything else here. */
static inline uint64_t read_clock(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

/* Memory may have been read here, for all that the compiler knows. */
static inline void use(const void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* ---- Emitting ---------------------------------------------------------------------- */

/* The stamp is stored after the copy: before it, the copy would stall on store
 * forwarding. The size is hidden from the compiler, which would otherwise use "rep movs",
 * which is slower than the C library's memcpy. */
static uint64_t copy_record(void *context)
{
    struct work *work = (struct work *)context;
    size_t size = sizeof(work->record);
    uint64_t sum = 0;

    FXT_FORGET_ORIGIN(size);
    for (int region = 0; region < N_REGIONS; region++) {
        uint64_t *to = work->region;

        for (int i = 0; i < PER_REGION; i++) {
            memcpy(to, work->record, size);
            to[2] = read_clock();
            to += RECORD_WORDS;
            use(to);
        }
        sum += work->region[RECORD_WORDS];
    }
    return sum;
}

/* As large blobs, or as profiler records. */
static FXT_ALWAYS_INLINE uint64_t emit_all(struct work *work, bool as_backtraces)
{
    uint64_t n_dropped = 0;

    for (int region = 0; region < N_REGIONS; region++) {
        struct fxt_emit emit;

        fxt_emit_init(&emit, work->region, sizeof(work->region));
        for (int i = 0; i < PER_REGION; i++) {
            if (as_backtraces)
                fxt_emit_backtrace(&emit, read_clock(), 1, 2, work->pcs, N_PCS);
            else
                fxt_emit_sample(&emit, read_clock(), 1, 2, work->pcs, N_PCS);
            use(&emit);
        }
        n_dropped += emit.dropped_records;
    }
    return n_dropped;
}

static uint64_t emit_record(void *context)
{
    return emit_all((struct work *)context, false);
}

static uint64_t emit_backtrace(void *context)
{
    return emit_all((struct work *)context, true);
}

/* Into a ring that is drained when it is full. */
static uint64_t emit_to_ring(void *context)
{
    static _Alignas(128) uint64_t memory[REGION_WORDS];
    struct work *work = (struct work *)context;
    struct fxt_emit emit;
    struct fxt_ring ring;
    const uint64_t *words;

    fxt_emit_init_ring(&emit, memory, sizeof(memory), 0);
    fxt_ring_open(&ring, memory, sizeof(memory));
    for (int i = 0; i < N_SAMPLES; i++) {
        fxt_emit_sample(&emit, read_clock(), 1, 2, work->pcs, N_PCS);
        use(&emit);
        if (i % (PER_REGION / 4) == 0)
            fxt_ring_consume(&ring, fxt_ring_peek(&ring, &words));
    }
    return emit.dropped_records;
}

/* ---- Walking ----------------------------------------------------------------------- */

static uint64_t walk(void *context)
{
    struct work *work = (struct work *)context;
    uint64_t n_pcs = 0;

    for (int i = 0; i < N_SAMPLES; i++) {
        uint64_t pcs[N_PCS];

        n_pcs += fxt_unwind_walk(&work->from, pcs, N_PCS);
        use(pcs);
    }
    return n_pcs;
}

static uint64_t walk_and_emit(void *context)
{
    struct work *work = (struct work *)context;
    uint64_t n_pcs = 0;

    for (int region = 0; region < N_REGIONS; region++) {
        struct fxt_emit emit;

        fxt_emit_init(&emit, work->region, sizeof(work->region));
        for (int i = 0; i < PER_REGION; i++) {
            uint64_t pcs[N_PCS];
            uint64_t n = fxt_unwind_walk(&work->from, pcs, N_PCS);

            fxt_emit_sample(&emit, n_pcs, 1, 2, pcs, n);
            use(&emit);
            n_pcs += n;
        }
        n_pcs -= emit.dropped_records;
    }
    return n_pcs;
}

/* ---- All of it --------------------------------------------------------------------- */

static void make_stack(struct work *work)
{
    uintptr_t *frame = work->stack;

    work->from.pc = 0x1000;
    work->from.stack_low = (uintptr_t)work->stack;
    work->from.stack_high = (uintptr_t)work->stack + sizeof(work->stack);
    work->from.frame = (uintptr_t)frame + (0 - FXT_UNWIND_RECORD((uintptr_t)0));
    for (int i = 0; i < N_PCS; i++) {
        uintptr_t *caller = frame + 4 + 6 * (i % 5);

        frame[0] = (uintptr_t)caller + (0 - FXT_UNWIND_RECORD((uintptr_t)0));
        frame[1] = 0x2000 + (uintptr_t)i;
        frame = caller;
    }
}

static int must_equal(const char *what, uint64_t actual, uint64_t expected)
{
    printf("  %s: %" PRIu64 " (must be %" PRIu64 "): %s\n", what, actual, expected,
           actual == expected ? "ok" : "WRONG");
    return actual == expected ? 0 : 1;
}

static int bench_emit(struct work *work)
{
    struct bench_candidate all[] = {
        {.name = "copy and time stamp", .run = copy_record},
        {.name = "emit a sample", .run = emit_record},
        {.name = "emit a backtrace", .run = emit_backtrace},
        {.name = "emit a sample to a ring", .run = emit_to_ring},
    };
    int over = 0;

    printf("emit: %d samples of %d PCs\n", N_SAMPLES, N_PCS);
    bench_run(all, 4, work);
    bench_print(all, 4, N_SAMPLES, "a sample");
    over += bench_ratio(&all[1], &all[0], 1.5);
    for (int i = 1; i < 4; i++)
        over += must_equal("dropped", all[i].result, 0);
    return over;
}

static int bench_walk(struct work *work)
{
    struct bench_candidate both[] = {
        {.name = "walk", .run = walk},
        {.name = "walk and emit", .run = walk_and_emit},
    };
    int over = 0;

    printf("walk: %d stacks of %d PCs\n", N_SAMPLES, N_PCS);
    bench_run(both, 2, work);
    bench_print(both, 2, N_SAMPLES, "a stack");
    over += bench_ratio(&both[1], &both[0], 1.6);
    for (int i = 0; i < 2; i++)
        over += must_equal("PCs", both[i].result, (uint64_t)N_SAMPLES * N_PCS);
    return over;
}

int main(void)
{
    static struct work work;
    int over;

    for (int i = 0; i < N_PCS; i++)
        work.pcs[i] = 0xffffffff80100000 + (uint64_t)i * 4096;
    make_stack(&work);
    over = bench_emit(&work);
    over += bench_walk(&work);
    return over > 0;
}
