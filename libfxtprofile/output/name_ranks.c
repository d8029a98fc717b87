/* SPDX-License-Identifier: BSD-2-Clause */
/* See name_ranks.h. */
#include "name_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/number_sort.h"

/* A name and what follows it. */
struct ending {
    struct string name;
    uint32_t number;
    bool is_last;
};

/* There may be as many names as samples: so an ending is but the item of a row, twice the
 * number of its name, and one more if nothing but a count follows. */
struct sorter {
    const struct string_table *names;
    struct number_row *spare;
};

/* Fewer are compared, more go by their next characters, so many at a time. */
enum { FEW = 32, WORD = 8 };

static struct ending ending_of(const struct string_table *names, uint32_t item)
{
    return (struct ending){string_table_get(names, item / 2), item / 2, item % 2 > 0};
}

/* A count may begin with any digit; where that makes a difference, it is told elsewhere.
 */
static struct string tail_of(const struct ending *ending)
{
    return ending->is_last ? (struct string){" 0", 2} : (struct string){";", 1};
}

/* Adds to `n` characters those of a string from one on, as far as there is room. */
static size_t add_characters(unsigned char *to, size_t n, struct string from, size_t at)
{
    for (; at < from.size && n < WORD; at++)
        to[n++] = (unsigned char)from.data[at];
    return n;
}

/* Some characters of an ending, and zeros behind its last, as a number. */
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

/* An ending that has the whole of a shorter name in common with another one differs from
 * it in what comes next, which is no more than a word. */
static int order_endings(const void *left, const void *right)
{
    const struct ending *a = (const struct ending *)left;
    const struct ending *b = (const struct ending *)right;
    size_t common = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, common);

    return order != 0 ? order : order_numbers(word_at(a, common), word_at(b, common));
}

/* How many more characters, of so many at most, all names have in common that have the
 * first `at` ones. */
static size_t count_some_common(const struct string_table *names,
                                const struct number_row *rows, size_t n, size_t at,
                                size_t max)
{
    struct string first = string_table_get(names, rows[0].item / 2);
    size_t end = first.size;

    if (end > at && end - at > max)
        end = at + max;
    for (size_t i = 1; i < n && end > at; i++) {
        struct string name = string_table_get(names, rows[i].item / 2);

        if (end > name.size)
            end = name.size;
        for (size_t j = at; j < end; j++) {
            if (name.data[j] != first.data[j])
                end = j;
        }
    }
    return end > at ? end - at : 0;
}

/* The same of any number. Not many more are looked at than are in common: else names that
 * differ from all others one after another would take quadratic time. */
static size_t count_common(const struct string_table *names,
                           const struct number_row *rows, size_t n, size_t at)
{
    size_t common = 0;

    for (size_t max = WORD;; max *= 2) {
        size_t more = count_some_common(names, rows, n, at + common, max);

        common += more;
        if (more < max)
            return common;
    }
}

static void sort_few(const struct sorter *s, struct number_row *rows, size_t n)
{
    struct ending few[FEW];

    for (size_t i = 0; i < n; i++)
        few[i] = ending_of(s->names, rows[i].item);
    qsort(few, n, sizeof(*few), order_endings);
    for (size_t i = 0; i < n; i++)
        rows[i].item = 2 * few[i].number + few[i].is_last;
}

static void sort_by_words(const struct sorter *s, struct number_row *rows, size_t n,
                          size_t at)
{
    for (size_t i = 0; i < n; i++) {
        struct ending ending = ending_of(s->names, rows[i].item);

        rows[i].key = word_at(&ending, at);
    }
    number_sort_keys(rows, s->spare, n);
}

/* Sorts endings that have the first `at` characters in common. */
static void sort(const struct sorter *s, struct number_row *rows, size_t n, size_t at)
{
    if (n <= FEW) {
        sort_few(s, rows, n);
        return;
    }
    at += count_common(s->names, rows, n, at);
    sort_by_words(s, rows, n, at);
    for (size_t first = 0, end; first < n; first = end) {
        end = number_same_end(rows, first, n);
        sort(s, rows + first, end - first, at + WORD);
    }
}

/* Whether the second name goes on as the first and a count. Where several names go on as
 * one, the next in order is one of them. */
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
    struct number_row *rows = (struct number_row *)memory_reserve(n * sizeof(*rows));
    struct sorter s = {names, (struct number_row *)memory_reserve(n * sizeof(*s.spare))};
    struct ending before = {.is_last = false};
    bool is_order = true;

    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct number_row){0, NULL, 0, i};
    sort(&s, rows, n, 0);
    ranks->inner = (uint32_t *)memory_reserve(names->n * sizeof(*ranks->inner));
    ranks->last = (uint32_t *)memory_reserve(names->n * sizeof(*ranks->last));
    for (uint32_t i = 0; i < n; i++) {
        struct ending ending = ending_of(names, rows[i].item);

        (ending.is_last ? ranks->last : ranks->inner)[ending.number] = i + 1;
        is_order = is_order && !goes_on(&before, &ending);
        before = ending;
    }
    memory_release(rows);
    memory_release(s.spare);
    return is_order;
}

void name_ranks_free(struct name_ranks *ranks)
{
    memory_release(ranks->inner);
    memory_release(ranks->last);
}
