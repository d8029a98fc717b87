/* SPDX-License-Identifier: BSD-2-Clause */
/* See sha256.h. */
#include "sha256.h"

#include <string.h>

static uint32_t rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

static uint32_t load_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           bytes[3];
}

static void store_word(unsigned char *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* The first bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static void extend_block(const unsigned char *block, uint32_t words[64])
{
    for (int i = 0; i < 16; i++)
        words[i] = load_word(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];

        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   words[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* The values are in variables, and not in an array, so that they stay in registers. */
static void take_block(struct sha256 *hash, const unsigned char *block)
{
    uint32_t *s = hash->state;
    uint32_t words[64];
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
    uint32_t e = s[4], f = s[5], g = s[6], h = s[7];

    extend_block(block, words);
    for (int i = 0; i < 64; i++) {
        uint32_t chosen = (e & f) ^ (~e & g);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t first = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + chosen +
                         round_words[i] + words[i];

        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + (rotate(b, 2) ^ rotate(b, 13) ^ rotate(b, 22)) + majority;
    }
    s[0] += a;
    s[1] += b;
    s[2] += c;
    s[3] += d;
    s[4] += e;
    s[5] += f;
    s[6] += g;
    s[7] += h;
}

void sha256_start(struct sha256 *hash)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(hash->state, first, sizeof(first));
    hash->n_bytes = 0;
}

void sha256_add(struct sha256 *hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t n_held = hash->n_bytes % SHA256_BLOCK_BYTES;

    hash->n_bytes += size;
    while (size > 0) {
        size_t room = SHA256_BLOCK_BYTES - n_held;
        size_t n = size < room ? size : room;

        memcpy(hash->block + n_held, bytes, n);
        bytes += n;
        size -= n;
        n_held += n;
        if (n_held == SHA256_BLOCK_BYTES) {
            take_block(hash, hash->block);
            n_held = 0;
        }
    }
}

void sha256_end(struct sha256 *hash, unsigned char digest[SHA256_BYTES])
{
    static const unsigned char padding[SHA256_BLOCK_BYTES] = {0x80};
    uint64_t n_bits = hash->n_bytes * 8;
    size_t n_held = hash->n_bytes % SHA256_BLOCK_BYTES;
    size_t length_at = SHA256_BLOCK_BYTES - sizeof(n_bits);
    size_t n_padding =
        n_held < length_at ? length_at - n_held : SHA256_BLOCK_BYTES + length_at - n_held;
    unsigned char length[sizeof(n_bits)];

    store_word(length, (uint32_t)(n_bits >> 32));
    store_word(length + 4, (uint32_t)n_bits);
    sha256_add(hash, padding, n_padding);
    sha256_add(hash, length, sizeof(length));
    for (int i = 0; i < 8; i++)
        store_word(digest + 4 * i, hash->state[i]);
}
