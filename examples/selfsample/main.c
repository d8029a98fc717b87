/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selfsample: a program that samples itself. Some threads work; a timer interrupts each,
 * and a signal handler writes the stack that it finds to a region, as a kernel's sampler
 * would. What they did is measured too, so that the samples can be compared with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "results.h"
#include "sampler.h"
#include "work.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A period that divides the kernel's tick (1, 4 or 10 ms), or the other way round, would
 * fall in step with it: each slice of time that a thread gets would be sampled at the
 * same moments. A prime number of microseconds does not. */
enum { DEFAULT_PERIOD_US = 997 };

struct options {
    uint64_t period_us;
    uint64_t region_bytes;
    uint64_t seconds;
    uint64_t n_threads;
    const char *directory;
};

struct thread {
    pthread_t handle;
    struct run *run;
    struct work *work;
    struct sampled_thread sampled;
    /* Why it could not be sampled. */
    int error;
};

struct run {
    struct options options;
    struct regions regions;
    struct sampler sampler;
    struct thread *threads;
    unsigned n_threads;
    /* The time is over, or a thread could not be sampled. */
    atomic_bool stop;
};

static bool fail(const char *what, int error)
{
    fprintf(stderr, "selfsample: %s: %s\n", what, strerror(error));
    return false;
}

/* ---- Options ----------------------------------------------------------------------- */

static void print_usage(FILE *file)
{
    fputs(
        "usage: selfsample [-p PERIOD_US] [-s REGION_BYTES] [-d SECONDS] [-j THREADS] "
        "DIR\n"
        "\n"
        "Works for a while in some threads, samples their stacks, and leaves in DIR a\n"
        "region of FXT records for each CPU (cpu0.bin, ...), its memory map (maps) and\n"
        "the CPU time that was measured (truth.json).\n"
        "\n"
        "  -p PERIOD_US     time between samples of a thread (997; at least 50)\n"
        "  -s REGION_BYTES  size of each CPU's region (4194304; at least 8)\n"
        "  -d SECONDS       how long (2)\n"
        "  -j THREADS       how many threads (4)\n"
        "  -h               this help\n",
        file);
}

/* A decimal number and nothing else. */
static bool take_number(char option, const char *text, uint64_t low, uint64_t high,
                        uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >= low &&
        *value <= high)
        return true;
    fprintf(stderr,
            "selfsample: -%c takes a number from %" PRIu64 " to %" PRIu64
            ", which '%s' is not\n",
            option, low, high, text);
    return false;
}

static bool take_option(int option, const char *value, struct options *options)
{
    switch (option) {
    case 'p':
        /* Less, and a thread would do nothing but take signals. */
        return take_number('p', value, 50, 1000000, &options->period_us);
    case 's':
        return take_number('s', value, 8, SIZE_MAX / 2, &options->region_bytes);
    case 'd':
        return take_number('d', value, 1, 86400, &options->seconds);
    case 'j':
        return take_number('j', value, 1, 1024, &options->n_threads);
    default:
        return false;
    }
}

/* Returns the exit status, or -1 to continue. */
static int take_options(int argc, char **argv, struct options *options)
{
    int option;

    *options = (struct options){DEFAULT_PERIOD_US, 4 << 20, 2, 4, NULL};
    while ((option = getopt(argc, argv, "p:s:d:j:h")) != -1) {
        if (option == 'h') {
            print_usage(stdout);
            return 0;
        }
        if (!take_option(option, optarg, options))
            return EXIT_USAGE;
    }
    if (optind + 1 != argc) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    options->directory = argv[optind];
    return -1;
}

/* ---- The run ----------------------------------------------------------------------- */

static void *run_thread(void *context)
{
    struct thread *thread = context;

    if (!sampler_start_thread(&thread->run->sampler, &thread->sampled)) {
        thread->error = errno;
        atomic_store(&thread->run->stop, true);
        return NULL;
    }
    work_until_stopped(thread->work, &thread->run->stop);
    sampler_stop_thread(&thread->sampled);
    return NULL;
}

