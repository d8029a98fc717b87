/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a timeline of a million samples takes, and how much memory, beside reading the
 * same samples and writing as many bytes.
 *
 * Usage: bench_timeline CONVERTER [OUTPUT]
 *
 * The base reads the archive's records with libfxt, looks at each sample, and writes the
 * output's size in zeros. Both read from and write to files in memory, and neither
 * compresses; but with OUTPUT, a name that says what is written, the converter writes to
 * that file, and compresses what that format does (of pages, not the samples).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "tests/support/pick.h"

enum {
    N_SAMPLES = 1000000,
    N_STACKS = 20000,
    N_PCS = 16,
    N_THREADS = 16,
    RECORD_WORDS = 4 + N_PCS,
    SAMPLE_BYTES = 32,
    BLOCK = 1 << 20
};

static const char *converter;
/* NULL for standard output. */
static const char *output_name;

struct data {
    int archive;
    char file[32];
    int output;
    uint64_t output_size;
    uint64_t peak_bytes;
};

/* ---- The archive ------------------------------------------------------------------- */

/* Stacks are a tree: the nearer to the root, the more stacks have a PC. */
static void make_sample(uint64_t *words, uint64_t number)
{
    uint64_t stack = pick(N_STACKS);

    words[0] =
        FXT_PUT(RECORD_TYPE, FXT_RECORD_PROFILER) | FXT_PUT(RECORD_WORDS, RECORD_WORDS) |
        FXT_PUT(PROFILER_TYPE, FXT_PROFILER_BACKTRACE) | FXT_PUT(BACKTRACE_PCS, N_PCS);
    words[1] = 1000000 + number * 62500 + pick(1000);
    words[2] = 1;
    words[3] = 2 + stack % N_THREADS;
    for (uint64_t i = 0; i < N_PCS; i++)
        words[4 + i] = 0x10000 + (i * 4001 + (stack >> i)) % 65536 * 16;
}

static int make_archive(void)
{
    static const uint64_t magic = FXT_MAGIC_RECORD;
    static uint64_t words[1000 * RECORD_WORDS];
    int fd = memfd_create("archive", 0);

    bench_write(fd, &magic, sizeof(magic));
    for (uint64_t i = 0; i < N_SAMPLES; i += 1000) {
        for (uint64_t j = 0; j < 1000; j++)
            make_sample(words + j * RECORD_WORDS, i + j);
        bench_write(fd, words, sizeof(words));
    }
    return fd;
}

/* ---- Reading and writing ----------------------------------------------------------- */

static int count_sample(void *context, const struct fxt_record *record)
{
    struct fxt_sample sample;

    *(uint64_t *)context += fxt_sample_from_record(record, &sample) == FXT_SAMPLE_STACK;
    return 0;
}

static void read_all(int fd, struct fxt_reader *reader)
{
    static char block[BLOCK];
    size_t rest = 0;
    ssize_t n;

    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block + rest, sizeof(block) - rest)) > 0) {
        struct fxt_chunk chunk = {block, rest + (size_t)n, 0};

        fxt_reader_read(reader, &chunk);
        rest = chunk.size - chunk.pos;
        memmove(block, block + chunk.pos, rest);
    }
}

static void empty_output(const struct data *data)
{
    if (ftruncate(data->output, 0) != 0 || lseek(data->output, 0, SEEK_SET) != 0)
        exit(EXIT_FAILURE);
}

static void write_zeros(const struct data *data)
{
    static char block[BLOCK];

    empty_output(data);
    for (uint64_t left = data->output_size; left > 0;) {
        size_t size = left < BLOCK ? (size_t)left : BLOCK;

        bench_write(data->output, block, size);
        left -= size;
    }
}

static uint64_t read_and_write(void *context)
{
    const struct data *data = (const struct data *)context;
    uint64_t n = 0;
    struct fxt_reader_options options = {
        .size = sizeof(options), .on_record = count_sample, .context = &n};
    struct fxt_reader *reader;

    if (fxt_reader_create(&options, &reader) != FXT_OK)
        exit(EXIT_FAILURE);
    read_all(data->archive, reader);
    fxt_reader_destroy(reader);
    write_zeros(data);
    return n;
}

/* ---- The timeline ------------------------------------------------------------------ */

static uint64_t to_timeline(void *context)
{
    struct data *data = (struct data *)context;
    const char *arguments[] = {converter,   "-q", data->file, output_name ? "-o" : NULL,
                               output_name, NULL};
    struct rusage usage;
    struct stat output;

    empty_output(data);
    usage = bench_command(arguments, data->output);
    if ((output_name != NULL ? stat(output_name, &output)
                             : fstat(data->output, &output)) != 0)
        exit(EXIT_FAILURE);
    data->output_size = (uint64_t)output.st_size;
    data->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    return data->output_size;
}

/* What a program needs for itself does not count. */
static int check_memory(const struct data *data)
{
    enum { PROGRAM = 16 << 20, PER_STACK_BYTE = 4 };
    uint64_t stack_bytes = (uint64_t)N_STACKS * N_PCS * sizeof(uint64_t);
    uint64_t limit =
        PROGRAM + PER_STACK_BYTE * stack_bytes + (uint64_t)SAMPLE_BYTES * N_SAMPLES;

    printf("  peak memory %" PRIu64 " KiB (limit %" PRIu64
           ": 4 times the stacks, and %d bytes a sample): %s\n",
           data->peak_bytes / 1024, limit / 1024, SAMPLE_BYTES,
           data->peak_bytes <= limit ? "ok" : "OVER");
    return data->peak_bytes <= limit ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct bench_candidate all[] = {
        {.name = "read, and write as much", .run = read_and_write},
        {.name = "to a timeline", .run = to_timeline},
    };
    struct data data = {.output = memfd_create("timeline", 0)};
    int over;

    if (argc != 2 && argc != 3) {
        fputs("usage: bench_timeline CONVERTER [OUTPUT]\n", stderr);
        return 2;
    }
    converter = argv[1];
    output_name = argv[2];
    data.archive = make_archive();
    snprintf(data.file, sizeof(data.file), "/proc/self/fd/%d", data.archive);
    to_timeline(&data);
    printf("%d samples of %d stacks, to %" PRIu64 " bytes\n", N_SAMPLES, N_STACKS,
           data.output_size);
    over = check_memory(&data);
    bench_run(all, 2, &data);
    bench_print(all, 2, N_SAMPLES, "a sample");
    over += bench_ratio(&all[1], &all[0], 3.0);
    if (all[0].result != N_SAMPLES) {
        printf("  %" PRIu64 " samples were read\n", all[0].result);
        over++;
    }
    return over > 0;
}
