/* SPDX-License-Identifier: BSD-2-Clause */
/* See work.h. */
#include "work.h"

#include <stdlib.h>

/* On every function that a stack should show. A copy of a function that the compiler made
 * for some arguments would have another name. */
#if defined(__clang__)
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

enum { N_NUMBERS = 1 << 14, N_TURNS = 32, N_QUEENS = 10 };

struct work {
    struct truth truth;
    uint64_t seed;
    /* What hash_numbers found at first. */
    uint64_t hash;
    bool wrong;
    /* How much of what a round has. */
    unsigned n_lists;
    unsigned n_hashes;
    unsigned n_boards;
    uint32_t numbers[N_NUMBERS];
};

/* ---- Numbers ----------------------------------------------------------------------- */

static OWN_FRAME void make_numbers(struct work *work)
{
    uint64_t begun = phase_begin();
    uint64_t random = work->seed;

    for (unsigned i = 0; i < N_NUMBERS; i++) {
        for (unsigned turn = 0; turn < N_TURNS; turn++)
            random = random * 6364136223846793005 + 1442695040888963407;
        work->numbers[i] = (uint32_t)(random >> 32);
    }
    phase_end(&work->truth, PHASE_MAKE_NUMBERS, begun);
}

static OWN_FRAME void hash_numbers(struct work *work)
{
    uint64_t begun = phase_begin();
    uint64_t hash = 0;

    for (unsigned turn = 0; turn < N_TURNS; turn++) {
        for (unsigned i = 0; i < N_NUMBERS; i++) {
            hash = (hash ^ work->numbers[i]) * 0x9e3779b97f4a7c15;
            hash ^= hash >> 29;
        }
    }
    if (work->hash == 0)
        work->hash = hash;
    work->wrong |= hash != work->hash;
    phase_end(&work->truth, PHASE_HASH_NUMBERS, begun);
}

/* By the gaps of Ciura. */
static OWN_FRAME void sort_numbers(struct work *work)
{
    static const unsigned gaps[] = {3548, 1577, 701, 301, 132, 57, 23, 10, 4, 1};
    uint64_t begun = phase_begin();
    uint32_t *numbers = work->numbers;

    for (unsigned g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
        for (unsigned i = gaps[g]; i < N_NUMBERS; i++) {
            uint32_t number = numbers[i];
            unsigned j = i;

            for (; j >= gaps[g] && number < numbers[j - gaps[g]]; j -= gaps[g])
                numbers[j] = numbers[j - gaps[g]];
            numbers[j] = number;
        }
    }
    for (unsigned i = 1; i < N_NUMBERS; i++)
        work->wrong |= numbers[i] < numbers[i - 1];
    phase_end(&work->truth, PHASE_SORT_NUMBERS, begun);
}

/* ---- Queens ------------------------------------------------------------------------ */

/* The number of ways to fill the rows from this one on. Bits stand for columns: those
 * taken, and those that diagonals of the rows above take. */
static OWN_FRAME unsigned fill_rows(uint32_t columns, uint32_t left, uint32_t right)
{
    const uint32_t all = (1u << N_QUEENS) - 1;
    unsigned n_ways = 0;

    if (columns == all)
        return 1;
    for (uint32_t free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        uint32_t queen = free & (0 - free);

        n_ways += fill_rows(columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return n_ways;
}

static OWN_FRAME void solve_queens(struct work *work)
{
    uint64_t begun = phase_begin();

    work->wrong |= fill_rows(0, 0, 0) != 724;
    phase_end(&work->truth, PHASE_SOLVE_QUEENS, begun);
}

/* ---- The order of the work --------------------------------------------------------- */

static OWN_FRAME void use_numbers(struct work *work)
{
    uint64_t begun = phase_begin();

    make_numbers(work);
    for (unsigned i = 0; i < work->n_hashes; i++)
        hash_numbers(work);
    sort_numbers(work);
    phase_end(&work->truth, PHASE_USE_NUMBERS, begun);
}

static OWN_FRAME void do_round(struct work *work)
{
    uint64_t begun = phase_begin();

    for (unsigned i = 0; i < work->n_lists; i++)
        use_numbers(work);
    for (unsigned i = 0; i < work->n_boards; i++)
        solve_queens(work);
    phase_end(&work->truth, PHASE_DO_ROUND, begun);
}

OWN_FRAME void work_until_stopped(struct work *work, const atomic_bool *stop)
{
    uint64_t begun = phase_begin();

    do
        do_round(work);
    while (!atomic_load_explicit(stop, memory_order_relaxed));
    phase_end(&work->truth, PHASE_WORK_UNTIL_STOPPED, begun);
}

/* ---- The object -------------------------------------------------------------------- */

struct work *work_create(unsigned seed)
{
    struct work *work = calloc(1, sizeof(*work));

    if (work == NULL)
        return NULL;
    work->seed = seed + 1;
    work->n_lists = 1 + seed % 4;
    work->n_hashes = 1 + seed % 3;
    work->n_boards = 6 * (seed % 5);
    return work;
}

void work_free(struct work *work)
{
    free(work);
}

const struct truth *work_truth(const struct work *work)
{
    return &work->truth;
}

bool work_is_right(const struct work *work)
{
    return !work->wrong;
}

const char *work_phase_name(enum phase phase)
{
    static const char *const names[N_PHASES] = {
        "work_until_stopped", "do_round",     "use_numbers",  "make_numbers",
        "hash_numbers",       "sort_numbers", "solve_queens",
    };

    return names[phase];
}

uintptr_t work_phase_address(enum phase phase)
{
    const uintptr_t addresses[N_PHASES] = {
        (uintptr_t)work_until_stopped, (uintptr_t)do_round,     (uintptr_t)use_numbers,
        (uintptr_t)make_numbers,       (uintptr_t)hash_numbers, (uintptr_t)sort_numbers,
        (uintptr_t)solve_queens,
    };

    return addresses[phase];
}
