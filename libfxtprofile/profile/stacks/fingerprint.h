/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fingerprints of stacks: a keyed hash of 128 bits, by which equal stacks are found.
 *
 * It is NH of UMAC with two Toeplitz iterations (Black and others, "UMAC: Fast and secure
 * message authentication", 1999), on words of 64 bits, each sum reduced to 64 bits by a
 * multiplication (Dietzfelbinger, "Universal hashing and k-wise independent random
 * variables via integer arithmetic without primes", 1996). Two different stacks of up to
 * FINGERPRINT_BLOCK words have one fingerprint with a probability of at most 2^-126,
 * even if an attacker chose them, since the key is random and secret. Deeper stacks are
 * hashed in blocks, each together with the sums of the one before; for them there is no
 * proof.
 *
 * Of the time that converters take for half a gigabyte of samples (bench_profile), the
 * second sum is 6 to 9 %: the price of fingerprints that are trusted without comparing
 * the stacks.
 */
#ifndef FXTPROFILE_PROFILE_STACKS_FINGERPRINT_H
#define FXTPROFILE_PROFILE_STACKS_FINGERPRINT_H

#include <stdint.h>

enum { FINGERPRINT_BLOCK = 512, FINGERPRINT_KEY_WORDS = FINGERPRINT_BLOCK + 16 };

struct fingerprint_key {
    uint64_t words[FINGERPRINT_KEY_WORDS];
};

struct fingerprint {
    uint64_t low;
    uint64_t high;
};

void fingerprint_key_make(struct fingerprint_key *key);

/* The key of all stacks of this run of the program, so that threads' can be merged. */
const struct fingerprint_key *fingerprint_key(void);

/* The fingerprint of `n` words, at any address, in an epoch of a process. */
struct fingerprint fingerprint_make(const struct fingerprint_key *key, const void *words,
                                    uint32_t n, uint64_t process, uint32_t epoch);

#endif
