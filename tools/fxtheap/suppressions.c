/* SPDX-License-Identifier: BSD-2-Clause */
/* See suppressions.h. */
#include "suppressions.h"

#include <string.h>

#include "common/base/glob.h"
#include "common/base/io/input.h"
#include "common/base/memory.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_pattern(struct suppressions *s, const char *line, size_t size)
{
    static const char contains[] = "leak:";
    const size_t prefix = sizeof(contains) - 1;
    struct text pattern = {NULL, 0, 0};

    if (size > prefix && memcmp(line, contains, prefix) == 0)
        text_printf(&pattern, "*%.*s*", (int)(size - prefix), line + prefix);
    else
        text_add(&pattern, line, size);
    text_char(&pattern, '\0');
    MEMORY_ADD(s->patterns, s->n, s->capacity, pattern.data);
}

static void take_line(struct suppressions *s, const char *line, size_t size)
{
    while (size > 0 && is_space(line[0])) {
        line++;
        size--;
    }
    while (size > 0 && is_space(line[size - 1]))
        size--;
    if (size > 0 && line[0] != '#')
        add_pattern(s, line, size);
}

static void take_lines(struct suppressions *s, const struct text *all)
{
    size_t at = 0;

    while (at < all->size) {
        const char *end = memchr(all->data + at, '\n', all->size - at);
        size_t size = end != NULL ? (size_t)(end - all->data) - at : all->size - at;

        take_line(s, all->data + at, size);
        at += size + 1;
    }
}

/* More is a mistake. */
enum { FILE_SIZE_MAX = 1 << 20 };

bool suppressions_read(struct suppressions *s, const char *name, struct text *why)
{
    struct input *input = input_open(name, why);
    struct text all = {NULL, 0, 0};
    const char *error;

    if (input == NULL)
        return false;
    while (all.size <= FILE_SIZE_MAX && input_want(input, 1)) {
        text_add(&all, input_data(input), input_size(input));
        input_consume(input, input_size(input));
    }
    error = input_error(input);
    if (error == NULL && all.size > FILE_SIZE_MAX)
        error = "larger than a megabyte";
    if (error == NULL && all.size > 0 && memchr(all.data, '\0', all.size) != NULL)
        error = "not a text file";
    if (error == NULL)
        take_lines(s, &all);
    else
        text_str(why, error);
    input_close(input);
    text_free(&all);
    return error == NULL;
}

bool suppressions_match(const struct suppressions *s, struct fxt_string name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (glob_matches(s->patterns[i], name.data, name.size))
            return true;
    }
    return false;
}
