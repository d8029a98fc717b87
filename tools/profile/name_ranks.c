/* SPDX-License-Identifier: BSD-2-Clause */
/* See name_ranks.h. */
#include "name_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "number_sort.h"

/* A name and what follows it. */
struct ending {
    struct string name;
    uint32_t number;
    bool is_last;
};

/* Endings that are sorted, and room for the same number of them. */
struct endings {
    struct ending *items;
    struct ending *spare;
    struct number_row *rows;
};

/* Fewer are compared, more go by their next characters, so many at a time. */
enum { FEW = 32, WORD = 8 };

/* A count may begin with any digit; where that makes a difference, it is told elsewhere.
 */
static struct string tail_of(const struct ending *ending)
{
    return ending->is_last ? (struct string){" 0", 2} : (struct string){";", 1};
}

/* What is behind the first characters of an ending's name, of which it has so many; of
 * the name alone, unless that is at its end. */
static struct string rest_of(const struct ending *ending, size_t at)
{
    if (at < ending->name.size)
        return (struct string){ending->name.data + at, ending->name.size - at};
    return tail_of(ending);
}

static int order_endings(const void *left, const void *right)
{
    const struct ending *a = (const struct ending *)left;
    const struct ending *b = (const struct ending *)right;
    size_t common = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, common);

    if (order == 0)
        order = string_compare(rest_of(a, common), rest_of(b, common));
    /* Something follows "a 0", too. */
    return order != 0 ? order : order_numbers(a->name.size, b->name.size);
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

/* How many more characters, of so many at most, all names have in common that have the
 * first `at` ones. */
static size_t count_some_common(const struct ending *endings, size_t n, size_t at,
                                size_t max)
{
    struct string first = endings[0].name;
    size_t end = first.size;

    if (end > at && end - at > max)
        end = at + max;
    for (size_t i = 1; i < n && end > at; i++) {
        struct string name = endings[i].name;

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
static size_t count_common(const struct ending *endings, size_t n, size_t at)
{
    size_t common = 0;

    for (size_t max = WORD;; max *= 2) {
        size_t more = count_some_common(endings, n, at + common, max);

        common += more;
        if (more < max)
            return common;
    }
}

static void sort_by_words(struct endings e, size_t n, size_t at)
{
    for (uint32_t i = 0; i < n; i++)
        e.rows[i] = (struct number_row){word_at(&e.items[i], at), NULL, 0, i};
    number_sort(NULL, e.rows, NULL, n);
    memcpy(e.spare, e.items, n * sizeof(*e.items));
    for (size_t i = 0; i < n; i++)
        e.items[i] = e.spare[e.rows[i].item];
}

/* Sorts endings that have the first `at` characters in common. */
static void sort(struct endings e, size_t n, size_t at)
{
    if (n < FEW) {
        qsort(e.items, n, sizeof(*e.items), order_endings);
        return;
    }
    at += count_common(e.items, n, at);
    sort_by_words(e, n, at);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (i + 1 < n && e.rows[i + 1].key == e.rows[i].key)
            continue;
        sort((struct endings){e.items + first, e.spare + first, e.rows + first},
             i + 1 - first, at + WORD);
        first = i + 1;
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

bool name_ranks_make(struct name_ranks *ranks, const struct strings *names)
{
    size_t n = 2 * names->n;
    struct endings e = {
        (struct ending *)must_reserve(n * sizeof(*e.items)),
        (struct ending *)must_reserve(n * sizeof(*e.spare)),
        (struct number_row *)must_reserve(n * sizeof(*e.rows)),
    };
    bool is_order = true;

    for (uint32_t i = 0; i < names->n; i++) {
        struct string name = strings_get(names, i);

        e.items[2 * i] = (struct ending){name, i, true};
        e.items[2 * i + 1] = (struct ending){name, i, false};
    }
    sort(e, n, 0);
    ranks->inner = (uint32_t *)must_reserve(names->n * sizeof(*ranks->inner));
    ranks->last = (uint32_t *)must_reserve(names->n * sizeof(*ranks->last));
    for (uint32_t i = 0; i < n; i++) {
        (e.items[i].is_last ? ranks->last : ranks->inner)[e.items[i].number] = i + 1;
        is_order = is_order && (i == 0 || !goes_on(&e.items[i - 1], &e.items[i]));
    }
    free(e.items);
    free(e.spare);
    free(e.rows);
    return is_order;
}

void name_ranks_free(struct name_ranks *ranks)
{
    free(ranks->inner);
    free(ranks->last);
}
