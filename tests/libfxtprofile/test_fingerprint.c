/* SPDX-License-Identifier: BSD-2-Clause */
/* Fingerprints of runs of words: what they are of, and what sums they are. */
#include <stdbool.h>
#include <string.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/profile/stacks/fingerprint.h"
#include "libfxtprofile/profile/stacks/stack_table.h"
#include "tests/support/pick.h"

enum { WORDS_MAX = 3 * FINGERPRINT_BLOCK + 1 };

static uint64_t any_word(void)
{
    return pick(UINT32_MAX) << 32 ^ pick(UINT32_MAX);
}

static void fill(uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i] = pick(4) == 0 ? UINT64_MAX - pick(2) : any_word();
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 sum;

enum { FEW = 8 };

/* How many words a block is that has `n`: eight at a time, of which the last eight are
 * those at its end, so that some may come twice; or all, if they are fewer. */
static size_t count_words(size_t n)
{
    return n < FEW ? n : (n + FEW - 1) / FEW * FEW;
}

/* One of them; 0 after the last. */
static uint64_t word_of(const uint64_t *words, size_t n, size_t i)
{
    size_t all = count_words(n);

    if (i >= all)
        return 0;
    return words[n >= FEW && i >= all - FEW ? n - (all - i) : i];
}

/* One half by the definition, two words at a time: the key's words are those from `k` on,
 * and the last ones are for making 64 bits of 128. */
static uint64_t half_by_definition(const uint64_t *k, const uint64_t *last,
                                   const uint64_t *words, size_t n, uint64_t low,
                                   uint64_t high)
{
    sum total = 0;

    for (size_t at = 0; at == 0 || at < n; at += FINGERPRINT_BLOCK) {
        size_t left = n - at < FINGERPRINT_BLOCK ? n - at : FINGERPRINT_BLOCK;

        total = (sum)(low + k[0]) * (high + k[1]);
        for (size_t i = 0; i < count_words(left); i += 2)
            total += (sum)(word_of(words + at, left, i) + k[2 + i]) *
                     (uint64_t)(word_of(words + at, left, i + 1) + k[3 + i]);
        low = (uint64_t)total;
        high = (uint64_t)(total >> 64);
    }
    total = ((sum)last[5] << 64 | last[4]) + low * ((sum)last[1] << 64 | last[0]) +
            high * ((sum)last[3] << 64 | last[2]);
    return (uint64_t)(total >> 64);
}

POOLED_TEST(fingerprint, it_is_what_its_definition_says)
{
    struct fingerprint_key key;
    const uint64_t *last = key.words + FINGERPRINT_BLOCK + 4;
    uint64_t words[WORDS_MAX];

    for (uint32_t n = 0; n <= WORDS_MAX; n++) {
        uint64_t process = any_word();
        uint32_t epoch = (uint32_t)pick(3);
        uint64_t low = (uint64_t)epoch << 32 | n;
        struct fingerprint print;

        fill(key.words, FINGERPRINT_KEY_WORDS);
        fill(words, n);
        print = fingerprint_make(&key, words, n, process, epoch);
        cr_assert_eq(print.low,
                     half_by_definition(key.words, last, words, n, low, process),
                     "%u words", n);
        cr_assert_eq(print.high,
                     half_by_definition(key.words + 2, last + 6, words, n, low, process),
                     "%u words", n);
    }
}
#endif

static bool equal(struct fingerprint a, struct fingerprint b)
{
    return a.low == b.low && a.high == b.high;
}

/* Fingerprints that differ do so in both halves, or one would be for nothing. */
static bool differ(struct fingerprint a, struct fingerprint b)
{
    return a.low != b.low && a.high != b.high;
}

POOLED_TEST(fingerprint, every_bit_of_every_word_counts)
{
    struct fingerprint_key key;
    uint64_t words[WORDS_MAX];
    struct fingerprint print;

    fingerprint_key_make(&key);
    fill(words, WORDS_MAX);
    print = fingerprint_make(&key, words, WORDS_MAX, 7, 0);
    for (size_t i = 0; i < WORDS_MAX * 64; i++) {
        words[i / 64] ^= (uint64_t)1 << i % 64;
        cr_assert(differ(fingerprint_make(&key, words, WORDS_MAX, 7, 0), print));
        words[i / 64] ^= (uint64_t)1 << i % 64;
    }
    cr_assert(differ(fingerprint_make(&key, words, WORDS_MAX, 8, 0), print));
    cr_assert(differ(fingerprint_make(&key, words, WORDS_MAX, 7, 1), print));
    cr_assert(equal(fingerprint_make(&key, words, WORDS_MAX, 7, 0), print));
}

POOLED_TEST(fingerprint, zeros_at_the_end_count)
{
    struct fingerprint_key key;
    uint64_t words[WORDS_MAX] = {0};

    fingerprint_key_make(&key);
    for (uint32_t n = 0; n < WORDS_MAX; n++)
        cr_assert(differ(fingerprint_make(&key, words, n, 0, 0),
                         fingerprint_make(&key, words, n + 1, 0, 0)));
}

POOLED_TEST(fingerprint, the_address_does_not_count)
{
    struct fingerprint_key key;
    uint64_t words[WORDS_MAX];
    unsigned char bytes[sizeof(words) + 8];

    fingerprint_key_make(&key);
    fill(words, WORDS_MAX);
    for (size_t i = 0; i < 8; i++) {
        memcpy(bytes + i, words, sizeof(words));
        cr_assert(equal(fingerprint_make(&key, bytes + i, WORDS_MAX, 1, 0),
                        fingerprint_make(&key, words, WORDS_MAX, 1, 0)));
    }
}

POOLED_TEST(fingerprint, two_keys_are_not_the_same)
{
    struct fingerprint_key a;
    struct fingerprint_key b;

    fingerprint_key_make(&a);
    fingerprint_key_make(&b);
    cr_assert(differ(fingerprint_make(&a, "12345678", 1, 0, 0),
                     fingerprint_make(&b, "12345678", 1, 0, 0)));
}

/* Stacks of which half the fingerprint is equal are two; and one that is met again has
 * the number that it had, though the table has grown. */
POOLED_TEST(fingerprint, a_table_of_stacks_compares_both_halves)
{
    enum { N = 1000 };
    struct stack_table table = {.n = 0};

    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < N; i++) {
            struct fingerprint first = {7, i << 32};
            struct fingerprint second = {7 + (i + 1) * 4096, 0};

            cr_assert_eq(stack_table_put(&table, first), 2 * i);
            cr_assert_eq(stack_table_put(&table, second), 2 * i + 1);
        }
    }
    cr_assert_eq(table.n, 2 * N);
}
