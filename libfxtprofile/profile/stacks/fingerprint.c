/* SPDX-License-Identifier: BSD-2-Clause */
/* See fingerprint.h. */
#include "fingerprint.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <fxt/compiler.h>

#include "common/base/table.h"

/* The key begins with the words that are added to those of a block; the last ones are for
 * reducing sums. The second sum of a block takes its key two words further on. */
enum {
    SUMS_AT = FINGERPRINT_BLOCK + 4,
    REDUCTION_WORDS = 6,
    ENTROPY_MAX = 256,
    /* How many words are added up in a row. */
    FEW = 8
};

_Static_assert(FINGERPRINT_KEY_WORDS == SUMS_AT + 2 * REDUCTION_WORDS, "no word is left");

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

/* Without a source of entropy the key is a constant: then only an input that was made for
 * it has collisions. */
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

static struct fingerprint_key key_of_run;

static void make_key_of_run(void)
{
    fingerprint_key_make(&key_of_run);
}

const struct fingerprint_key *fingerprint_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key_of_run);
    return &key_of_run;
}

static uint64_t load_word(const unsigned char *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof(word));
    return word;
}

/* The sums of a block, with different keys. */
struct sums {
    sum first;
    sum second;
};

static inline void add_pair(struct sums *sums, const uint64_t *key, uint64_t a,
                            uint64_t b)
{
    sums->first = add_product(sums->first, a + key[0], b + key[1]);
    sums->second = add_product(sums->second, a + key[2], b + key[3]);
}

static inline void add_few(struct sums *sums, const uint64_t *key,
                           const unsigned char *from)
{
    for (size_t i = 0; i < FEW; i += 2)
        add_pair(sums, key + i, load_word(from + 8 * i), load_word(from + 8 * i + 8));
}

/* At most a block of words. Where they are no multiple of FEW, the last few overlap those
 * before, with words of the key that nothing else has. */
static inline void add_block(struct sums *sums, const uint64_t *key,
                             const unsigned char *from, uint64_t n)
{
    if (FXT_LIKELY(n >= FEW)) {
        const unsigned char *end = from + n * sizeof(*key);

        for (; n > FEW; n -= FEW, from += FEW * sizeof(*key), key += FEW)
            add_few(sums, key, from);
        add_few(sums, key, end - FEW * sizeof(*key));
        return;
    }
    for (; n >= 2; n -= 2, from += 16, key += 2)
        add_pair(sums, key, load_word(from), load_word(from + 8));
    if (n > 0)
        add_pair(sums, key, load_word(from), 0);
}

/* The upper half of a + b * low + c * high modulo 2 to the power of 128, where a, b and c
 * are the key's and have 128 bits, too. */
static uint64_t reduce_sum(const uint64_t *k, sum total)
{
    uint64_t low = low_of(total);
    uint64_t high = high_of(total);
    sum product = add_product(add_product((sum){0}, low, k[0]), high, k[2]);
    uint64_t carry = low_of(product) + k[4] < k[4];

    return high_of(product) + low * k[1] + high * k[3] + k[5] + carry;
}

struct fingerprint fingerprint_make(const struct fingerprint_key *key, const void *words,
                                    uint32_t n, uint64_t process, uint32_t epoch)
{
    const unsigned char *from = (const unsigned char *)words;
    const uint64_t *k = key->words;
    struct sums sums = {(sum){0}, (sum){0}};
    struct sums before;

    add_pair(&sums, k, (uint64_t)epoch << 32 | n, process);
    for (; n > FINGERPRINT_BLOCK; n -= FINGERPRINT_BLOCK) {
        add_block(&sums, k + 2, from, FINGERPRINT_BLOCK);
        before = sums;
        sums = (struct sums){(sum){0}, (sum){0}};
        sums.first = add_product(sums.first, low_of(before.first) + k[0],
                                 high_of(before.first) + k[1]);
        sums.second = add_product(sums.second, low_of(before.second) + k[2],
                                  high_of(before.second) + k[3]);
        from += FINGERPRINT_BLOCK * sizeof(*k);
    }
    add_block(&sums, k + 2, from, n);
    return (struct fingerprint){reduce_sum(k + SUMS_AT, sums.first),
                                reduce_sum(k + SUMS_AT + REDUCTION_WORDS, sums.second)};
}
