/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fingerprints: 64 bits that stand for a run of words, so that equal runs are found
 * without going back to the words themselves.
 *
 * Each two words are multiplied, every one with a random number added that is the key's,
 * and the products added up ("NH", Black and others, "UMAC: Fast and secure message
 * authentication", 1999); what comes out has 128 bits, of which two more products make 64
 * (Dietzfelbinger, "Universal hashing and k-wise independent random variables via integer
 * arithmetic without primes", 1996). Whoever does not know the key can make no two runs
 * of up to FINGERPRINT_BLOCK words for which it is likelier than 2 to the power of -63
 * that their fingerprints are the same, however the runs are chosen: among a million
 * different runs there are two such ones less than once in ten million times. Of longer
 * runs, and with one more number, that is not proven but as likely. The key is a new one
 * in each run of a program and is not shown, so that an input cannot be made for it.
 */
#ifndef FXTPROFILE_PROFILE_FINGERPRINT_H
#define FXTPROFILE_PROFILE_FINGERPRINT_H

#include <stdint.h>

/* Runs that are longer than a block are taken block by block, each with what stands for
 * those before it. Of eight words or more, all are taken eight at a time, the last eight
 * with words that may have been taken before. */
enum { FINGERPRINT_BLOCK = 64, FINGERPRINT_KEY_WORDS = FINGERPRINT_BLOCK + 10 };

struct fingerprint_key {
    uint64_t words[FINGERPRINT_KEY_WORDS];
};

void fingerprint_key_make(struct fingerprint_key *key);

/* The fingerprint of a run of words, at any address, together with a number. */
uint64_t fingerprint_words(const struct fingerprint_key *key, const void *words,
                           uint64_t n, uint64_t with);

/* The fingerprint of what has one, together with one more number. */
uint64_t fingerprint_with(const struct fingerprint_key *key, uint64_t print,
                          uint64_t with);

#endif
