/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as initializers of a table:
 *
 *     {H(2 | AT(16, 5) | AT(32, 3)), S("abc"), H(...), W(1000)}
 *
 * H starts a record, which goes up to the next H or E and gets its size; W is a word as
 * it is, S a padded string, Z a number of zero words, B one byte.
 */
#ifndef TESTS_SUPPORT_ITEMS_H
#define TESTS_SUPPORT_ITEMS_H

#include "words.h"

enum item_kind {
    ITEM_NONE,
    ITEM_HEADER,
    ITEM_END,
    ITEM_WORD,
    ITEM_STRING,
    ITEM_ZEROS,
    ITEM_BYTE
};

struct item {
    enum item_kind kind;
    uint64_t word;
    const char *text;
};

/* clang-format off */
#define H(header) {ITEM_HEADER, (header), NULL}
#define E {ITEM_END, 0, NULL}
#define W(word) {ITEM_WORD, (word), NULL}
#define S(text) {ITEM_STRING, 0, (text)}
#define Z(n_words) {ITEM_ZEROS, (n_words), NULL}
#define B(byte) {ITEM_BYTE, (byte), NULL}
/* clang-format on */

/* The header of an argument of `n_words` words: its type, the reference to its name, and
 * what stands in its upper half. */
#define ARG(type, n_words, name, value)                                                  \
    W((type) | AT(4, n_words) | AT(16, name) | AT(32, value))

static inline void put_item(struct words *w, const struct item *item)
{
    unsigned char byte = (unsigned char)item->word;

    switch (item->kind) {
    case ITEM_NONE:
    case ITEM_END:
        break;
    case ITEM_HEADER:
        put_begin(w, item->word);
        break;
    case ITEM_WORD:
        put(w, item->word);
        break;
    case ITEM_STRING:
        put_text(w, item->text);
        break;
    case ITEM_ZEROS:
        put_zeros(w, item->word);
        break;
    case ITEM_BYTE:
        put_raw(w, &byte, 1);
        break;
    }
}

/* Puts items up to the first that is none. */
static inline void put_items(struct words *w, const struct item *items)
{
    bool open = false;

    for (; items->kind != ITEM_NONE; items++) {
        bool ends = items->kind == ITEM_HEADER || items->kind == ITEM_END;

        if (ends && open)
            put_end(w);
        if (ends)
            open = items->kind == ITEM_HEADER;
        put_item(w, items);
    }
    if (open)
        put_end(w);
}

#endif
