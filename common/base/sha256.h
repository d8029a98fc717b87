/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4), for ids that are equal wherever the contents are. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK_BYTES = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    /* The last block, as far as it is filled. */
    unsigned char block[SHA256_BLOCK_BYTES];
};

void sha256_start(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t size);
/* Afterwards it has to be started again. */
void sha256_end(struct sha256 *hash, unsigned char digest[SHA256_BYTES]);

#endif
