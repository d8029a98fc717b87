/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast fxtdump is as a program, from its start to its end, beside what reads the same
 * file and does less.
 *
 * Usage: bench_fxtdump FXTDUMP [MIB]     the size of the region; 1024 by default
 *
 * On an AMD EPYC, --stats takes 1.2 to 1.4 times a hop through a region, 1.7 times
 * decoding short events, and 1.5 times decoding a general archive that has no context
 * switches; with one in five records it is 2.0 to 2.07. Of less than 100 MiB it is more:
 * the first use of the memory in which switches are sorted by time takes some 10 ms.
 *
 * The files are in memory (/dev/shm, else $TMPDIR or /tmp), and output goes to /dev/null.
 *
 * fxtdump uses one thread. Of an archive of 64 MiB it writes 203 MiB of text or 467 MiB
 * of JSON in 0.66 s; in a pipe, grep -c takes 1.2 and 1.6 s with it, sed 1.0 and 2.7 s,
 * awk 1.1 and 1.6 s, jq 25 s, and a file 1.0 and 1.1 s: only wc -l keeps up with it. A
 * second thread would have nothing to gain there. It would need what strings and threads
 * are registered where its part begins, and would have to hold its output until the first
 * part's is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fxt/fxt.h>

#include "bench.h"
#include "traces.h"

extern char **environ;

static char *self;
static char *fxtdump;

static void fail(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* ---- The bases: programs that read a file and do less ------------------------------ */

enum { READ_PIECE = 1 << 18, PAGE = 4096 };

static char *make_buffer(void)
{
    char *buffer = (char *)aligned_alloc(PAGE, READ_PIECE);

    if (buffer == NULL)
        fail("memory");
    return buffer;
}

/* Goes from header to header of a region of large blobs. Reading alone would be no base:
 * how fast memory is copied and how fast records are decoded differ between processors
 * each for itself. */
static int hop_file(int fd)
{
    char *buffer = make_buffer();
    const uint64_t *words = (const uint64_t *)(const void *)buffer;
    uint64_t pos = 0;
    ssize_t n;

    while ((n = read(fd, buffer, READ_PIECE)) > 0) {
        uint64_t n_words = (uint64_t)n / FXT_WORD_BYTES;

        while (pos < n_words && words[pos] != 0)
            pos += FXT_GET(words[pos], LARGE_WORDS);
        if (pos < n_words)
            break;
        pos -= n_words;
    }
    return EXIT_SUCCESS;
}

/* Each record is decoded. */
static int parse_file(int fd)
{
    struct fxt_reader_options options = {.size = sizeof(options)};
    char *buffer = make_buffer();
    struct fxt_chunk chunk = {buffer, 0, 0};
    struct fxt_reader *reader;
    ssize_t n;

    if (fxt_reader_create(&options, &reader) != FXT_OK)
        fail("reader");
    while ((n = read(fd, buffer + chunk.size, READ_PIECE - chunk.size)) > 0) {
        chunk.size += (size_t)n;
        fxt_reader_read(reader, &chunk);
        chunk.size -= chunk.pos;
        memmove(buffer, buffer + chunk.pos, chunk.size);
        chunk.pos = 0;
    }
    fxt_reader_destroy(reader);
    return EXIT_SUCCESS;
}

/* ---- Files ------------------------------------------------------------------------- */

struct input {
    char name[4096];
    uint64_t size;
    uint64_t n_records;
    /* The largest peak of memory of all programs that ran on it, in KiB. */
    long max_kib;
};

static const char *folder(void)
{
    const char *tmpdir = getenv("TMPDIR");

    if (access("/dev/shm", W_OK) == 0)
        return "/dev/shm";
    return tmpdir != NULL ? tmpdir : "/tmp";
}

/* Makes a file in a separate process: the peak memory of a program counts as that of its
 * children, too, which start as copies of it. */
static struct input make_input(struct trace (*make)(size_t mib), size_t mib)
{
    struct input input = {.max_kib = 0};
    int pipe_ends[2];
    pid_t child = -1;
    int fd;

    snprintf(input.name, sizeof(input.name), "%s/bench_fxtdump.XXXXXX", folder());
    fd = mkstemp(input.name);
    if (fd < 0 || pipe(pipe_ends) != 0 || (child = fork()) < 0)
        fail(input.name);
    if (child == 0) {
        struct trace trace = make(mib);

        bench_write(fd, trace.words, trace.n_words * sizeof(*trace.words));
        bench_write(pipe_ends[1], &trace.n_records, sizeof(trace.n_records));
        _exit(EXIT_SUCCESS);
    }
    close(pipe_ends[1]);
    if (read(pipe_ends[0], &input.n_records, sizeof(input.n_records)) !=
        (ssize_t)sizeof(input.n_records)) {
        unlink(input.name);
        fail("making a trace");
    }
    close(pipe_ends[0]);
    waitpid(child, NULL, 0);
    input.size = (uint64_t)lseek(fd, 0, SEEK_END);
    close(fd);
    return input;
}

/* ---- Programs ---------------------------------------------------------------------- */

static char option_hop[] = "--hop";
static char option_parse[] = "--parse";
static char option_stats[] = "--stats";
static char option_json[] = "--json";
static char option_hex[] = "--hex";
static char xxd[] = "xxd";

/* Runs a program on the input, with its output into the open file `output` or, where that
 * is -1, nowhere. Returns false if it is xxd and not installed. */
static bool run(struct input *input, char *program, char *option, int output)
{
    char *const with_option[] = {program, option, input->name, NULL};
    char *const without[] = {program, input->name, NULL};
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t child;
    int status;

    posix_spawn_file_actions_init(&actions);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                         0);
    status = posix_spawnp(&child, program, &actions, NULL,
                          option != NULL ? with_option : without, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status == ENOENT && program == xxd)
        return false;
    if (status != 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        fprintf(stderr, "%s failed\n", program);
        unlink(input->name);
        exit(EXIT_FAILURE);
    }
    if (usage.ru_maxrss > input->max_kib)
        input->max_kib = usage.ru_maxrss;
    return true;
}

