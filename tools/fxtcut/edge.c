/* SPDX-License-Identifier: BSD-2-Clause */
/* See edge.h. */
#include "edge.h"

#include <string.h>

#include <fxt/format.h>

enum { MARK_WORDS = 2, HEAD_WORDS = 2 };

/* The parts of an event, in words. */
struct layout {
    const unsigned char *bytes;
    bool swapped;
    size_t n_words;
    uint64_t header;
    size_t args_at;
    size_t tail_at;
    uint64_t n_args;
};

static uint64_t load(const struct layout *l, size_t at)
{
    const struct fxt_words words = {l->bytes, l->n_words, l->swapped};

    return at < l->n_words ? fxt_words_get(words, at) : 0;
}

static size_t string_words(uint64_t ref)
{
    if (ref < FXT_STRING_REF_INLINE)
        return 0;
    return ((ref & FXT_STRING_REF_SIZE_MASK) + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
}

/* Finds where the arguments end of which there are to be `n_args`. */
static void find_tail(struct layout *l, uint64_t n_args)
{
    l->n_args = n_args;
    l->tail_at = l->args_at;
    for (uint64_t i = 0; i < n_args; i++)
        l->tail_at += (size_t)FXT_GET(load(l, l->tail_at), ARG_WORDS);
}

static struct layout find_layout(const struct held *event)
{
    struct layout l = {.bytes = event->bytes,
                       .swapped = event->swapped,
                       .n_words = event->size / FXT_WORD_BYTES};

    l.header = load(&l, 0);
    l.args_at = HEAD_WORDS + string_words(FXT_GET(l.header, EVENT_CATEGORY)) +
                string_words(FXT_GET(l.header, EVENT_NAME));
    if (FXT_GET(l.header, EVENT_THREAD) == FXT_THREAD_REF_INLINE)
        l.args_at += 2;
    find_tail(&l, FXT_GET(l.header, EVENT_ARGS));
    return l;
}

static void add_word(struct text *to, const struct layout *l, uint64_t word)
{
    if (l->swapped)
        word = FXT_SWAP64(word);
    text_add(to, &word, sizeof(word));
}

static void add_words(struct text *to, const struct layout *l, size_t first, size_t last)
{
    if (first < last && last <= l->n_words)
        text_add(to, l->bytes + first * FXT_WORD_BYTES, (last - first) * FXT_WORD_BYTES);
}

/* With the zeros that fill the word. */
static const char mark_name[FXT_WORD_BYTES] = "cut";

static uint64_t mark_header(void)
{
    return FXT_PUT(RECORD_TYPE, FXT_ARG_BOOL) | FXT_PUT(ARG_WORDS, MARK_WORDS) |
           FXT_PUT(ARG_NAME, FXT_STRING_REF_INLINE | strlen(mark_name)) |
           FXT_PUT(ARG_BOOL, 1);
}

/* What was cut before has the mark. */
static bool has_mark(const struct layout *l)
{
    return l->n_args > 0 && l->tail_at >= l->args_at + MARK_WORDS &&
           load(l, l->tail_at - MARK_WORDS) == mark_header() &&
           memcmp(l->bytes + (l->tail_at - 1) * FXT_WORD_BYTES, mark_name,
                  FXT_WORD_BYTES) == 0;
}

/* How many words follow the arguments in any event of a kind. */
static size_t tail_words(uint32_t kind)
{
    return kind >= FXT_EVENT_DURATION_COMPLETE && kind <= FXT_EVENT_FLOW_END;
}

static size_t count_words(const struct layout *l, size_t n_tail)
{
    return l->tail_at + MARK_WORDS + n_tail;
}

/* Leaves out the arguments for which there is no room beside the mark. Returns how many
 * words follow the arguments. */
static size_t make_room(struct layout *l, const struct edge *edge)
{
    size_t n_tail = edge->has_args ? l->n_words - l->tail_at : tail_words(edge->kind);

    if (!edge->has_args)
        find_tail(l, 0);
    else if (has_mark(l))
        find_tail(l, l->n_args - 1);
    else if (l->n_args == FXT_ARGS_MAX)
        find_tail(l, FXT_ARGS_MAX - 1);
    if (count_words(l, n_tail) > FXT_RECORD_WORDS_MAX)
        n_tail = tail_words(edge->kind);
    while (l->n_args > 0 && count_words(l, n_tail) > FXT_RECORD_WORDS_MAX)
        find_tail(l, l->n_args - 1);
    return n_tail;
}

void edge_make(struct text *to, const struct held *event, const struct edge *edge)
{
    struct layout l = find_layout(event);
    size_t tail_at = l.tail_at;
    size_t n_tail = make_room(&l, edge);
    size_t tail_end = tail_at + n_tail;

    l.header &= ~(FXT_PUT(RECORD_WORDS, UINT64_MAX) | FXT_PUT(EVENT_TYPE, UINT64_MAX) |
                  FXT_PUT(EVENT_ARGS, UINT64_MAX));
    add_word(to, &l,
             l.header | FXT_PUT(RECORD_WORDS, count_words(&l, n_tail)) |
                 FXT_PUT(EVENT_TYPE, edge->kind) | FXT_PUT(EVENT_ARGS, l.n_args + 1));
    add_word(to, &l, edge->timestamp);
    add_words(to, &l, HEAD_WORDS, l.tail_at);
    add_word(to, &l, mark_header());
    text_add(to, mark_name, FXT_WORD_BYTES);
    if (edge->kind == FXT_EVENT_DURATION_COMPLETE) {
        add_word(to, &l, edge->end_timestamp);
        tail_at++;
    }
    add_words(to, &l, tail_at, tail_end);
}
