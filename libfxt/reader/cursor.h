/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded walk over the words of one record that cannot run off its end. A read that
 * does not fit gives zero and marks the cursor as faulty, permanently; the caller checks
 * once, at the end.
 *
 * Everything is counted in 64-bit words and compared before it is added, so no size from
 * the input can wrap. Every word is loaded once.
 */
#ifndef LIBFXT_READER_CURSOR_H
#define LIBFXT_READER_CURSOR_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/types.h>

#include "load.h"

struct cursor {
    /* Words are loaded from here ... */
    const unsigned char *words;
    /* ... and pointers passed to the caller point here: the same, unless the words are a
     * copy (see copy_userspace_object). */
    const unsigned char *view;
    /* The next word, and the first one after the record or argument. */
    uint64_t pos;
    uint64_t end;
    bool words_swapped;
    bool view_swapped;
    /* What a missing word is called: FXT_E_RECORD_SHORT or FXT_E_ARG_SHORT. */
    enum fxt_code if_short;
    /* The first fault and the word it is about. */
    enum fxt_code fault;
    uint64_t fault_pos;
};

/* Places a cursor after the header of a record of `n_words` words at `data`. */
static inline void cursor_start(struct cursor *c, const void *data, uint64_t n_words,
                                bool swapped)
{
    assert(n_words > 0);
    c->words = (const unsigned char *)data;
    c->view = (const unsigned char *)data;
    c->pos = 1;
    c->end = n_words;
    c->words_swapped = swapped;
    c->view_swapped = swapped;
    c->if_short = FXT_E_RECORD_SHORT;
    c->fault = FXT_OK;
    c->fault_pos = 0;
}

static inline uint64_t cursor_left(const struct cursor *c)
{
    return c->end - c->pos;
}

/* Marks the cursor as faulty at a word, unless it is so already, and lets it yield
 * nothing more. */
static inline void cursor_fail(struct cursor *c, enum fxt_code fault, uint64_t pos)
{
    if (c->fault == FXT_OK) {
        c->fault = fault;
        c->fault_pos = pos;
    }
    c->end = c->pos;
}

static inline uint64_t cursor_load_(const struct cursor *c, uint64_t pos)
{
    uint64_t word = LOAD_WORD(c->words + pos * FXT_WORD_BYTES);

    return c->words_swapped ? FXT_SWAP64(word) : word;
}

static inline uint64_t cursor_word(struct cursor *c)
{
    if (FXT_UNLIKELY(c->pos >= c->end)) {
        cursor_fail(c, c->if_short, c->pos);
        return 0;
    }
    return cursor_load_(c, c->pos++);
}

/* A stream of `size` bytes, padded to whole words. If it exceeds the record, the cursor
 * fails with `if_over`, at word `size_at`, and no bytes are returned. */
static inline const unsigned char *cursor_stream(struct cursor *c, uint64_t size,
                                                 enum fxt_code if_over, uint64_t size_at)
{
    const unsigned char *bytes = c->view + c->pos * FXT_WORD_BYTES;

    if (FXT_UNLIKELY(size > cursor_left(c) * FXT_WORD_BYTES)) {
        cursor_fail(c, if_over, size_at);
        return bytes;
    }
    c->pos += (size + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
    return bytes;
}

/* A run of `count` words, or an empty one and the fault `if_over`. */
static inline struct fxt_words cursor_run(struct cursor *c, uint64_t count,
                                          enum fxt_code if_over)
{
    struct fxt_words run = {c->view + c->pos * FXT_WORD_BYTES, count, c->view_swapped};

    if (FXT_UNLIKELY(count > cursor_left(c))) {
        cursor_fail(c, if_over, c->end);
        run.count = 0;
        return run;
    }
    c->pos += count;
    return run;
}

static inline struct fxt_words cursor_rest(struct cursor *c)
{
    return cursor_run(c, cursor_left(c), c->if_short);
}

#endif
