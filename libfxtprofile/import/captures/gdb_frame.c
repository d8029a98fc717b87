/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_frame.h. */
#include "gdb_frame.h"

#include <string.h>

/* ---- Pieces of names --------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static bool starts_with(const char *data, size_t size, const char *start)
{
    return size >= strlen(start) && memcmp(data, start, strlen(start)) == 0;
}

/* How long the name of an operator of C++ at this place is, if one is here that is
 * written with brackets; else 0. */
static size_t operator_size(struct string name, size_t at)
{
    static const char word[] = "operator";
    static const char *const symbols[] = {"->*", "<=>", "<<=", ">>=", "->", "<<", ">>",
                                          "<=",  ">=",  "()",  "[]",  "<",  ">"};
    size_t after = at + sizeof(word) - 1;

    if (name.data[at] != word[0] || !starts_with(name.data + at, name.size - at, word) ||
        (at > 0 && is_word(name.data[at - 1])))
        return 0;
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        if (starts_with(name.data + after, name.size - after, symbols[i]))
            return sizeof(word) - 1 + strlen(symbols[i]);
    }
    return 0;
}

/* ---- Brackets ---------------------------------------------------------------------- */

static char opener_of(char c)
{
    switch (c) {
    case ')':
        return '(';
    case '>':
        return '<';
    case ']':
        return '[';
    case '}':
        return '{';
    default:
        return '\0';
    }
}

static void open_bracket(struct gdb_brackets *b, size_t at)
{
    MEMORY_ADD(b->open, b->n_open, b->open_capacity, (uint32_t)at);
}

/* A '<' that is still open where another bracket closes was none. */
static void close_bracket(struct gdb_brackets *b, struct string name, size_t at)
{
    char opener = opener_of(name.data[at]);

    while (opener != '<' && b->n_open > 0 && name.data[b->open[b->n_open - 1]] == '<')
        b->n_open--;
    if (b->n_open == 0 || name.data[b->open[b->n_open - 1]] != opener)
        return;
    b->n_open--;
    b->distances[b->open[b->n_open]] = (uint32_t)at - b->open[b->n_open];
}

static void match_brackets(struct gdb_brackets *b, struct string name)
{
    b->distances =
        memory_make_room(b->distances, 0, name.size, &b->capacity, sizeof(*b->distances));
    if (name.size > 0)
        memset(b->distances, 0, name.size * sizeof(*b->distances));
    b->n_open = 0;
    for (size_t at = 0; at < name.size; at++) {
        size_t skip = operator_size(name, at);
        char c = name.data[at];

        if (skip > 0)
            at += skip - 1;
        else if (c == '(' || c == '<' || c == '[' || c == '{')
            open_bracket(b, at);
        else if (opener_of(c) != '\0' &&
                 !(c == '>' && at > 0 && name.data[at - 1] == '-'))
            close_bracket(b, name, at);
    }
}

void gdb_brackets_free(struct gdb_brackets *b)
{
    memory_release(b->distances);
    memory_release(b->open);
}

/* ---- Lines ------------------------------------------------------------------------- */

static size_t skip_spaces(const char *line, size_t size, size_t at)
{
    while (at < size && line[at] == ' ')
        at++;
    return at;
}

/* "0xffffffff8826b3e0 in " */
static size_t skip_address(const char *line, size_t size, size_t at)
{
    size_t end = at + 2;

    if (!starts_with(line + at, size - at, "0x"))
        return at;
    while (end < size && is_hex(line[end]))
        end++;
    return starts_with(line + end, size - end, " in ")
               ? skip_spaces(line, size, end + strlen(" in "))
               : at;
}

/* Where the arguments of the rest of a line begin, or its size. */
static size_t find_arguments(const struct gdb_brackets *b, struct string rest)
{
    for (size_t at = 0; at < rest.size; at++) {
        if (at > 0 && rest.data[at] == '(' && rest.data[at - 1] == ' ')
            return at;
        at += b->distances[at];
    }
    return rest.size;
}

bool gdb_frame_parse(struct gdb_brackets *b, const char *line, size_t size,
                     struct gdb_frame *frame)
{
    size_t at = 1;
    struct string rest;
    size_t end;

    frame->number = 0;
    for (; at < size && is_digit(line[at]); at++) {
        if (frame->number > UINT32_MAX)
            return false;
        frame->number = 10 * frame->number + (uint64_t)(line[at] - '0');
    }
    if (at < size && line[at] != ' ')
        return false;
    at = skip_spaces(line, size, at);
    at = skip_address(line, size, at);
    rest = (struct string){line + at, size - at};
    match_brackets(b, rest);
    end = find_arguments(b, rest);
    if (end == rest.size &&
        (end == 0 || rest.data[0] != '<' || (size_t)b->distances[0] + 1 != end))
        return false;
    while (end > 0 && rest.data[end - 1] == ' ')
        end--;
    frame->name = (struct string){rest.data, end};
    return end > 0;
}

/* ---- Names ------------------------------------------------------------------------- */

/* Whether the type arguments, or what may be some, at this place belong to what stands
 * before them. */
static bool is_of_before(struct string name, size_t at)
{
    char before = at > 0 ? name.data[at - 1] : '\0';

    if (before == ':')
        return !starts_with(name.data + at, name.size - at, "<impl ");
    return is_word(before) || before == '}' || before == ')' || before == ']' ||
           before == '>' || before == '~';
}

static void take_back(struct text *to, size_t start, const char *end)
{
    size_t size = strlen(end);

    if (to->size - start >= size && memcmp(to->data + to->size - size, end, size) == 0)
        to->size -= size;
}

/* Adds the text at this position, unless it is to be dropped. Returns the position after
 * it. */
static size_t clean_at(const struct gdb_brackets *b, struct text *to, size_t start,
                       struct string name, size_t at)
{
    size_t skip = operator_size(name, at);
    size_t after = at + b->distances[at] + 1;
    bool is_bracket = b->distances[at] > 0;
    bool is_after_path = to->size - start >= 2 && name.data[at > 0 ? at - 1 : 0] == ':';
    const char *data = name.data + at;

    if (skip > 0) {
        text_add(to, data, skip);
        after = at + skip;
        /* "operator<< <int>" */
        if (after + 1 < name.size && name.data[after] == ' ' &&
            name.data[after + 1] == '<' && b->distances[after + 1] > 0)
            after += b->distances[after + 1] + 2;
        return after;
    }
    if (is_bracket && data[0] == '{' && is_after_path) {
        take_back(to, start, "::");
        return after;
    }
    if (is_bracket && data[0] == '<' && is_of_before(name, at)) {
        if (is_after_path)
            take_back(to, start, "::");
        return after;
    }
    if (is_bracket && data[0] == '(' &&
        (after == at + 2 || starts_with(data, name.size - at, "(...)")))
        return after;
    text_char(to, data[0]);
    return at + 1;
}

void gdb_frame_clean(struct gdb_brackets *b, struct text *to, struct string name)
{
    size_t start = to->size;
    size_t at = 0;

    match_brackets(b, name);
    while (at < name.size)
        at = clean_at(b, to, start, name, at);
    while (to->size > start && to->data[to->size - 1] == ' ')
        to->size--;
    if (to->size == start)
        text_add(to, name.data, name.size);
}