static bool start_threads(struct run *run)
{
    for (; run->n_threads < run->options.n_threads; run->n_threads++) {
        struct thread *thread = &run->threads[run->n_threads];
        int error;

        thread->run = run;
        thread->work = work_create(run->n_threads);
        if (thread->work == NULL)
            return fail("work", ENOMEM);
        error = pthread_create(&thread->handle, NULL, run_thread, thread);
        if (error != 0) {
            work_free(thread->work);
            return fail("thread", error);
        }
    }
    return true;
}

static void wait_for_end(struct run *run)
{
    const struct timespec slice = {.tv_nsec = 10000000};
    struct timespec now;
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)run->options.seconds;
    do {
        nanosleep(&slice, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!atomic_load(&run->stop) &&
             (now.tv_sec < end.tv_sec ||
              (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
}

static bool stop_threads(struct run *run)
{
    bool good = true;

    atomic_store(&run->stop, true);
    for (unsigned i = 0; i < run->n_threads; i++) {
        struct thread *thread = &run->threads[i];

        pthread_join(thread->handle, NULL);
        if (thread->error != 0) {
            good = good && fail("timer of a thread", thread->error);
        } else if (!work_is_right(thread->work)) {
            fprintf(stderr, "selfsample: the work of thread %u came out wrong\n", i);
            good = false;
        }
    }
    return good;
}

static bool run_all(struct run *run)
{
    bool good;

    if (!regions_create(&run->regions, run->options.region_bytes))
        return fail("regions", errno);
    if (!sampler_init(&run->sampler, &run->regions, run->options.period_us * 1000))
        return fail("signal handler", errno);
    good = start_threads(run);
    if (good)
        wait_for_end(run);
    return stop_threads(run) && good;
}

/* ---- Results ----------------------------------------------------------------------- */

static void print_summary(const struct run *run, const struct results *results)
{
    struct sample_counts counts = results_counts(results);
    struct truth truth = results_truth(results);
    uint64_t total = truth.cpu_ns[PHASE_WORK_UNTIL_STOPPED];

    printf("%u threads, %" PRIu64 " s, a sample of each every %" PRIu64 " us\n",
           results->n_threads, run->options.seconds, run->options.period_us);
    printf("%" PRIu64 " signals: %" PRIu64 " samples written; %" PRIu64
           " skipped as late, with %" PRIu64 " merged into them\n",
           counts.signals, counts.written, counts.skipped_late, counts.merged);
    printf("dropped: %" PRIu64 " region full, %" PRIu64 " region busy, %" PRIu64
           " no region\n\n",
           counts.dropped_full, counts.dropped_busy, counts.dropped_no_region);
    printf("%-20s %10s %12s %8s\n", "measured", "calls", "cpu ms", "share");
    for (unsigned phase = 0; phase < N_PHASES; phase++)
        printf("%-20s %10" PRIu64 " %12" PRIu64 " %6.1f %%\n", work_phase_name(phase),
               truth.n_calls[phase], truth.cpu_ns[phase] / 1000000,
               100.0 * (double)truth.cpu_ns[phase] / (double)total);
    printf("\nleft in %s\n", run->options.directory);
}

static bool tell_results(struct run *run)
{
    struct results_thread *threads = calloc(run->n_threads, sizeof(*threads));
    struct results results = {&run->sampler, threads, run->n_threads};
    bool good;

    if (threads == NULL)
        return fail("results", ENOMEM);
    for (unsigned i = 0; i < run->n_threads; i++)
        threads[i] = (struct results_thread){&run->threads[i].sampled,
                                             work_truth(run->threads[i].work)};
    good = results_write(run->options.directory, &results);
    if (good)
        print_summary(run, &results);
    free(threads);
    return good;
}

static void free_run(struct run *run)
{
    for (unsigned i = 0; i < run->n_threads; i++)
        work_free(run->threads[i].work);
    free(run->threads);
    regions_destroy(&run->regions);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    int status = take_options(argc, argv, &run.options);
    bool good;

    if (status >= 0)
        return status;
    if (!results_prepare(run.options.directory))
        return EXIT_FAILED;
    run.threads = calloc(run.options.n_threads, sizeof(*run.threads));
    good = run.threads != NULL ? run_all(&run) : fail("threads", ENOMEM);
    good = good && tell_results(&run);
    free_run(&run);
    if (fflush(stdout) != 0)
        good = fail("standard output", errno);
    return good ? 0 : EXIT_FAILED;
}
