/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workload: a program to sample, which knows where its time goes. Each of its threads
 * does four kinds of work by turns, measures the CPU time of each by its own clock, and
 * at the end all of it is printed as JSON:
 *
 *     hash_blocks      a loop whose inner part, mix, is inlined
 *     solve_queens     recursion
 *     sort_numbers     calls through a pointer
 *     read_zeros       work in the kernel
 *
 *     workload [-j THREADS] [-s SECONDS | -n ROUNDS]
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* On every function that a stack should show. A copy of a function that the compiler made
 * for some arguments would have another name. */
#if defined(__clang__)
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

enum { N_NUMBERS = 2048, N_BLOCKS = 1536, ZEROS = 1 << 18, BOARD = 6, MAX_THREADS = 64 };

enum phase { HASH_BLOCKS, SOLVE_QUEENS, SORT_NUMBERS, READ_ZEROS, N_PHASES };

static const char *const phase_names[N_PHASES] = {"hash_blocks", "solve_queens",
                                                  "sort_numbers", "read_zeros"};

struct worker {
    pthread_t thread;
    /* It works until then, or so many rounds if that is not 0. */
    uint64_t end_ns;
    uint64_t n_rounds;
    uint64_t cpu_ns[N_PHASES];
    /* Results, so that no compiler leaves the work out. */
    uint64_t hash;
    unsigned n_solutions;
    uint32_t numbers[N_NUMBERS];
    unsigned char zeros[ZEROS];
    int zero_file;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- The work ---------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static OWN_FRAME void hash_blocks(struct worker *w)
{
    uint64_t hash = w->hash;

    for (unsigned block = 0; block < N_BLOCKS; block++) {
        for (unsigned i = 0; i < 64; i++)
            hash = mix(hash, i * block);
    }
    w->hash = hash;
}

/* A queen in each row from `row` on; taken columns and diagonals are bits. */
static OWN_FRAME unsigned place_queens(unsigned row, unsigned columns, unsigned left,
                                       unsigned right)
{
    unsigned n = 0;

    if (row == BOARD)
        return 1;
    for (unsigned column = 0; column < BOARD; column++) {
        unsigned bit = 1u << column;

        if (((columns | left | right) & bit) == 0)
            n += place_queens(row + 1, columns | bit, (left | bit) << 1,
                              (right | bit) >> 1);
    }
    return n;
}

static OWN_FRAME void solve_queens(struct worker *w)
{
    for (unsigned i = 0; i < 40; i++)
        w->n_solutions += place_queens(0, 0, 0, 0);
}

typedef bool before_function(uint32_t a, uint32_t b);

static OWN_FRAME bool is_less(uint32_t a, uint32_t b)
{
    return a < b;
}

/* By the gaps of Ciura. */
static OWN_FRAME void sort(uint32_t *numbers, unsigned n, before_function *is_before)
{
    static const unsigned gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};

    for (unsigned g = 0; g < sizeof(gaps) / sizeof(gaps[0]); g++) {
        unsigned gap = gaps[g];

        for (unsigned i = gap; i < n; i++) {
            uint32_t number = numbers[i];
            unsigned j = i;

            for (; j >= gap && is_before(number, numbers[j - gap]); j -= gap)
                numbers[j] = numbers[j - gap];
            numbers[j] = number;
        }
    }
}

static OWN_FRAME void sort_numbers(struct worker *w)
{
    uint64_t state = w->hash | 1;

    for (unsigned i = 0; i < N_NUMBERS; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        w->numbers[i] = (uint32_t)(state >> 32);
    }
    sort(w->numbers, N_NUMBERS, is_less);
}

/* The C library has no frame record here, so a walk misses its caller: this function. */
static OWN_FRAME void read_piece(struct worker *w)
{
    if (read(w->zero_file, w->zeros, sizeof(w->zeros)) < 0)
        w->hash++;
}

static OWN_FRAME void read_zeros(struct worker *w)
{
    for (unsigned i = 0; i < 24; i++)
        read_piece(w);
}

/* ---- Threads ----------------------------------------------------------------------- */

static void (*const phases[N_PHASES])(struct worker *) = {hash_blocks, solve_queens,
                                                          sort_numbers, read_zeros};

static OWN_FRAME void do_round(struct worker *w)
{
    uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);

    for (unsigned phase = 0; phase < N_PHASES; phase++) {
        uint64_t after;

        phases[phase](w);
        after = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        w->cpu_ns[phase] += after - before;
        before = after;
    }
}

static void *run_worker(void *context)
{
    struct worker *w = context;

    pthread_setname_np(pthread_self(), "worker");
    for (uint64_t n = 0;
         w->n_rounds != 0 ? n < w->n_rounds : clock_ns(CLOCK_MONOTONIC) < w->end_ns; n++)
        do_round(w);
    return NULL;
}

/* ---- The program ------------------------------------------------------------------- */

static bool run(struct worker *workers, unsigned n, double seconds, uint64_t n_rounds)
{
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
    int zero_file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    if (zero_file < 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        workers[i].end_ns = end_ns;
        workers[i].n_rounds = n_rounds;
        workers[i].zero_file = zero_file;
        if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0)
            return false;
    }
    for (unsigned i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    close(zero_file);
    return true;
}

static void print_truth(const struct worker *workers, unsigned n)
{
    uint64_t total = 0;

    printf("{\"threads\": %u", n);
    for (unsigned phase = 0; phase < N_PHASES; phase++) {
        uint64_t sum = 0;

        for (unsigned i = 0; i < n; i++)
            sum += workers[i].cpu_ns[phase];
        printf(", \"%s\": %" PRIu64, phase_names[phase], sum);
        total += sum;
    }
    printf(", \"total\": %" PRIu64 "}\n", total);
}

int main(int argc, char **argv)
{
    unsigned long n = 4;
    double seconds = 2;
    uint64_t n_rounds = 0;
    struct worker *workers;
    int option;

    while ((option = getopt(argc, argv, "j:n:s:")) != -1) {
        if (option == 'j')
            n = strtoul(optarg, NULL, 10);
        else if (option == 'n')
            n_rounds = strtoull(optarg, NULL, 10);
        else if (option == 's')
            seconds = strtod(optarg, NULL);
        else
            n = 0;
    }
    if (n == 0 || n > MAX_THREADS || !(seconds > 0) || optind != argc) {
        fprintf(stderr, "usage: workload [-j THREADS] [-s SECONDS | -n ROUNDS]\n");
        return 2;
    }
    workers = calloc(n, sizeof(*workers));
    if (workers == NULL || !run(workers, (unsigned)n, seconds, n_rounds)) {
        fprintf(stderr, "workload: %s\n", strerror(errno));
        return 1;
    }
    print_truth(workers, (unsigned)n);
    free(workers);
    return 0;
}
