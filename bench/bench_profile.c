/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the converters are, and how much memory they take, beside a bare loop.
 *
 * Usage: bench_profile FXT2FOLDED FXT2PPROF FXTREPORT [MIB]
 *
 * MIB is how much data; 1024 by default.
 *
 * The base hops from header to header over memory, hashes each stack and counts it by its
 * hash in a table that is large enough from the start; it copies nothing, compares
 * nothing and writes nothing. A second one does that with a file that it reads in pieces,
 * as programs have to that must not be killed where a file shrinks: that is what ratios
 * are to. The converters are run by their command lines, on a file in memory; CPU time is
 * that of the whole process, including the kernel's. Depths of stacks are mixed where it
 * is shown how the times grow with the number of different stacks.
 *
 * What is aimed at is 1.3 for 10 and for 10,000 stacks and 1.5 for 310,000; and 64 bytes
 * for a distinct stack beside 4 for each of its frames. It was, with 47 to 60 bytes:
 *
 *                          10            10,000        310,000       a million
 *     Intel Xeon, load     1.44 to 1.62  1.30 to 1.40  1.46 to 1.53  2.4 to 2.6
 *     AMD EPYC, quiet      1.25          1.18 to 1.20  2.4 to 2.6    2.8 to 3.3
 *
 * On that AMD EPYC (Zen 5), a virtual machine, 4 KiB in a small page take 19 microseconds
 * of CPU time, and mostly 0.4 in a huge one. Of the 19, 11 are the first access even to a
 * page that was populated before, and only 1 is the kernel's making it. A converter of
 * 310,000 stacks has 10,000 page faults, a fifth of its time; without any it would still
 * take more than twice the loop's. Two in five are in the arrays of stacks and samples,
 * one in five in copies of arrays that grow below a megabyte, and a quarter come after
 * reading.
 *
 * What was tried there: growing arrays copied into huge pages take 15 to 26 % less time,
 * but two threads 65 bytes for a distinct stack, and one up to 14 % more memory; moved by
 * mremap, 10 to 20 % less, by 50 lines that have to get along with systems that cannot
 * move them. With the copies, blocks of up to 2 MB left in the C library's heap take 22
 * to 26 % less, but 67 to 77 bytes; alone they gain nothing, nor does a heap that is
 * trimmed later. Blocks of a megabyte in huge pages take 8 % less, but a quarter more
 * memory for 60,000 stacks. Returning blocks of 128 KiB, or growing by four below 512
 * KiB, makes no fewer faults. Prefetching further ahead, more queued samples and a
 * smaller cache of PCs gain nothing.
 *
 * With 10 stacks the kernel's reading is half of the time, and fingerprints are a
 * quarter: half a nanosecond a PC, which is about what its nine instructions take.
 * Unrolled otherwise, or by pairs of words, they are as slow where depths are mixed, so
 * that less would take vector instructions. The rest is 500 instructions a sample, spread
 * over eight functions. Reads of 32 KiB to 1 MiB are equally fast.
 *
 * Of the bytes, a stack is 16, its sample and value 16; while adding, its entry is 24 and
 * its slots in the hash table 6 to 13; while sorting lines, its row is 16 and its
 * count 8. Where there are few samples, most memory is in use while PCs are located: so
 * the difference is less than the sum of these.
 *
 * By two threads, reading and sorting are shared. The rest is one thread's: of the CPU
 * time that one takes for a gigabyte of 490,000 stacks, writing is 8 to 10 %, finding
 * locations 5, merging the threads' stacks 4 and the first passes of sorting 2 to 3; and
 * reading by both takes a tenth more in all. They took 0.69 of one's time for folded on
 * the Intel Xeon, under load 5; and 0.78 on the AMD EPYC, and for pprof 0.84. There they
 * take 14 to 18 % more CPU time than one, more than half of it for 5,500 to 6,100 page
 * faults more: one's arrays grow by the other's stacks, and each numbers PCs.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <fxt/format.h>

#include "bench.h"
#include "compress.h"
#include "samples.h"

enum {
    PIECE_WORDS = 1 << 15,
    SYMBOLIZED_MIB = 64,
    MIB_MIN = 32,
    MIXED_MIB = 512,
    WALL_ROUNDS = 5,
    SLOTS_A_STACK = 2,
    PREFETCH_WORDS = 256
};

