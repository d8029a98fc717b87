/* SPDX-License-Identifier: BSD-2-Clause */
/* See fingerprint.h. */
#include "fingerprint.h"

#include <string.h>
#include <unistd.h>

/* Of the key, the first words are for a run's, and these for what it is together with. */
enum { KEY_OF_RUN = 0, KEY_OF_PAIR = FINGERPRINT_BLOCK + 2, ENTROPY_MAX = 256 };

/* How many words are taken without a look at how many are left. */
enum { FEW = 8 };

/* Adds a product of two words, 128 bits, modulo 2 to the power of 128. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 sum;

static inline sum add_product(sum total, uint64_t a, uint64_t b)
{
    return total + (sum)a * b;
}

static struct fingerprint split(sum total)
{
    return (struct fingerprint){(uint64_t)total, (uint64_t)(total >> 64)};
}
#else
typedef struct fingerprint sum;

static sum add_product(sum total, uint64_t a, uint64_t b)
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
    uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);

    low = right << 32 | (low & UINT32_MAX);
    total.low += low;
    total.high += high + (total.low < low);
    return total;
}

static struct fingerprint split(sum total)
{
    return total;
}
#endif

/* Where there is no entropy, the key is always the same one: it then takes an input that
 * was made for it, which chance does not make. */
void fingerprint_key_make(struct fingerprint_key *key)
{
    unsigned char *bytes = (unsigned char *)key->words;

    for (uint64_t i = 0; i < FINGERPRINT_KEY_WORDS; i++)
        key->words[i] = hash_word(hash_word(1, i), 2 * i + 1);
    for (size_t at = 0; at < sizeof(key->words); at += ENTROPY_MAX) {
        size_t size = sizeof(key->words) - at;

        if (getentropy(bytes + at, size < ENTROPY_MAX ? size : ENTROPY_MAX) != 0)
            return;
    }
}

static uint64_t load(const unsigned char *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof(word));
    return word;
}

/* At most a block of words. */
static inline struct fingerprint add_block(const struct fingerprint_key *key,
                                           struct fingerprint before,
                                           const unsigned char *from, uint64_t n)
{
    const uint64_t *k = key->words + KEY_OF_RUN;
    sum total = add_product((sum){0}, before.low + k[0], before.high + k[1]);

    k += 2;
    for (; n >= FEW; n -= FEW, from += FEW * sizeof(*k), k += FEW) {
        for (size_t i = 0; i < FEW; i += 2)
            total = add_product(total, load(from + 8 * i) + k[i],
                                load(from + 8 * i + 8) + k[i + 1]);
    }
    for (; n >= 2; n -= 2, from += 16, k += 2)
        total = add_product(total, load(from) + k[0], load(from + 8) + k[1]);
    if (n > 0)
        total = add_product(total, load(from) + k[0], k[1]);
    return split(total);
}

struct fingerprint fingerprint_words(const struct fingerprint_key *key, const void *words,
                                     uint64_t n, uint64_t with)
{
    const unsigned char *from = (const unsigned char *)words;
    struct fingerprint print = {n, with};

    for (; n > FINGERPRINT_BLOCK; n -= FINGERPRINT_BLOCK) {
        print = add_block(key, print, from, FINGERPRINT_BLOCK);
        from += FINGERPRINT_BLOCK * sizeof(*key->words);
    }
    return add_block(key, print, from, n);
}

struct fingerprint fingerprint_with(const struct fingerprint_key *key,
                                    struct fingerprint print, uint64_t with)
{
    const uint64_t *k = key->words + KEY_OF_PAIR;
    sum total = add_product((sum){0}, print.low + k[0], print.high + k[1]);

    return split(add_product(total, with + k[2], k[3]));
}
