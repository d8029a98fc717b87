/* SPDX-License-Identifier: BSD-2-Clause */
/* What strings and threads are found by in the writer's tables. */
#ifndef LIBFXT_WRITER_INTERN_KEY_H
#define LIBFXT_WRITER_INTERN_KEY_H

#include <stdint.h>

#include <fxt/common.h>
#include <fxt/types.h>

/*
 * Two words are all that a thread has, and all of a string of at most 16 bytes: its first
 * eight and its last eight, which may overlap. A longer string is compared by the bytes
 * between them, too.
 */
struct intern_key {
    uint64_t words[2];
    /* The string. */
    const char *data;
    /* At most FXT_TABLE_STRING_SIZE_MAX; of a thread 0. */
    uint16_t size;
    /* The same on every machine, since what is written depends on it. */
    uint32_t hash;
};

/* The most bytes of a string that are in the two words. */
enum { INTERN_WORDS_SIZE = 16 };

static inline uint64_t intern_load_8_(const char *data)
{
    uint64_t word;

    FXT_COPY(&word, data, sizeof(word));
    return FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64(word) : word;
}

static inline uint64_t intern_load_4_(const char *data)
{
    uint32_t half;

    FXT_COPY(&half, data, sizeof(half));
    return FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64((uint64_t)half << 32) : half;
}

/* One to seven bytes, followed by zeros; some are loaded twice. */
static inline uint64_t intern_load_few_(const char *data, uint32_t size)
{
    uint32_t middle = size / 2;

    if (size >= 4)
        return intern_load_4_(data) | intern_load_4_(data + size - 4) << 8 * (size - 4);
    return (unsigned char)data[0] | (uint64_t)(unsigned char)data[middle] << 8 * middle |
           (uint64_t)(unsigned char)data[size - 1] << 8 * (size - 1);
}

static inline uint64_t intern_mix_(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

/* Never 0. The words are mixed side by side, which takes less time than one after the
 * other; the second counts twice, so that their order matters. */
static inline uint32_t intern_hash_(uint64_t hash, const uint64_t words[2], uint32_t salt)
{
    hash = intern_mix_(hash, words[0]) + 2 * intern_mix_(0, words[1]);
    return ((uint32_t)intern_mix_(hash, 0) | 1) ^ salt;
}

/* The key of a string of at least one byte. */
static inline struct intern_key intern_string_key(const struct fxt_string *s,
                                                  uint32_t salt)
{
    struct intern_key key = {.data = s->data, .size = (uint16_t)s->size};
    uint64_t hash = s->size;

    if (s->size >= 8) {
        key.words[0] = intern_load_8_(s->data);
        key.words[1] = intern_load_8_(s->data + s->size - 8);
        for (uint32_t at = 8; at + 8 < s->size; at += 8)
            hash = intern_mix_(hash, intern_load_8_(s->data + at));
    } else {
        key.words[0] = intern_load_few_(s->data, s->size);
    }
    key.hash = intern_hash_(hash, key.words, salt);
    return key;
}

static inline struct intern_key intern_thread_key(uint64_t process, uint64_t thread,
                                                  uint32_t salt)
{
    struct intern_key key = {.words = {process, thread}};

    key.hash = intern_hash_(0, key.words, salt);
    return key;
}

#endif
