/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names come from the input and may hold anything: terminal escapes, newlines, separators
 * of the output's own format, bytes that are no UTF-8. Each kind of output has one
 * function that makes a name safe in it.
 */
#ifndef BASE_QUOTE_H
#define BASE_QUOTE_H

#include <stddef.h>

#include "text.h"

/* The string in double quotes as in JSON. Each ill-formed sequence of UTF-8 becomes one
 * U+FFFD, counted as the Unicode standard recommends (maximal subparts). Characters that
 * a terminal could interpret as a command are written as \uNNNN, which means the same. */
void quote_json(struct text *text, const char *data, size_t size);

/* The same for names that a viewer displays unchanged: characters that change the
 * direction of the text after them are written as the text \u{NNNN}. */
void quote_json_shown(struct text *text, const char *data, size_t size);

/* The string as valid UTF-8, ill-formed sequences replaced as above, and nothing else
 * changed. */
void quote_utf8(struct text *text, const char *data, size_t size);

/* How many bytes from the start are valid UTF-8. */
size_t quote_count_utf8(const char *data, size_t size);

/* The string for a person at a terminal: valid UTF-8, with control characters, and
 * characters that change the direction or the look of what follows, as \n, \t, \xNN or
 * \u{NNNN}, and a backslash doubled. */
void quote_text(struct text *text, const char *data, size_t size);

/* The same as one word among others: in double quotes, with \" for a quote, unless it is
 * plain enough to need no quotes. An empty string, one with spaces or one of "'=#<>()" is
 * not. */
void quote_word(struct text *text, const char *data, size_t size);

/* The same in double quotes in any case. */
void quote_quoted(struct text *text, const char *data, size_t size);

/* A frame of a folded stack: `;` becomes `:`, control characters a space, those that
 * change the direction of what follows \u{NNNN}, ill-formed UTF-8 U+FFFD; leading and
 * trailing spaces go. An empty name becomes `_`. */
void quote_frame(struct text *text, const char *data, size_t size);

/* The string for XML 1.0, as content or in the quotes of an attribute, where it reads
 * back as one line. Control characters, most of which XML has no way to write, become
 * their pictures (U+2400 and so on; U+FFFD for those that have none), and so do tabs and
 * line ends, which an attribute would lose. Characters that change the direction of what
 * follows become \u{NNNN}. Ill-formed UTF-8 and U+FFFE and U+FFFF become U+FFFD. */
void quote_xml(struct text *text, const char *data, size_t size);

#endif