static const char *fxt2folded;
static const char *fxt2pprof;
static const char *fxtreport;

struct data {
    struct samples samples;
    const uint64_t *words;
    char file[32];
    char region_size[32];
    char elf[32];
};

/* ---- The bare loop ----------------------------------------------------------------- */

struct slot {
    uint64_t hash;
    uint64_t count;
};

struct counts {
    struct slot *slots;
    uint64_t mask;
    uint64_t n_stacks;
};

static uint64_t hash_words(const uint64_t *words, uint64_t n)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t even = words[-3];
    uint64_t odd = n;

    for (; n >= 2; n -= 2, words += 2) {
        even = ((even ^ words[0]) * factor) << 29 | ((even ^ words[0]) * factor) >> 35;
        odd = ((odd ^ words[1]) * factor) << 31 | ((odd ^ words[1]) * factor) >> 33;
    }
    if (n > 0)
        even = (even ^ words[0]) * factor;
    even = (even ^ odd) * factor;
    return (even ^ even >> 32) | 1;
}

static void count(struct counts *counts, uint64_t hash)
{
    uint64_t at = hash >> 8 & counts->mask;

    while (counts->slots[at].hash != hash && counts->slots[at].hash != 0)
        at = (at + 1) & counts->mask;
    counts->n_stacks += counts->slots[at].hash == 0;
    counts->slots[at].hash = hash;
    counts->slots[at].count++;
}

static struct counts start_counts(const struct samples *samples)
{
    struct counts counts = {NULL, 1023, 0};

    while (counts.mask < SLOTS_A_STACK * samples->n_stacks)
        counts.mask = counts.mask * 2 + 1;
    counts.slots = (struct slot *)calloc(counts.mask + 1, sizeof(*counts.slots));
    if (counts.slots == NULL) {
        perror("bench_profile");
        exit(EXIT_FAILURE);
    }
    return counts;
}

/* Counts all whole records. Returns how many words these have; or what is left of the
 * region, since the rest of that is zeros. */
static size_t count_words(struct counts *counts, const uint64_t *words, size_t n,
                          size_t left)
{
    size_t at = 0;

    while (at < n) {
        const uint64_t *w = words + at;
        uint64_t size = FXT_GET(*w, LARGE_WORDS);

        if (*w == 0)
            return left;
        if (size > n - at)
            break;
        for (uint64_t i = 0; i < size; i += FXT_WORD_BYTES)
            __builtin_prefetch(w + PREFETCH_WORDS + i);
        count(counts, hash_words(w + 6, w[5] / FXT_WORD_BYTES));
        at += size;
    }
    return at;
}

static uint64_t count_stacks(void *context)
{
    const struct data *data = (const struct data *)context;
    size_t n = data->samples.region_size / FXT_WORD_BYTES;
    struct counts counts = start_counts(&data->samples);

    for (size_t i = 0; i < SAMPLES_REGIONS; i++)
        count_words(&counts, data->words + n * i, n, n);
    free(counts.slots);
    return counts.n_stacks;
}

static uint64_t read_and_count_stacks(void *context)
{
    static uint64_t words[PIECE_WORDS];
    const struct data *data = (const struct data *)context;
    size_t n = data->samples.region_size / FXT_WORD_BYTES;
    struct counts counts = start_counts(&data->samples);

    for (size_t i = 0; i < SAMPLES_REGIONS; i++) {
        for (size_t at = 0; at < n;) {
            size_t piece = n - at < PIECE_WORDS ? n - at : PIECE_WORDS;

            if (pread(data->samples.fd, words, piece * FXT_WORD_BYTES,
                      (off_t)((n * i + at) * FXT_WORD_BYTES)) < 0) {
                perror("bench_profile");
                exit(EXIT_FAILURE);
            }
            at += count_words(&counts, words, piece, n - at);
        }
    }
    free(counts.slots);
    return counts.n_stacks;
}

/* ---- The converters ---------------------------------------------------------------- */

static uint64_t convert(const struct data *data, const char *tool, const char *threads,
                        const char *option)
{
    const char *arguments[] = {tool,
                               "-q",
                               "-o",
                               "/dev/null",
                               "--region-size",
                               data->region_size,
                               "--threads",
                               threads,
                               option,
                               data->file,
                               NULL};

    return (uint64_t)bench_command(arguments, -1).ru_maxrss * 1024;
}

