/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in columns of a terminal. They come from the input: all that is printed of one is
 * quoted (common/base/quote.h), and measured in columns, not in bytes.
 */
#ifndef FXTREPORT_NAMES_H
#define FXTREPORT_NAMES_H

#include <stddef.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

#define NAMES_ELLIPSIS "\xe2\x80\xa6"

/* No limit on columns. */
#define NAMES_ANY_WIDTH SIZE_MAX

/* How many columns UTF-8 text takes. */
size_t names_columns(const char *data, size_t size);

/* Adds the name of a function, which may have remarks after it, such as " (inl)", so that
 * it takes at most `width` columns, of which there is at least one. If it would take
 * more, it is shortened from what says least: what it returns; arguments, first those
 * inside the name; template arguments; enclosing namespaces; and remarks. Its own name is
 * not: if that alone does not fit, it takes more columns, but 256 at most. A place in
 * code, such as "libz.so.1+0x1a0", is cut in its middle. Returns the columns it takes. */
size_t names_add(struct text *text, const char *data, size_t size, size_t width);

/* Adds a remark for each of some names of functions that would look like another one in
 * so many columns, by what is left out of them: the words in which it differs, " [int]".
 */
void names_tell_apart(const struct string *names, size_t n, size_t width,
                      struct text *remarks);

/* As names_add, of what is not a function's name, such as a path: only its middle is cut.
 */
size_t names_add_plain(struct text *text, const char *data, size_t size, size_t width);

/* The same for what is quoted already. */
size_t names_cut(struct text *text, const char *data, size_t size, size_t width);

/* The same, cut at the end: for lines of source. */
size_t names_add_start(struct text *text, const char *data, size_t size, size_t width);

#endif
