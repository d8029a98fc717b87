/* SPDX-License-Identifier: BSD-2-Clause */
/* See fold_order.h. */
#include "fold_order.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_sort.h"

/* ---- Numbers for names ------------------------------------------------------------- */

/* A name and what follows it. */
struct ending {
    struct string name;
    uint32_t number;
    bool is_last;
    /* Where to say that a name goes on like this one and a count. */
    bool *is_ambiguous;
};

struct ranks {
    /* By the number of a name: its place if something follows it, and if nothing does;
     * from 1 on. */
    uint32_t *inner;
    uint32_t *last;
};

static int order_characters(char a, char b)
{
    return ((unsigned char)a > (unsigned char)b) - ((unsigned char)a < (unsigned char)b);
}

/* The start of a longer name against what follows a shorter one. No name has a semicolon
 * or ends in a space. */
static int order_ending(const struct ending *shorter, const char *rest)
{
    int order = order_characters(shorter->is_last ? ' ' : ';', rest[0]);

    if (order != 0 || !shorter->is_last)
        return order;
    if (rest[1] >= '0' && rest[1] <= '9')
        *shorter->is_ambiguous = true;
    return order_characters('0', rest[1]);
}

static int order_endings(const void *left, const void *right)
{
    const struct ending *a = (const struct ending *)left;
    const struct ending *b = (const struct ending *)right;
    size_t common = a->name.size < b->name.size ? a->name.size : b->name.size;
    int order = memcmp(a->name.data, b->name.data, common);

    if (order != 0)
        return order;
    if (a->name.size < b->name.size)
        return order_ending(a, b->name.data + common);
    if (a->name.size > b->name.size)
        return -order_ending(b, a->name.data + common);
    return b->is_last - a->is_last;
}

/* Returns false if the order of names is not enough, and only brings together what is the
 * same. */
static bool rank_names(const struct fold *f, struct ranks *ranks)
{
    size_t n = f->names.n;
    struct ending *endings = (struct ending *)must_allocate(2 * n * sizeof(*endings));
    bool is_ambiguous = false;

    for (uint32_t i = 0; i < 2 * n; i++)
        endings[i] = (struct ending){strings_get(&f->names, i / 2), i / 2, i % 2 > 0,
                                     &is_ambiguous};
    qsort(endings, 2 * n, sizeof(*endings), order_endings);
    ranks->inner = (uint32_t *)must_allocate(n * sizeof(*ranks->inner));
    ranks->last = (uint32_t *)must_allocate(n * sizeof(*ranks->last));
    for (uint32_t i = 0; i < 2 * n; i++)
        (endings[i].is_last ? ranks->last : ranks->inner)[endings[i].number] = i + 1;
    free(endings);
    return !is_ambiguous;
}

/* ---- Sorting by numbers ------------------------------------------------------------ */

static void sort_by_ranks(struct fold *f, const struct ranks *ranks)
{
    const struct number_ranks numbers = {f->frames, ranks->inner, ranks->last};
    struct number_row *rows =
        (struct number_row *)must_allocate(f->n_stacks * sizeof(*rows));
    struct fold_stack *stacks =
        (struct fold_stack *)must_allocate(f->n_stacks * sizeof(*stacks));

    for (size_t i = 0; i < f->n_stacks; i++) {
        rows[i] = (struct number_row){0, f->stacks[i].first, f->stacks[i].n, (uint32_t)i};
        rows[i].key = number_key(&numbers, &rows[i], 0);
    }
    number_sort(&numbers, rows, f->n_stacks, 2);
    for (size_t i = 0; i < f->n_stacks; i++)
        stacks[i] = f->stacks[rows[i].item];
    free(f->stacks);
    f->stacks = stacks;
    f->stack_capacity = f->n_stacks;
    free(rows);
}

/* ---- Sorting by text --------------------------------------------------------------- */

/* The text of a line from some frame on, piece by piece. */
struct cursor {
    const struct fold_stack *line;
    uint32_t next;
    /* A name was given out last, and what follows it is next. */
    bool after_name;
    char tail[24];
    struct string piece;
};

static struct string name_of(const struct fold_stack *line, uint32_t i)
{
    return strings_get(&line->fold->names, line->fold->frames[line->first + i]);
}

static size_t put_count(char *to, size_t size, uint64_t count)
{
    return (size_t)snprintf(to, size, " %llu", (unsigned long long)count);
}

/* Goes on to the next piece; false if there is none. */
static bool step(struct cursor *c)
{
    if (!c->after_name) {
        if (c->next == c->line->n)
            return false;
        c->piece = name_of(c->line, c->next++);
    } else if (c->next < c->line->n) {
        c->piece = (struct string){";", 1};
    } else {
        size_t size = put_count(c->tail, sizeof(c->tail), c->line->count);

        c->piece = (struct string){c->tail, size};
    }
    c->after_name = !c->after_name;
    return true;
}

static bool has_more(struct cursor *c)
{
    return c->piece.size > 0 || step(c);
}

static void drop(struct string *piece, size_t size)
{
    piece->data += size;
    piece->size -= size;
}

/* A line comes before what it is the start of, as "a 1" is of "a 1 2". */
static int order_lines(const void *left, const void *right)
{
    struct cursor a = {.line = (const struct fold_stack *)left};
    struct cursor b = {.line = (const struct fold_stack *)right};
    const uint32_t *frames = a.line->fold->frames;
    int order = 0;

    while (a.next < a.line->n && a.next < b.line->n &&
           frames[a.line->first + a.next] == frames[b.line->first + a.next])
        a.next++;
    /* The last frame in common is looked at again, for what follows it. */
    a.next -= a.next > 0;
    b.next = a.next;
    while (order == 0 && has_more(&a) && has_more(&b)) {
        size_t size = a.piece.size < b.piece.size ? a.piece.size : b.piece.size;

        order = memcmp(a.piece.data, b.piece.data, size);
        drop(&a.piece, size);
        drop(&b.piece, size);
    }
    if (order != 0)
        return order;
    return has_more(&a) - has_more(&b);
}

static bool same_names(const struct fold_stack *a, const struct fold_stack *b)
{
    const uint32_t *frames = a->fold->frames;

    return a->n == b->n &&
           memcmp(frames + a->first, frames + b->first, a->n * sizeof(*frames)) == 0;
}

/* Makes one of those that are next to each other and the same. */
static void merge(struct fold *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_stacks; i++) {
        if (n > 0 && same_names(&f->stacks[n - 1], &f->stacks[i]))
            fold_count(&f->stacks[n - 1], f->stacks[i].count);
        else
            f->stacks[n++] = f->stacks[i];
    }
    f->n_stacks = n;
}

void fold_sort(struct fold *f)
{
    struct ranks ranks;
    bool is_order;

    if (f->n_stacks < 2)
        return;
    is_order = rank_names(f, &ranks);
    sort_by_ranks(f, &ranks);
    merge(f);
    if (!is_order)
        qsort(f->stacks, f->n_stacks, sizeof(*f->stacks), order_lines);
    free(ranks.inner);
    free(ranks.last);
}
