/* SPDX-License-Identifier: BSD-2-Clause */
/* See quote.h. */
#include "quote.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* One step through a string: a code point, or an ill-formed sequence. */
struct step {
    uint32_t code_point;
    /* How many bytes it takes. */
    size_t size;
    bool valid;
};

/* The second byte's range after a given first byte; the ranges shut out overlong forms,
 * surrogates and all beyond U+10FFFF (Unicode, table 3-7). */
static void second_byte_range(unsigned char first, unsigned char *low,
                              unsigned char *high)
{
    *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
}

static struct step next_step(const unsigned char *s, size_t size)
{
    unsigned char low;
    unsigned char high;
    size_t length;
    uint32_t code_point;

    if (s[0] < 0x80)
        return (struct step){s[0], 1, true};
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return (struct step){0, 1, false};
    length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    code_point = s[0] & (0xff >> (length + 1));
    second_byte_range(s[0], &low, &high);
    for (size_t i = 1; i < length; i++) {
        if (i == size || s[i] < low || s[i] > high)
            return (struct step){0, i, false};
        code_point = code_point << 6 | (s[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    return (struct step){code_point, length, true};
}

/* Adds one step of the string, as it is if it is plain. */
typedef void add_step(struct text *text, struct step step, const unsigned char *bytes);

static void each_step(struct text *text, const char *data, size_t size, add_step *add)
{
    const unsigned char *s = (const unsigned char *)data;

    while (size > 0) {
        struct step step = next_step(s, size);

        if (step.valid)
            add(text, step, s);
        else
            text_str(text, REPLACEMENT);
        s += step.size;
        size -= step.size;
    }
}

static void add_utf8(struct text *text, struct step step, const unsigned char *bytes)
{
    text_add(text, bytes, step.size);
}

void quote_utf8(struct text *text, const char *data, size_t size)
{
    each_step(text, data, size, add_utf8);
}

size_t quote_count_utf8(const char *data, size_t size)
{
    const unsigned char *s = (const unsigned char *)data;
    size_t n = 0;

    while (n < size) {
        struct step step = next_step(s + n, size - n);

        if (!step.valid)
            break;
        n += step.size;
    }
    return n;
}

/* Unicode's bidirectional control characters (Bidi_Control), which change the order in
 * which what follows is shown. */
static bool reorders_text(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/* Characters that move, hide or reorder what a terminal shows: those, the C1 controls,
 * the zero-width characters, separators, and the byte order mark. */
static bool misleads_reader(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200d) ||
           c == 0x2028 || c == 0x2029 || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           reorders_text(c);
}

/* "\u{202e}" */
static void add_escape(struct text *text, uint32_t c)
{
    text_str(text, "\\u{");
    text_hex(text, c, 4);
    text_char(text, '}');
}

static void add_json(struct text *text, struct step step, const unsigned char *bytes)
{
    static const char short_forms[] = "\b\f\n\r\t\"\\";
    static const char letters[] = "bfnrt\"\\";
    const char *form = step.code_point > 0 && step.code_point < 0x80
                           ? strchr(short_forms, (int)step.code_point)
                           : NULL;

    if (form != NULL) {
        text_char(text, '\\');
        text_char(text, letters[form - short_forms]);
    } else if (step.code_point < 0x20 || step.code_point == 0x7f ||
               misleads_reader(step.code_point)) {
        text_str(text, "\\u");
        text_hex(text, step.code_point, 4);
    } else {
        text_add(text, bytes, step.size);
    }
}

/* How many bytes from the start need no thought: printable ASCII, no quote or backslash.
 */
static size_t plain_prefix(const char *data, size_t size)
{
    size_t n = 0;

    while (n < size && data[n] >= 0x20 && data[n] < 0x7f && data[n] != '"' &&
           data[n] != '\\')
        n++;
    return n;
}

/* The same as each_step, for functions that add what is plain as it is. */
static void each_step_but_plain(struct text *text, const char *data, size_t size,
                                add_step *add)
{
    size_t plain;

    /* An empty string may have no data at all. */
    if (size == 0)
        return;
    plain = plain_prefix(data, size);
    text_add(text, data, plain);
    each_step(text, data + plain, size - plain, add);
}

void quote_json(struct text *text, const char *data, size_t size)
{
    text_char(text, '"');
    each_step_but_plain(text, data, size, add_json);
    text_char(text, '"');
}

static void add_json_shown(struct text *text, struct step step,
                           const unsigned char *bytes)
{
    if (reorders_text(step.code_point)) {
        text_char(text, '\\');
        add_escape(text, step.code_point);
    } else {
        add_json(text, step, bytes);
    }
}

void quote_json_shown(struct text *text, const char *data, size_t size)
{
    text_char(text, '"');
    each_step_but_plain(text, data, size, add_json_shown);
    text_char(text, '"');
}

static void add_text(struct text *text, struct step step, const unsigned char *bytes)
{
    uint32_t c = step.code_point;

    if (c == '\n') {
        text_str(text, "\\n");
    } else if (c == '\t') {
        text_str(text, "\\t");
    } else if (c == '\\') {
        text_str(text, "\\\\");
    } else if (c < 0x20 || c == 0x7f) {
        text_str(text, "\\x");
        text_hex(text, c, 2);
    } else if (misleads_reader(c)) {
        add_escape(text, c);
    } else {
        text_add(text, bytes, step.size);
    }
}

void quote_text(struct text *text, const char *data, size_t size)
{
    each_step_but_plain(text, data, size, add_text);
}

static void add_quoted(struct text *text, struct step step, const unsigned char *bytes)
{
    if (step.code_point == '"')
        text_char(text, '\\');
    add_text(text, step, bytes);
}

void quote_quoted(struct text *text, const char *data, size_t size)
{
    text_char(text, '"');
    each_step_but_plain(text, data, size, add_quoted);
    text_char(text, '"');
}

/* Whether a character may end a word among others: one bit of `ends` for each of those
 * below 64. */
static bool ends_word(unsigned char c)
{
    static const uint64_t ends = UINT64_C(1) << '"' | UINT64_C(1) << '\'' |
                                 UINT64_C(1) << '=' | UINT64_C(1) << '#' |
                                 UINT64_C(1) << '<' | UINT64_C(1) << '>' |
                                 UINT64_C(1) << '(' | UINT64_C(1) << ')';

    return c <= ' ' || (c < 64 && (ends >> c & 1) != 0);
}

void quote_word(struct text *text, const char *data, size_t size)
{
    bool plain = size > 0;

    for (size_t i = 0; i < size && plain; i++)
        plain = !ends_word((unsigned char)data[i]);
    if (plain)
        quote_text(text, data, size);
    else
        quote_quoted(text, data, size);
}

static void add_frame(struct text *text, struct step step, const unsigned char *bytes)
{
    uint32_t c = step.code_point;

    if (c == ';')
        text_char(text, ':');
    else if (c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x2028 ||
             c == 0x2029)
        text_char(text, ' ');
    else if (reorders_text(c))
        add_escape(text, c);
    else
        text_add(text, bytes, step.size);
}

void quote_frame(struct text *text, const char *data, size_t size)
{
    size_t start = text->size;
    size_t first = start;

    each_step(text, data, size, add_frame);
    while (text->size > start && text->data[text->size - 1] == ' ')
        text->size--;
    while (first < text->size && text->data[first] == ' ')
        first++;
    if (first > start)
        memmove(text->data + start, text->data + first, text->size - first);
    text->size -= first - start;
    if (text->size == start)
        text_char(text, '_');
}

/* U+2400 to U+241F and U+2421 show U+0000 to U+001F and U+007F. */
static void add_picture(struct text *text, uint32_t control)
{
    text_str(text, "\xe2\x90");
    text_char(text, (char)(0x80 + (control == 0x7f ? 0x21 : control)));
}

static void add_xml(struct text *text, struct step step, const unsigned char *bytes)
{
    uint32_t c = step.code_point;

    if (c == '&')
        text_str(text, "&amp;");
    else if (c == '<')
        text_str(text, "&lt;");
    else if (c == '>')
        text_str(text, "&gt;");
    else if (c == '"')
        text_str(text, "&quot;");
    else if (c == '\'')
        text_str(text, "&#39;");
    else if (c < 0x20 || c == 0x7f)
        add_picture(text, c);
    else if ((c >= 0x80 && c < 0xa0) || c == 0xfffe || c == 0xffff)
        text_str(text, REPLACEMENT);
    else if (reorders_text(c))
        add_escape(text, c);
    else
        text_add(text, bytes, step.size);
}

void quote_xml(struct text *text, const char *data, size_t size)
{
    each_step(text, data, size, add_xml);
}
