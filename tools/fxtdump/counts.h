/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of records and bytes by a key of two strings, in bounded memory: keys for which
 * there is no room are counted together.
 */
#ifndef FXTDUMP_COUNTS_H
#define FXTDUMP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/types.h>

#include "common/base/text.h"

/* A time in nanoseconds, or `past` what 64 bits of them hold. */
struct moment {
    uint64_t ns;
    bool past;
};

struct count {
    uint64_t records;
    uint64_t bytes;
    /* A count for the user of this table. */
    uint64_t times;
    /* The smallest and the largest time. */
    bool has_time;
    struct moment first;
    struct moment last;
};

/* Adds another count. */
void count_add(struct count *count, const struct count *more);

struct counts_entry {
    struct count count;
    /* The key, once the entries are sorted. */
    struct fxt_string first;
    struct fxt_string second;
    uint64_t hash;
    /* The offset of the bytes of the two strings, concatenated. */
    size_t at;
};

/* Starts out as zeros but for the limits. */
struct counts {
    size_t max_entries;
    size_t max_key_bytes;

    struct counts_entry *entries;
    size_t n;
    size_t capacity;
    struct text keys;
    /* An open-addressed table of indices of entries plus 1, at most half full. */
    uint32_t *slots;
    size_t n_slots;

    /* The count of keys for which there was no room. */
    struct count others;
};

/* The count of a key, which is added if it is new; that of the others if there is no room
 * for it. Unknown strings (data is NULL) differ by their refs. Valid until the next
 * call. */
struct count *counts_at(struct counts *counts, const struct fxt_string *first,
                        const struct fxt_string *second);

/* Which entry a count is that counts_at has just returned, and not that of the others. */
uint32_t counts_index(const struct counts *counts, const struct count *count);

/* Sorts the entries by falling bytes, then records, and equal ones by their keys. There
 * must be no counts_at after this. */
void counts_sort(struct counts *counts);

#endif