static uint64_t run_hop(void *context)
{
    return run((struct input *)context, self, option_hop, -1);
}

static uint64_t run_parse(void *context)
{
    return run((struct input *)context, self, option_parse, -1);
}

static uint64_t run_stats(void *context)
{
    return run((struct input *)context, fxtdump, option_stats, -1);
}

static uint64_t run_json(void *context)
{
    return run((struct input *)context, fxtdump, option_json, -1);
}

static uint64_t run_hex(void *context)
{
    return run((struct input *)context, fxtdump, option_hex, -1);
}

static uint64_t run_xxd(void *context)
{
    return run((struct input *)context, xxd, NULL, -1);
}

/* ---- Comparisons ------------------------------------------------------------------- */

static int bench_stats(const char *what, struct trace (*make)(size_t mib), size_t mib,
                       struct bench_candidate base, double limit)
{
    struct input input = make_input(make, mib);
    struct bench_candidate both[] = {
        base,
        {.name = "fxtdump --stats", .run = run_stats},
    };

    printf("fxtdump --stats, %s of %" PRIu64 " records\n", what, input.n_records);
    bench_run(both, 2, &input);
    bench_print(both, 2, (double)input.n_records, "a record");
    unlink(input.name);
    return bench_ratio(&both[1], &both[0], limit);
}

static int bench_all_stats(size_t mib)
{
    struct bench_candidate hopping = {.name = "read(2) and hop", .run = run_hop};
    struct bench_candidate parsing = {.name = "decoding", .run = run_parse};
    int over = 0;

    over += bench_stats("region", traces_region, mib, hopping, 2.0);
    over += bench_stats("region of mixed depths", traces_mixed_region, mib, hopping, 1.7);
    over += bench_stats("archive", traces_archive, mib / 4 + 1, parsing, 2.0);
    over += bench_stats("archive of short events", traces_short_events, mib / 4 + 1,
                        parsing, 2.0);
    return over;
}

static uint64_t size_of_json(struct input *input)
{
    char name[sizeof(input->name) + 8];
    off_t size;
    int fd;

    snprintf(name, sizeof(name), "%s.json", input->name);
    fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        fail(name);
    unlink(name);
    run(input, fxtdump, option_json, fd);
    size = lseek(fd, 0, SEEK_END);
    close(fd);
    return (uint64_t)size;
}

static int must_hold(const char *what, double value, const char *unit, bool holds,
                     double limit)
{
    printf("  %s: %.1f %s (limit %.1f): %s\n", what, value, unit, limit,
           holds ? "ok" : "OVER");
    return !holds;
}

static int bench_json(size_t mib)
{
    struct input small = make_input(traces_archive, mib / 4 > 0 ? mib / 4 : 1);
    struct input input = make_input(traces_archive, mib);
    struct bench_candidate json = {.name = "fxtdump --json", .run = run_json};
    double rate;
    double growth;
    int over = 0;

    printf("fxtdump --json, archive of %" PRIu64 " records\n", input.n_records);
    bench_run(&json, 1, &input);
    bench_print(&json, 1, (double)input.n_records, "a record");
    rate = (double)size_of_json(&input) / json.median * 1e-6;
    over += must_hold("output", rate, "MB/s", rate >= 150, 150);
    run_json(&small);
    growth = (double)(input.max_kib - small.max_kib);
    printf("  peak memory: %ld KiB for %" PRIu64 " MiB, %ld KiB for %" PRIu64 " MiB\n",
           small.max_kib, small.size >> 20, input.max_kib, input.size >> 20);
    over += must_hold("growth of the peak", growth, "KiB", growth <= 512, 512);
    unlink(small.name);
    unlink(input.name);
    return over;
}

static int bench_hex(size_t mib)
{
    struct input input = make_input(traces_region, mib);
    struct bench_candidate both[] = {
        {.name = "xxd", .run = run_xxd},
        {.name = "fxtdump --hex", .run = run_hex},
    };
    int over = 0;

    printf("fxtdump --hex, region of %" PRIu64 " words\n", input.size / 8);
    if (run_xxd(&input)) {
        bench_run(both, 2, &input);
        bench_print(both, 2, (double)input.size / 8, "a word");
        over = bench_ratio(&both[1], &both[0], 0.1);
    } else {
        printf("  xxd is not installed: there is nothing to compare with\n");
    }
    unlink(input.name);
    return over;
}

int main(int argc, char **argv)
{
    size_t mib = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    int over;

    self = argv[0];
    if (argc == 3 &&
        (strcmp(argv[1], option_hop) == 0 || strcmp(argv[1], option_parse) == 0)) {
        int fd = open(argv[2], O_RDONLY);

        if (fd < 0)
            fail(argv[2]);
        return strcmp(argv[1], option_hop) == 0 ? hop_file(fd) : parse_file(fd);
    }
    if (argc < 2 || argc > 3 || mib == 0 || mib > 65536) {
        fputs("usage: bench_fxtdump FXTDUMP [MIB]\n", stderr);
        return 2;
    }
    fxtdump = argv[1];
    over = bench_all_stats(mib);
    over += bench_json(mib / 8 > 0 ? mib / 8 : 1);
    over += bench_hex(mib / 16 > 0 ? mib / 16 : 1);
    return over > 0;
}
