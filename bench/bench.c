/* SPDX-License-Identifier: BSD-2-Clause */
/* See bench.h. */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

double bench_cpu_seconds(void)
{
    struct rusage children;

    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) + usage_ns(&children)) * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void sum_up(struct bench_candidate *candidate)
{
    double sorted[BENCH_ROUNDS];

    memcpy(sorted, candidate->seconds, sizeof(sorted));
    qsort(sorted, BENCH_ROUNDS, sizeof(sorted[0]), compare);
    candidate->minimum = sorted[0];
    candidate->median = sorted[BENCH_ROUNDS / 2];
}

/* How long a candidate takes when it has just been run. The first run has the caches of
 * the previous candidate, and memory that the host of a virtual machine has reclaimed,
 * which may take longer to get back than everything else. */
static double run_again(struct bench_candidate *candidate, void *context)
{
    double start;

    candidate->run(context);
    start = bench_cpu_seconds();
    candidate->result = candidate->run(context);
    return bench_cpu_seconds() - start;
}

static void print_processor(void)
{
    static const char word[] = "model name";
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        const char *value = strchr(line, ':');

        if (strncmp(line, word, sizeof(word) - 1) == 0 && value != NULL) {
            printf("processor%s", value);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

void bench_run(struct bench_candidate *candidates, int n, void *context)
{
    static bool is_printed;

    if (!is_printed)
        print_processor();
    is_printed = true;
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        for (int i = 0; i < n; i++)
            candidates[i].seconds[round] = run_again(&candidates[i], context);
    }
    for (int i = 0; i < n; i++)
        sum_up(&candidates[i]);
}

void bench_print(const struct bench_candidate *candidates, int n, double n_items,
                 const char *item)
{
    for (int i = 0; i < n; i++) {
        const struct bench_candidate *c = &candidates[i];

        printf("  %-36s %7.1f ns %s (median %.1f), %5.2f times %s (median %.2f)\n",
               c->name, c->minimum / n_items * 1e9, item, c->median / n_items * 1e9,
               c->minimum / candidates[0].minimum, candidates[0].name,
               c->median / candidates[0].median);
    }
}

int bench_ratio(const struct bench_candidate *candidate,
                const struct bench_candidate *base, double limit)
{
    double ratio = candidate->median / base->median;

    printf("  %s / %s: %.3f (limit %.2f): %s\n", candidate->name, base->name, ratio,
           limit, ratio <= limit ? "ok" : "OVER");
    return ratio <= limit ? 0 : 1;
}

struct rusage bench_command(const char *const *arguments, int output)
{
    struct rusage usage;
    int status;
    pid_t pid = vfork();

    if (pid == 0) {
        if (output >= 0)
            dup2(output, STDOUT_FILENO);
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(EXIT_FAILURE);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status != 0) {
        fprintf(stderr, "%s failed\n", arguments[0]);
        exit(EXIT_FAILURE);
    }
    return usage;
}

void bench_write(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t n = write(fd, next, size);

        if (n < 0) {
            perror("write");
            exit(EXIT_FAILURE);
        }
        next += n;
        size -= (size_t)n;
    }
}
