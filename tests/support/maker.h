/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of every type and kind with contents that look random and are the same each
 * time: all of them right, each field with its largest value now and then, strings that
 * come again and strings that do not.
 */
#ifndef TESTS_SUPPORT_MAKER_H
#define TESTS_SUPPORT_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/fxt.h>

enum { MAKER_POOL = 1 << 16, MAKER_WORDS = 4096, MAKER_PROVIDERS = 5 };

struct maker {
    uint64_t state;
    /* Make also what this version does not know. */
    bool unknown;
    /* Names are taken from this many, and threads. */
    uint32_t n_names;
    uint32_t n_threads;

    /* What the records point into. */
    char pool[MAKER_POOL];
    uint64_t words[MAKER_WORDS];
    struct fxt_arg args[FXT_ARGS_MAX];
    struct fxt_provider providers[MAKER_PROVIDERS];
    bool announced[MAKER_PROVIDERS];
    uint32_t provider;
};

void maker_start(struct maker *m, uint64_t seed);

/* Fills in a record, which is valid until the next is made. */
void maker_make(struct maker *m, struct fxt_record *record);

/* A number below `n`. */
uint64_t maker_below(struct maker *m, uint64_t n);

/* Writes the next `n` records, and returns what the last call returned, or the first that
 * failed. */
enum fxt_code maker_write(struct maker *m, struct fxt_writer *writer, int n);

#endif
