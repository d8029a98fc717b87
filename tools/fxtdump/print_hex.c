/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records as lines of text, and below each all of its words: their offsets, as numbers,
 * which the format's fields are bits of, and as the characters of their bytes.
 */
#include "common/base/hex.h"
#include "plain.h"
#include "print_text.h"

enum {
    LINE_WORDS = 4,
    /* Offset, words and characters, with the spaces in front of each, and colours. */
    LINE_MAX = 2 + sizeof(PLAIN_FAINT) + 2 + 16 + sizeof(PLAIN_END) + LINE_WORDS * 17 +
               2 + LINE_WORDS * 8 + 1
};

static char *add_chars(char *to, const char *chars, size_t n)
{
    memcpy(to, chars, n);
    return to + n;
}

/* Eight digits, or more where it takes more. */
static inline char *add_number(char *to, uint64_t number)
{
    int n = 8;

    if (number <= UINT32_MAX) {
        for (int i = 0; i < 4; i++)
            hex_byte(to + 2 * i, (unsigned)(number >> (24 - 8 * i)));
        return to + n;
    }
    while (n < 16 && number >> (4 * n) != 0)
        n++;
    hex_word(to, number << (4 * (16 - n)));
    return to + n;
}

/* Two spaces, "0x" and the digits. */
static inline char *add_offset(char *to, const struct print_context *context,
                               uint64_t offset)
{
    if (!context->color)
        return add_number(add_chars(to, "  0x", 4), offset);
    to = add_chars(to, "  " PLAIN_FAINT "0x", sizeof("  " PLAIN_FAINT "0x") - 1);
    to = add_number(to, offset);
    return add_chars(to, PLAIN_END, sizeof(PLAIN_END) - 1);
}

/* Bytes as they are, with a dot for each that is not printable ASCII. Compilers make of
 * it what their machine has for many bytes at once. */
static inline void add_characters(char *restrict to, const unsigned char *restrict bytes,
                                  size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i] : '.');
}

/* A line of `n` words, the first of them at `offset` of the stream. Where `n` is known it
 * becomes one run of stores. */
static inline void add_line(struct text *out, const struct print_context *context,
                            uint64_t offset, struct fxt_words words, size_t n)
{
    char *to = add_offset(text_room(out, LINE_MAX), context, offset);

    for (size_t i = 0; i < n; i++) {
        *to++ = ' ';
        hex_word(to, fxt_words_get(words, i));
        to += 16;
    }
    memset(to, ' ', (LINE_WORDS - n) * 17 + 2);
    to += (LINE_WORDS - n) * 17 + 2;
    add_characters(to, (const unsigned char *)words.data, n * FXT_WORD_BYTES);
    to += n * FXT_WORD_BYTES;
    /* Characters may be spaces, too. */
    while (to[-1] == ' ')
        to--;
    *to++ = '\n';
    out->size = (size_t)(to - out->data);
}

static void add_lines(struct text *out, const struct print_context *context,
                      uint64_t offset, struct fxt_words words)
{
    const char *bytes = (const char *)words.data;

    for (; words.count >= LINE_WORDS; words.count -= LINE_WORDS) {
        words.data = bytes;
        add_line(out, context, offset, words, LINE_WORDS);
        bytes += LINE_WORDS * FXT_WORD_BYTES;
        offset += LINE_WORDS * FXT_WORD_BYTES;
    }
    words.data = bytes;
    if (words.count > 0)
        add_line(out, context, offset, words, (size_t)words.count);
}

/* Begins a line that is none of words. */
static void start_line(struct text *out, const struct print_context *context,
                       uint64_t offset)
{
    char *to = add_offset(text_room(out, LINE_MAX), context, offset);

    out->size = (size_t)(to - out->data);
}

/* Less than a word, at the end of a file: byte by byte, in their order. */
static void add_rest(struct text *out, const struct print_context *context,
                     uint64_t offset, const unsigned char *bytes, size_t size)
{
    start_line(out, context, offset);
    text_str(out, "  bytes");
    for (size_t i = 0; i < size; i++) {
        text_char(out, ' ');
        text_hex(out, bytes[i], 2);
    }
    plain_end(out);
}

static void print_record(struct text *out, const struct print_context *context,
                         const struct fxt_record *record)
{
    struct fxt_words words = {record->data, record->size / FXT_WORD_BYTES,
                              record->swapped};

    print_text.record(out, context, record);
    add_lines(out, context, record->offset, words);
}

static void print_fault(struct text *out, const struct print_context *context,
                        const struct fault *fault)
{
    struct fxt_words words = {fault->data, fault->n_data / FXT_WORD_BYTES,
                              fault->swapped};
    size_t in_words = (size_t)words.count * FXT_WORD_BYTES;

    print_text.fault(out, context, fault);
    add_lines(out, context, fault->offset, words);
    if (fault->n_data > in_words)
        add_rest(out, context, fault->offset + in_words,
                 (const unsigned char *)fault->data + in_words, fault->n_data - in_words);
    if (fault->size > fault->n_data) {
        start_line(out, context, fault->offset + fault->n_data);
        plain_bytes(out, fault->size - fault->n_data);
        text_str(out, " are no longer in memory");
        plain_end(out);
    }
}

const struct printer print_hex = {print_text_region, print_record, print_fault};
