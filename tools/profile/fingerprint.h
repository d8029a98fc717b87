/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fingerprints: 128 bits that stand for a run of words, so that equal runs are found
 * without going back to the words themselves.
 *
 * A fingerprint is a sum of products of two words each, every word with a random number
 * added that is the key's ("NH", Black and others, "UMAC: Fast and secure message
 * authentication", 1999). Whoever does not know the key can make no two runs for which it
 * is likelier than 2 to the power of -64 that their fingerprints are the same, however
 * the runs are chosen: among a million different runs there are two such ones less than
 * once in ten million times. The key is a new one in each run of a program and is not
 * shown, so that an input cannot be made for it.
 */
#ifndef TOOLS_FINGERPRINT_H
#define TOOLS_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

struct fingerprint {
    uint64_t low;
    uint64_t high;
};

/* Runs that are longer than a block are taken block by block, each with what stands for
 * those before it. */
enum { FINGERPRINT_BLOCK = 64, FINGERPRINT_KEY_WORDS = FINGERPRINT_BLOCK + 6 };

struct fingerprint_key {
    uint64_t words[FINGERPRINT_KEY_WORDS];
};

void fingerprint_key_make(struct fingerprint_key *key);

/* The fingerprint of a run of words, at any address, together with a number. */
struct fingerprint fingerprint_words(const struct fingerprint_key *key, const void *words,
                                     uint64_t n, uint64_t with);

/* The fingerprint of something together with one more number. */
struct fingerprint fingerprint_with(const struct fingerprint_key *key,
                                    struct fingerprint print, uint64_t with);

static inline bool fingerprint_same(struct fingerprint a, struct fingerprint b)
{
    return a.low == b.low && a.high == b.high;
}

/* For a table. */
static inline uint64_t fingerprint_hash(struct fingerprint print)
{
    return hash_word(print.low, print.high);
}

#endif
