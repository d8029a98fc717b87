/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records for tests, put together word by word in either byte order. It knows how FXT
 * packs words, streams and sizes, and nothing of libfxt: the bits of a header are written
 * out where it is made, as the trace format reference lists them.
 *
 *     put_begin(&w, 2 | AT(16, 5) | AT(32, 3));      a string record, index 5, 3 bytes
 *     put_text(&w, "abc");
 *     put_end(&w);
 */
#ifndef TESTS_SUPPORT_WORDS_H
#define TESTS_SUPPORT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A value in a word, from bit `low` on. */
#define AT(low, value) ((uint64_t)(value) << (low))
/* A reference to a string of `size` bytes that is inline. */
#define IN_LINE(size) (0x8000 | (size))

#define MAGIC 0x0016547846040010

struct words {
    /* Start with {0}, or with {.big = true}; free the bytes with words_free. */
    bool big;
    unsigned char *bytes;
    size_t size;
    size_t room;
    /* Where the headers of the record and of the argument that are being made stand. */
    size_t record;
    size_t arg;
};

static inline void words_free(struct words *w)
{
    free(w->bytes);
    *w = (struct words){.big = w->big};
}

/* Bytes as they are, with no padding. */
static inline void put_raw(struct words *w, const void *bytes, size_t size)
{
    if (w->size + size > w->room) {
        w->room = (w->size + size) * 2;
        w->bytes = (unsigned char *)realloc(w->bytes, w->room);
        if (w->bytes == NULL)
            abort();
    }
    if (size > 0)
        memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static inline void word_to_bytes(bool big, uint64_t word, unsigned char bytes[8])
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (big ? 56 - 8 * i : 8 * i));
}

static inline uint64_t word_from_bytes(bool big, const unsigned char bytes[8])
{
    uint64_t word = 0;

    for (int i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << (big ? 56 - 8 * i : 8 * i);
    return word;
}

static inline void put(struct words *w, uint64_t word)
{
    unsigned char bytes[8];

    word_to_bytes(w->big, word, bytes);
    put_raw(w, bytes, sizeof(bytes));
}

static inline void put_zeros(struct words *w, size_t n_words)
{
    while (n_words-- > 0)
        put(w, 0);
}

/* A stream: bytes and zeros up to the next whole word. */
static inline void put_bytes(struct words *w, const void *bytes, size_t size)
{
    static const unsigned char zeros[8];

    put_raw(w, bytes, size);
    put_raw(w, zeros, (8 - size % 8) % 8);
}

static inline void put_text(struct words *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

static inline uint64_t word_at(const struct words *w, size_t offset)
{
    return word_from_bytes(w->big, w->bytes + offset);
}

static inline void change_word(struct words *w, size_t offset, uint64_t word)
{
    word_to_bytes(w->big, word, w->bytes + offset);
}

/* Adds what has been put since `start` to the size field of the header there. */
static inline void put_size(struct words *w, size_t start)
{
    change_word(w, start, word_at(w, start) + AT(4, (w->size - start) / 8));
}

/* A record whose header has these bits; put_end adds its size. */
static inline void put_begin(struct words *w, uint64_t header)
{
    w->record = w->size;
    put(w, header);
}

static inline void put_end(struct words *w)
{
    put_size(w, w->record);
}

/* The same for an argument. */
static inline void put_arg_begin(struct words *w, uint64_t header)
{
    w->arg = w->size;
    put(w, header);
}

static inline void put_arg_end(struct words *w)
{
    put_size(w, w->arg);
}

#endif
