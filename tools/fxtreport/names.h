/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in columns of a terminal. They come from the input: all that is printed of one is
 * quoted (common/base/quote.h), and measured in columns, not in bytes.
 */
#ifndef FXTREPORT_NAMES_H
#define FXTREPORT_NAMES_H

#include <stddef.h>

#include "common/base/text.h"

/* No limit on columns. */
#define NAMES_ANY_WIDTH SIZE_MAX

/* How many columns UTF-8 text takes. */
size_t names_columns(const char *data, size_t size);

/* Adds a name that takes at most `width` columns, of which there is at least one. If it
 * would take more, its parameters and then its template arguments become "(…)" and "<…>";
 * and if that is not enough, its middle is left out. Returns the columns it takes. */
size_t names_add(struct text *text, const char *data, size_t size, size_t width);

/* The same for what is not a function's name, such as a path: only the middle is cut. */
size_t names_add_plain(struct text *text, const char *data, size_t size, size_t width);

/* The same for what is quoted already. */
size_t names_cut(struct text *text, const char *data, size_t size, size_t width);

/* The same, cut at the end: for lines of source. */
size_t names_add_start(struct text *text, const char *data, size_t size, size_t width);

#endif
