/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the work share. */
#ifndef SELFSAMPLE_WORK_INNER_H
#define SELFSAMPLE_WORK_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "phase.h"

/* On every function that a stack should show. A copy of a function that the compiler made
 * for some arguments would have another name. */
#if defined(__clang__)
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

enum {
    TEXT_SIZE = 512 * 1024,
    /* Words have at least three letters and a separator. */
    MAX_WORDS = TEXT_SIZE / 4,
    N_SLOTS = 16384,
    N_HEADS = 4096,
    /* A literal costs one byte more for each run of 128. */
    PACKED_SIZE = TEXT_SIZE + TEXT_SIZE / 64,
    N_QUEENS = 12
};

struct word {
    uint32_t start;
    uint32_t size;
};

/* A place of the word table: a word that stands for all equal ones, and how many. */
struct slot {
    uint32_t word_plus_one;
    uint32_t count;
};

struct work {
    struct truth truth;
    uint64_t random;
    bool wrong;
    /* How much of what a round has. */
    unsigned n_texts;
    unsigned n_sorts;
    unsigned n_packs;
    unsigned n_boards;

    unsigned char text[TEXT_SIZE];
    uint32_t text_size;
    struct word words[MAX_WORDS];
    uint32_t n_words;
    struct slot slots[N_SLOTS];
    uint32_t sorted[MAX_WORDS];
    uint32_t heads[N_HEADS];
    unsigned char packed[PACKED_SIZE];
    size_t packed_size;
    unsigned char unpacked[TEXT_SIZE];
};

OWN_FRAME void do_round(struct work *work);
OWN_FRAME void index_text(struct work *work);
OWN_FRAME void generate_text(struct work *work);
OWN_FRAME void split_words(struct work *work);
OWN_FRAME void count_words(struct work *work);
OWN_FRAME void sort_words(struct work *work);
OWN_FRAME void pack_text(struct work *work);
OWN_FRAME void unpack_text(struct work *work);
OWN_FRAME void solve_queens(struct work *work);

#endif
