/* SPDX-License-Identifier: BSD-2-Clause */
/* Names made safe for XML and folded stacks; other output is tested with its writers. */
#include <string.h>

#include "tests/support/pooled.h"
#include "common/base/quote.h"

#define BAD "\xef\xbf\xbd"

/* What `size` bytes are in XML. The caller frees. */
static struct text xml_of(const char *data, size_t size)
{
    struct text text = {NULL, 0, 0};

    quote_xml(&text, data, size);
    text_char(&text, '\0');
    return text;
}

static void assert_xml(const char *data, size_t size, const char *expected)
{
    struct text text = xml_of(data, size);

    cr_assert_str_eq(text.data, expected);
    cr_assert_eq(text.size, strlen(expected) + 1);
}

#define ASSERT_XML(literal, expected) assert_xml(literal, sizeof(literal) - 1, expected)

#define ASSERT_FRAME(literal, expected)                                                  \
    assert_frame(literal, sizeof(literal) - 1, expected)

static void assert_frame(const char *data, size_t size, const char *expected)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, "before;");
    quote_frame(&text, data, size);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data + strlen("before;"), expected);
}

POOLED_TEST(quote_frame, a_name_has_no_spaces_at_either_end)
{
    ASSERT_FRAME("main", "main");
    ASSERT_FRAME("operator new(unsigned long)", "operator new(unsigned long)");
    ASSERT_FRAME("  x  y\t", "x  y");
    ASSERT_FRAME("\x7f\x01 x\x7f", "x");
    ASSERT_FRAME("\xc2\x80\xe2\x80\xa8x\xc2\x9f", "x");
    ASSERT_FRAME("a;b\nc", "a:b c");
    ASSERT_FRAME("", "_");
    ASSERT_FRAME(" \0\x7f\xc2\x85", "_");
}

/* All of Unicode's property Bidi_Control. */
static const uint32_t reordering[] = {0x61c,  0x200e, 0x200f, 0x202a, 0x202b, 0x202c,
                                      0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};

typedef void quote_fn(struct text *text, const char *data, size_t size);

static void assert_escaped(quote_fn *quote, uint32_t c, const char *format)
{
    struct text text = {NULL, 0, 0};
    struct text expected = {NULL, 0, 0};
    char utf8[] = {'a', (char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)),
                   (char)(0x80 | (c & 0x3f)), 'b'};

    if (c < 0x800)
        utf8[1] = ' ', utf8[2] = (char)(0xc0 | c >> 6);
    quote(&text, utf8, sizeof(utf8));
    text_printf(&expected, format, c < 0x800 ? "a " : "a", c);
    cr_assert(text.size == expected.size &&
                  memcmp(text.data, expected.data, text.size) == 0,
              "U+%04x: %.*s", c, (int)text.size, text.data);
}

POOLED_TEST(quote, what_changes_the_direction_is_an_escape_that_can_be_seen)
{
    for (size_t i = 0; i < sizeof(reordering) / sizeof(reordering[0]); i++) {
        assert_escaped(quote_text, reordering[i], "%s\\u{%04x}b");
        assert_escaped(quote_frame, reordering[i], "%s\\u{%04x}b");
        assert_escaped(quote_xml, reordering[i], "%s\\u{%04x}b");
        assert_escaped(quote_json_shown, reordering[i], "\"%s\\\\u{%04x}b\"");
        assert_escaped(quote_json, reordering[i], "\"%s\\u%04xb\"");
    }
}

/* Scripts need these, and they reorder nothing. */
POOLED_TEST(quote, joiners_are_part_of_a_name)
{
    ASSERT_FRAME("\xe2\x80\x8c\xe2\x80\x8d", "\xe2\x80\x8c\xe2\x80\x8d");
    ASSERT_XML("\xe2\x80\x8c\xe2\x80\x8d", "\xe2\x80\x8c\xe2\x80\x8d");
}

POOLED_TEST(quote_xml, what_means_something_in_markup_is_a_reference)
{
    ASSERT_XML("<a b=\"c\" d='e'>&amp;]]></a>",
               "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;]]&gt;&lt;/a&gt;");
}

POOLED_TEST(quote_xml, other_text_stays_as_it_is)
{
    ASSERT_XML("", "");
    ASSERT_XML("operator+ [k] 100% ;`\\", "operator+ [k] 100% ;`\\");
    ASSERT_XML("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x94\xa5",
               "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x94\xa5");
    /* The first and the last there are beyond the controls. */
    ASSERT_XML("\xc2\xa0\xf4\x8f\xbf\xbf", "\xc2\xa0\xf4\x8f\xbf\xbf");
}

POOLED_TEST(quote_xml, control_characters_become_their_pictures)
{
    ASSERT_XML("a\0b", "a\xe2\x90\x80"
                       "b");
    ASSERT_XML("\t\r\n\x1b[0m\x1f\x7f", "\xe2\x90\x89\xe2\x90\x8d\xe2\x90\x8a\xe2\x90\x9b"
                                        "[0m\xe2\x90\x9f\xe2\x90\xa1");
}

POOLED_TEST(quote_xml, what_xml_cannot_have_is_replaced)
{
    /* C1 controls, U+FFFE, U+FFFF */
    ASSERT_XML("\xc2\x80\xc2\x9f", BAD BAD);
    ASSERT_XML("\xef\xbf\xbe\xef\xbf\xbf", BAD BAD);
    /* No UTF-8: a lone continuation, a surrogate, an overlong form, a cut sequence. */
    ASSERT_XML("\x80", BAD);
    ASSERT_XML("\xed\xa0\x80", BAD BAD BAD);
    ASSERT_XML("\xc0\xbc", BAD BAD);
    ASSERT_XML("\xe2\x82<", BAD "&lt;");
}

/* Whether a parser of XML takes one character, given as UTF-8 (XML 1.0, production 2),
 * and no markup begins with it. */
static bool is_plain(uint32_t c)
{
    return c >= 0x20 && c != 0xfffe && c != 0xffff && c != '<' && c != '>' && c != '"' &&
           c != '\'';
}

static uint32_t decode(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;

    if (u[0] < 0x80)
        return u[0];
    if (u[0] < 0xe0)
        return (uint32_t)(u[0] & 0x1f) << 6 | (u[1] & 0x3f);
    return (uint32_t)(u[0] & 0x0f) << 12 | (uint32_t)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
}

POOLED_TEST(quote_xml, no_pair_of_bytes_gives_what_a_parser_would_refuse)
{
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        const char data[] = {(char)(pair >> 8), (char)pair};
        struct text text = xml_of(data, sizeof(data));

        for (size_t i = 0; i + 1 < text.size; i++) {
            if ((text.data[i] & 0xc0) != 0x80)
                cr_assert(is_plain(decode(text.data + i)), "0x%04x", pair);
        }
    }
}