static uint64_t to_folded(void *context)
{
    return convert((const struct data *)context, fxt2folded, "1", "--format=folded");
}

static uint64_t to_pprof(void *context)
{
    return convert((const struct data *)context, fxt2pprof, "1", "--no-gzip");
}

static uint64_t to_folded_by_two(void *context)
{
    return convert((const struct data *)context, fxt2folded, "2", "--format=folded");
}

static uint64_t to_pprof_by_two(void *context)
{
    return convert((const struct data *)context, fxt2pprof, "2", "--no-gzip");
}

static uint64_t to_pprof_gz(void *context)
{
    return convert((const struct data *)context, fxt2pprof, "1", "--quiet");
}

static uint64_t to_report(void *context)
{
    return convert((const struct data *)context, fxtreport, "1", "--quiet");
}

/* ---- Comparisons ------------------------------------------------------------------- */

static int limit(const char *what, double value, double most)
{
    printf("  %s: %.2f (limit %.2f): %s\n", what, value, most,
           value <= most ? "ok" : "OVER");
    return value <= most ? 0 : 1;
}

static struct data make_data(struct samples_shape shape)
{
    struct data data = {.samples = samples_make(shape)};

    snprintf(data.file, sizeof(data.file), "/proc/self/fd/%d", data.samples.fd);
    snprintf(data.region_size, sizeof(data.region_size), "%zu", data.samples.region_size);
    printf("%zu MiB of regions: %" PRIu64 " samples of %" PRIu64 " stacks (%" PRIu64
           " bytes)\n",
           shape.mib, data.samples.n_samples, data.samples.n_stacks,
           data.samples.stack_bytes);
    return data;
}

/* The bytes that a distinct stack takes at the peak, but for 4 for each of its frames:
 * what there is more of than with an eighth of the samples, which has as many PCs. */
static int limit_memory(const char *what, struct data *data, struct data *few,
                        uint64_t (*peak)(void *), double most)
{
    const struct samples *a = &data->samples;
    const struct samples *b = &few->samples;
    double frames = (double)(a->stack_bytes - b->stack_bytes) / FXT_WORD_BYTES;
    double bytes = (double)peak(data) - (double)peak(few) - 4 * frames;

    return limit(what, bytes / (double)(a->n_stacks - b->n_stacks), most);
}

/* Before anything is mapped here: what a process had before it became another counts. */
static int bench_memory(struct data *data)
{
    struct data few =
        make_data((struct samples_shape){.mib = (data->samples.size >> 20) / 8});
    int over = 0;

    printf("peak memory for a distinct stack, bytes beside 4 a frame\n");
    over += limit_memory("folded, one thread", data, &few, to_folded, 62);
    over += limit_memory("folded, two threads", data, &few, to_folded_by_two, 56);
    over += limit_memory("pprof, one thread", data, &few, to_pprof, 58);
    over += limit_memory("pprof, two threads", data, &few, to_pprof_by_two, 54);
    close(few.samples.fd);
    return over;
}

static void map_data(struct data *data)
{
    data->words = (const uint64_t *)mmap(NULL, data->samples.size, PROT_READ,
                                         MAP_SHARED | MAP_POPULATE, data->samples.fd, 0);
    if (data->words == MAP_FAILED) {
        perror("bench_profile");
        exit(EXIT_FAILURE);
    }
}

static int check_count(const struct bench_candidate *base, const struct data *data)
{
    if (base->result == data->samples.n_stacks)
        return 0;
    printf("  %" PRIu64 " stacks counted of %" PRIu64 "\n", base->result,
           data->samples.n_stacks);
    return 1;
}

