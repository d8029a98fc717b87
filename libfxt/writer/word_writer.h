/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded walk over words that are being written, the counterpart of cursor.h. What
 * does not fit is not written and marks the word writer as faulty, permanently; the
 * caller checks once, at the end.
 */
#ifndef LIBFXT_WRITER_WORD_WRITER_H
#define LIBFXT_WRITER_WORD_WRITER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <fxt/common.h>
#include <fxt/types.h>

struct word_writer {
    uint64_t *words;
    /* The next word, and the first one that must not be written. */
    uint64_t pos;
    uint64_t end;
    /* Words are stored in the byte order that is not this machine's. */
    bool swapped;
    /* What it means that something does not fit. */
    enum fxt_code if_full;
    /* The first fault. */
    enum fxt_code fault;
};

static inline void word_writer_init(struct word_writer *p, uint64_t *words,
                                    uint64_t n_words, bool swapped)
{
    p->words = words;
    p->pos = 0;
    p->end = n_words;
    p->swapped = swapped;
    p->if_full = FXT_E_RECORD_SIZE;
    p->fault = FXT_OK;
}

/* Marks the word writer as faulty, unless it is so already, and lets it write nothing
 * more. */
static inline void word_writer_fail(struct word_writer *p, enum fxt_code fault)
{
    if (p->fault == FXT_OK)
        p->fault = fault;
    p->end = p->pos;
}

/* Stores a word at a position that has been written already. */
static inline void word_writer_store(struct word_writer *p, uint64_t pos, uint64_t word)
{
    assert(pos < p->pos);
    p->words[pos] = p->swapped ? FXT_SWAP64(word) : word;
}

static inline void word_writer_put(struct word_writer *p, uint64_t word)
{
    if (FXT_UNLIKELY(p->pos >= p->end)) {
        word_writer_fail(p, p->if_full);
        return;
    }
    word_writer_store(p, p->pos++, word);
}

/* How many words a stream of bytes takes. */
static inline uint64_t words_for_bytes(uint64_t size)
{
    return size / FXT_WORD_BYTES + (size % FXT_WORD_BYTES != 0);
}

/* Bytes, and zeros up to the next whole word. */
static inline void word_writer_put_bytes(struct word_writer *p, const void *data,
                                         uint64_t size)
{
    uint64_t n_words = words_for_bytes(size);

    if (size == 0)
        return;
    if (FXT_UNLIKELY(n_words > p->end - p->pos)) {
        word_writer_fail(p, p->if_full);
        return;
    }
    p->words[p->pos + n_words - 1] = 0;
    memcpy(&p->words[p->pos], data, (size_t)size);
    p->pos += n_words;
}

static inline void word_writer_put_words(struct word_writer *p, struct fxt_words run)
{
    if (FXT_UNLIKELY(run.count > p->end - p->pos)) {
        word_writer_fail(p, p->if_full);
        return;
    }
    for (uint64_t i = 0; i < run.count; i++)
        word_writer_store(p, p->pos++, fxt_words_get(run, i));
}

#endif
