/* SPDX-License-Identifier: BSD-2-Clause */
/* See fingerprint.h. */
#include "fingerprint.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <fxt/compiler.h>

#include "base/table.h"

/* Of the key, the first words are for a run's; then there are those for what it is
 * together with, and those for making 64 bits of 128. */
enum {
    KEY_OF_RUN = 0,
    KEY_OF_PAIR = FINGERPRINT_BLOCK + 2,
    KEY_OF_END = KEY_OF_PAIR + 2,
    ENTROPY_MAX = 256
};

/* How many words are taken without a look at how many are left. */
enum { FEW = 8 };

/* Adds a product of two words, 128 bits, modulo 2 to the power of 128. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 sum;

static inline sum add_product(sum total, uint64_t a, uint64_t b)
{
    return total + (sum)a * b;
}

static uint64_t low_of(sum total)
{
    return (uint64_t)total;
}

static uint64_t high_of(sum total)
{
    return (uint64_t)(total >> 64);
}
#else
typedef struct sum {
    uint64_t low;
    uint64_t high;
} sum;

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

static uint64_t low_of(sum total)
{
    return total.low;
}

static uint64_t high_of(sum total)
{
    return total.high;
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

static inline sum add_few(sum total, const uint64_t *key, const unsigned char *from)
{
    for (size_t i = 0; i < FEW; i += 2)
        total = add_product(total, load(from + 8 * i) + key[i],
                            load(from + 8 * i + 8) + key[i + 1]);
    return total;
}

/* At most a block of words, and what stands for those before. What is left behind the
 * last few is taken together with words before it, so that it need not be taken one by
 * one: with words of the key that nothing else has, so that they may come twice. */
static inline sum add_block(const struct fingerprint_key *key, uint64_t low,
                            uint64_t high, const unsigned char *from, uint64_t n)
{
    const uint64_t *k = key->words + KEY_OF_RUN;
    sum total = add_product((sum){0}, low + k[0], high + k[1]);

    k += 2;
    if (FXT_LIKELY(n >= FEW)) {
        const unsigned char *end = from + n * sizeof(*k);

        for (; n > FEW; n -= FEW, from += FEW * sizeof(*k), k += FEW)
            total = add_few(total, k, from);
        return add_few(total, k, end - FEW * sizeof(*k));
    }
    for (; n >= 2; n -= 2, from += 16, k += 2)
        total = add_product(total, load(from) + k[0], load(from + 8) + k[1]);
    if (n > 0)
        total = add_product(total, load(from) + k[0], k[1]);
    return total;
}

/* The upper half of a + b * low + c * high modulo 2 to the power of 128, where a, b and c
 * are the key's and have 128 bits, too. */
static uint64_t end(const struct fingerprint_key *key, sum total)
{
    const uint64_t *k = key->words + KEY_OF_END;
    uint64_t low = low_of(total);
    uint64_t high = high_of(total);
    sum product = add_product(add_product((sum){0}, low, k[0]), high, k[2]);
    uint64_t carry = low_of(product) + k[4] < k[4];

    return high_of(product) + low * k[1] + high * k[3] + k[5] + carry;
}

uint64_t fingerprint_words(const struct fingerprint_key *key, const void *words,
                           uint64_t n, uint64_t with)
{
    const unsigned char *from = (const unsigned char *)words;
    uint64_t low = n;
    uint64_t high = with;

    for (; n > FINGERPRINT_BLOCK; n -= FINGERPRINT_BLOCK) {
        sum total = add_block(key, low, high, from, FINGERPRINT_BLOCK);

        low = low_of(total);
        high = high_of(total);
        from += FINGERPRINT_BLOCK * sizeof(*key->words);
    }
    return end(key, add_block(key, low, high, from, n));
}

uint64_t fingerprint_with(const struct fingerprint_key *key, uint64_t print,
                          uint64_t with)
{
    const uint64_t *k = key->words + KEY_OF_PAIR;

    return end(key, add_product((sum){0}, print + k[0], with + k[1]));
}