/* Few and many stacks of mixed depths. */
static int bench_stacks(uint64_t n_stacks, double most)
{
    struct data data = make_data((struct samples_shape){MIXED_MIB, n_stacks, true});
    struct bench_candidate all[] = {
        {.name = "hop, hash and count", .run = count_stacks},
        {.name = "the same, read", .run = read_and_count_stacks},
        {.name = "to folded, one thread", .run = to_folded},
        {.name = "to pprof, one thread", .run = to_pprof},
    };
    int over = 0;

    map_data(&data);
    bench_run(all, 4, &data);
    bench_print(all, 4, (double)data.samples.n_samples, "a sample");
    over += bench_ratio(&all[2], &all[1], most);
    over += bench_ratio(&all[3], &all[1], most);
    over += check_count(&all[0], &data) + check_count(&all[1], &data);
    munmap((void *)(uintptr_t)data.words, data.samples.size);
    close(data.samples.fd);
    return over;
}

static int bench_cpu(struct data *data)
{
    struct bench_candidate all[] = {
        {.name = "hop, hash and count", .run = count_stacks},
        {.name = "the same, read", .run = read_and_count_stacks},
        {.name = "to folded, one thread", .run = to_folded},
        {.name = "to pprof, one thread", .run = to_pprof},
        {.name = "to pprof, compressed", .run = to_pprof_gz},
        {.name = "to a report, one thread", .run = to_report},
    };
    int over = 0;

    bench_run(all, 6, data);
    bench_print(all, 6, (double)data->samples.n_samples, "a sample");
    over += bench_ratio(&all[2], &all[1], 2.4);
    over += bench_ratio(&all[3], &all[1], 2.4);
    over += bench_ratio(&all[5], &all[2], 1.2);
    return over + check_count(&all[0], data) + check_count(&all[1], data);
}

static void bench_compression(const struct data *data)
{
    int fd = memfd_create("profile", 0);
    const char *arguments[] = {
        fxt2pprof,  "-q", "--region-size", data->region_size, "--no-gzip",
        data->file, NULL};

    bench_command(arguments, fd);
    compress_bench(fd);
    close(fd);
}

static double wall_seconds(uint64_t (*run_it)(void *), void *context)
{
    struct timespec start;
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &start);
    run_it(context);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) +
           (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

/* The shorter of the two is what can be had where others use the processors too. */
static int bench_threads(const char *what, struct data *data, uint64_t (*by_one)(void *),
                         uint64_t (*by_two)(void *))
{
    double one = 1e9;
    double two = 1e9;

    for (int i = 0; i < WALL_ROUNDS; i++) {
        double seconds = wall_seconds(by_one, data);

        one = seconds < one ? seconds : one;
        seconds = wall_seconds(by_two, data);
        two = seconds < two ? seconds : two;
    }
    printf("  %s: %.3f s by one thread, %.3f s by two\n", what, one, two);
    return limit("two threads / one, time passed", two / one, 1);
}

static int bench_symbols(void)
{
    struct data data = make_data((struct samples_shape){.mib = SYMBOLIZED_MIB});
    double shortest = 1e9;

    snprintf(data.elf, sizeof(data.elf), "--elf=/proc/self/fd/%d", samples_make_elf());
    for (int i = 0; i < WALL_ROUNDS; i++) {
        double start = bench_cpu_seconds();

        convert(&data, fxt2folded, "1", data.elf);
        start = bench_cpu_seconds() - start;
        shortest = start < shortest ? start : shortest;
    }
    close(data.samples.fd);
    return limit("symbolized, seconds", shortest, 1);
}

int main(int argc, char **argv)
{
    size_t mib = argc > 4 ? strtoul(argv[4], NULL, 10) : 1024;
    struct data data;
    int over;

    if (argc < 4 || mib < MIB_MIN || mib > 65536) {
        fputs("usage: bench_profile FXT2FOLDED FXT2PPROF FXTREPORT [MIB]\n", stderr);
        return 2;
    }
    fxt2folded = argv[1];
    fxt2pprof = argv[2];
    fxtreport = argv[3];
    data = make_data((struct samples_shape){.mib = mib});
    over = bench_memory(&data);
    over += bench_symbols();
    map_data(&data);
    over += bench_cpu(&data);
    bench_compression(&data);
    over += bench_threads("folded", &data, to_folded, to_folded_by_two);
    over += bench_threads("pprof", &data, to_pprof, to_pprof_by_two);
    munmap((void *)(uintptr_t)data.words, data.samples.size);
    over += bench_stacks(10, 1.5);
    over += bench_stacks(10000, 1.4);
    over += bench_stacks(310000, 2.8);
    over += bench_stacks(1000000, 3.5);
    return over > 0;
}
