/* SPDX-License-Identifier: BSD-2-Clause */
/* See import_lines.h. */
#include "import_lines.h"

#include <string.h>

/* The size of the next line and whether it has an end, as far as it is looked at. */
static size_t find_line(const struct import_lines *l, bool *has_end)
{
    size_t known = 0;
    const char *found;

    for (;;) {
        size_t size = input_size(l->input);
        const char *data = (const char *)input_data(l->input);

        found =
            size > known ? (const char *)memchr(data + known, '\n', size - known) : NULL;
        *has_end = found != NULL;
        if (found != NULL)
            return (size_t)(found - data);
        if (size > l->max_bytes || !input_want(l->input, size + 1))
            return input_size(l->input);
        known = size;
    }
}

/* Drops the rest of a line, with its end. */
static void skip_line(struct import_lines *l)
{
    while (!l->has_end && input_want(l->input, 1))
        input_consume(l->input, find_line(l, &l->has_end));
    if (l->has_end)
        input_consume(l->input, 1);
}

bool import_lines_next(struct import_lines *l)
{
    size_t size;

    if (!input_want(l->input, 1))
        return false;
    size = find_line(l, &l->has_end);
    l->is_cut = size > l->max_bytes;
    l->text.size = 0;
    text_add(&l->text, input_data(l->input), l->is_cut ? l->max_bytes : size);
    input_consume(l->input, size);
    skip_line(l);
    return true;
}

void import_lines_free(struct import_lines *l)
{
    text_free(&l->text);
}
