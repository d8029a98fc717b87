/* SPDX-License-Identifier: BSD-2-Clause */
/* See work.h. The order of the work; the phases themselves are in words.c and pack.c. */
#include "work.h"

#include <stdlib.h>

#include "work_inner.h"

/* ---- Queens ------------------------------------------------------------------------ */

/* The number of ways to fill the rows from this one on. Bits stand for columns: those
 * taken, and those that diagonals of the rows above take. */
static OWN_FRAME uint64_t fill_rows(uint32_t columns, uint32_t left, uint32_t right)
{
    const uint32_t all = (1u << N_QUEENS) - 1;
    uint64_t n_ways = 0;

    if (columns == all)
        return 1;
    for (uint32_t free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        uint32_t queen = free & (0 - free);

        n_ways += fill_rows(columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return n_ways;
}

void solve_queens(struct work *work)
{
    uint64_t begun = phase_begin();

    if (fill_rows(0, 0, 0) != 14200)
        work->wrong = true;
    phase_end(&work->truth, PHASE_SOLVE_QUEENS, begun);
}

/* ---- The order of the work --------------------------------------------------------- */

void index_text(struct work *work)
{
    uint64_t begun = phase_begin();

    generate_text(work);
    split_words(work);
    count_words(work);
    for (unsigned i = 0; i < work->n_sorts; i++)
        sort_words(work);
    for (unsigned i = 0; i < work->n_packs; i++) {
        pack_text(work);
        unpack_text(work);
    }
    phase_end(&work->truth, PHASE_INDEX_TEXT, begun);
}

void do_round(struct work *work)
{
    uint64_t begun = phase_begin();

    for (unsigned i = 0; i < work->n_texts; i++)
        index_text(work);
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
    static const struct {
        unsigned n_texts;
        unsigned n_sorts;
        unsigned n_packs;
        unsigned n_boards;
    } mixes[] = {{2, 1, 2, 2}, {1, 1, 8, 0}, {1, 2, 1, 1}, {3, 0, 1, 6}};
    size_t mix = seed % (sizeof(mixes) / sizeof(*mixes));
    struct work *work = calloc(1, sizeof(*work));

    if (work == NULL)
        return NULL;
    work->random = seed + 1;
    work->n_texts = mixes[mix].n_texts;
    work->n_sorts = mixes[mix].n_sorts;
    work->n_packs = mixes[mix].n_packs;
    work->n_boards = mixes[mix].n_boards;
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
        "work_until_stopped", "do_round",   "index_text", "generate_text", "split_words",
        "count_words",        "sort_words", "pack_text",  "unpack_text",   "solve_queens",
    };

    return names[phase];
}

uintptr_t work_phase_address(enum phase phase)
{
    const uintptr_t addresses[N_PHASES] = {
        (uintptr_t)work_until_stopped, (uintptr_t)do_round,    (uintptr_t)index_text,
        (uintptr_t)generate_text,      (uintptr_t)split_words, (uintptr_t)count_words,
        (uintptr_t)sort_words,         (uintptr_t)pack_text,   (uintptr_t)unpack_text,
        (uintptr_t)solve_queens,
    };

    return addresses[phase];
}
