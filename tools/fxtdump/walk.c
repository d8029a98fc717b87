/* SPDX-License-Identifier: BSD-2-Clause */
/* See walk.h. */
#include "walk.h"

#include <fxt/format.h>

#include "plain.h"
#include "common/base/quote.h"

/* "  0x00000008  " */
static void add_place(const struct record_walk *w)
{
    text_str(w->out, "  ");
    plain_style(w->out, w->context, PLAIN_FAINT);
    text_str(w->out, "0x");
    text_hex(w->out, w->offset + w->at * FXT_WORD_BYTES, 8);
    plain_style_end(w->out, w->context);
    text_str(w->out, "  ");
}

uint64_t walk_word(struct record_walk *w, const char *name)
{
    uint64_t word;

    if (walk_left(w) == 0) {
        w->failed = true;
        return 0;
    }
    word = fxt_words_get(w->words, w->at);
    if (w->out != NULL) {
        add_place(w);
        text_hex(w->out, word, 16);
        text_str(w->out, "  ");
        text_str(w->out, name);
        text_char(w->out, '\n');
    }
    w->at++;
    return word;
}

/* "7 bytes" in as many columns as a word takes. */
static void add_size(struct text *out, uint64_t size)
{
    size_t end = out->size + 16;

    text_count(out, size, "byte");
    while (out->size < end)
        text_char(out, ' ');
}

void walk_stream(struct record_walk *w, const char *name, uint64_t size, bool is_text)
{
    uint64_t n_words = size / FXT_WORD_BYTES + (size % FXT_WORD_BYTES != 0);
    const char *bytes = (const char *)w->words.data + w->at * FXT_WORD_BYTES;

    if (n_words > walk_left(w)) {
        w->failed = true;
        return;
    }
    if (w->out != NULL && n_words > 0) {
        add_place(w);
        add_size(w->out, size);
        text_str(w->out, "  ");
        text_str(w->out, name);
        if (is_text) {
            text_char(w->out, ' ');
            quote_quoted(w->out, bytes, (size_t)size);
        }
        text_char(w->out, '\n');
    }
    w->at += n_words;
}

void walk_rest(struct record_walk *w, const char *name)
{
    walk_stream(w, name, walk_left(w) * FXT_WORD_BYTES, false);
}

void walk_string(struct record_walk *w, const char *name, uint64_t ref)
{
    if (ref & FXT_STRING_REF_INLINE)
        walk_stream(w, name, ref & FXT_STRING_REF_SIZE_MASK, true);
}

void walk_thread_as(struct record_walk *w, uint64_t ref, const char *process,
                    const char *thread)
{
    if (ref == FXT_THREAD_REF_INLINE) {
        walk_word(w, process);
        walk_word(w, thread);
    }
}

void walk_thread(struct record_walk *w, uint64_t ref)
{
    walk_thread_as(w, ref, "process", "thread");
}

/* ---- Arguments --------------------------------------------------------------------- */

static void add_value(struct record_walk *w, uint64_t header)
{
    switch (FXT_GET(header, ARG_TYPE)) {
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_DOUBLE:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        walk_word(w, "value");
        break;
    case FXT_ARG_STRING:
        walk_string(w, "value", FXT_GET(header, ARG_STRING));
        break;
    case FXT_ARG_BLOB:
        walk_stream(w, "value", FXT_GET(header, ARG_VALUE), false);
        break;
    default:
        break;
    }
}

static void add_arg(struct record_walk *w)
{
    uint64_t start = w->at;
    uint64_t end = w->end;
    uint64_t header = walk_word(w, "argument header");
    uint64_t n_words = FXT_GET(header, ARG_WORDS);

    if (w->failed || n_words == 0 || n_words > end - start) {
        w->failed = true;
        return;
    }
    if (w->out != NULL)
        fields_print(w->out, fields_of_arg(header), header);
    w->end = start + n_words;
    walk_string(w, "name", FXT_GET(header, ARG_NAME));
    add_value(w, header);
    walk_rest(w, "surplus");
    w->end = end;
}

void walk_args(struct record_walk *w, uint64_t n_args)
{
    for (uint64_t i = 0; i < n_args && !w->failed; i++)
        add_arg(w);
}
