/* SPDX-License-Identifier: BSD-2-Clause */
/* See name_ranks.h. */
#include "name_ranks.h"

#include <string.h>

#include "common/base/sort.h"

/* A name and what follows it. */
struct ending {
    struct string name;
    uint32_t number;
    bool is_last;
};

/* How many characters a key has. */
enum { WORD = 8 };

/* There may be as many names as samples, so an ending is only the item of a row: twice
 * the number of its name, plus one if only a count follows. */
static struct ending ending_of(const struct string_table *names, uint32_t item)
{
    return (struct ending){string_table_get(names, item / 2), item / 2, item % 2 > 0};
}

/* A count may begin with any digit; the caller handles names for which that matters. */
static struct string tail_of(const struct ending *ending)
{
    return ending->is_last ? (struct string){" 0", 2} : (struct string){";", 1};
}

/* Appends to `n` characters those of a string from one on, as far as there is room. */
static size_t add_characters(unsigned char *to, size_t n, struct string from, size_t at)
{
    for (; at < from.size && n < WORD; at++)
        to[n++] = (unsigned char)from.data[at];
    return n;
}

/* Some characters of an ending, and zeros after its last, as a number. */
static uint64_t word_at(const struct ending *ending, size_t at)
{
    size_t size = ending->name.size;
    unsigned char text[WORD] = {0};
    uint64_t word = 0;
    size_t n = add_characters(text, 0, ending->name, at);

    add_characters(text, n, tail_of(ending), at > size ? at - size : 0);
    for (size_t i = 0; i < WORD; i++)
        word = word << 8 | text[i];
    return word;
}

/* The next characters of rows' endings. */
static bool next_words(const void *context, struct sort_row *rows, size_t n_rows,
                       uint64_t n)
{
    const struct string_table *names = (const struct string_table *)context;
    uint64_t any = 0;

    for (size_t i = 0; i < n_rows; i++) {
        struct ending ending = ending_of(names, rows[i].item);

        rows[i].key = word_at(&ending, (size_t)n * WORD);
        any |= rows[i].key;
    }
    return any > 0;
}

/* Whether the second name begins with the first, a space and a digit. If several names do
 * so, the next in order is one of them. */
static bool goes_on(const struct ending *first, const struct ending *second)
{
    size_t size = first->name.size;
    const char *rest = second->name.data + size;

    return first->is_last && second->name.size >= size + 2 &&
           memcmp(first->name.data, second->name.data, size) == 0 && rest[0] == ' ' &&
           rest[1] >= '0' && rest[1] <= '9';
}

bool name_ranks_make(struct name_ranks *ranks, const struct string_table *names)
{
    size_t n = 2 * names->n;
    struct sort_row *rows = (struct sort_row *)memory_reserve(n * sizeof(*rows));
    struct ending before = {.is_last = false};
    bool is_order = true;

    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct sort_row){0, 0, i};
    sort_rows(1, rows, n, next_words, names);
    ranks->inner = (uint32_t *)memory_reserve(names->n * sizeof(*ranks->inner));
    ranks->last = (uint32_t *)memory_reserve(names->n * sizeof(*ranks->last));
    for (uint32_t i = 0; i < n; i++) {
        struct ending ending = ending_of(names, rows[i].item);

        (ending.is_last ? ranks->last : ranks->inner)[ending.number] = i + 1;
        is_order = is_order && !goes_on(&before, &ending);
        before = ending;
    }
    memory_release(rows);
    return is_order;
}
