/* SPDX-License-Identifier: BSD-2-Clause */
/* See fold_order.h. */
#include "fold_order.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns false if the order of names is not enough. */
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

/* A stack, and the numbers of two of its frames: those that are compared now. */
struct line {
    uint64_t key;
    size_t first;
    uint32_t n;
    uint32_t stack;
};

/* Lines whose first `depth` frames are the same; the next two are their keys. */
struct part {
    size_t first;
    size_t n;
    uint32_t depth;
};

struct sorter {
    const struct fold *fold;
    struct ranks ranks;
    struct line *lines;
    /* What is still to be sorted. */
    struct part *parts;
    size_t n_parts;
    size_t part_capacity;
};

static uint64_t rank_of(const struct sorter *s, const struct line *line, uint32_t i)
{
    uint32_t name;

    if (i >= line->n)
        return 0;
    name = s->fold->frames[line->first + i];
    return i + 1 < line->n ? s->ranks.inner[name] : s->ranks.last[name];
}

static uint64_t key_of(const struct sorter *s, const struct line *line, uint32_t depth)
{
    return rank_of(s, line, depth) << 32 | rank_of(s, line, depth + 1);
}

static void add_part(struct sorter *s, size_t first, size_t n, uint32_t depth)
{
    if (n < 2)
        return;
    s->parts = (struct part *)must_grow(s->parts, s->n_parts, &s->part_capacity,
                                        sizeof(*s->parts));
    s->parts[s->n_parts++] = (struct part){first, n, depth};
}

static bool is_before(const struct sorter *s, const struct line *a, const struct line *b,
                      uint32_t depth)
{
    uint64_t left = a->key;
    uint64_t right = b->key;

    /* No two lines are the same, so that they differ before both end. */
    while (left == right && left != 0) {
        depth += 2;
        left = key_of(s, a, depth);
        right = key_of(s, b, depth);
    }
    return left < right;
}

static void sort_few(struct sorter *s, struct part part)
{
    struct line *lines = s->lines + part.first;

    for (size_t i = 1; i < part.n; i++) {
        struct line line = lines[i];
        size_t at = i;

        for (; at > 0 && is_before(s, &line, &lines[at - 1], part.depth); at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* Not always from the same places, where an input could have put the worst pivots. */
static uint64_t choose_pivot(const struct line *lines, size_t n)
{
    uint64_t hash = hash_word(hash_word(n, lines[0].key), lines[n - 1].key);

    return median(lines[hash % n].key, lines[(hash >> 20) % n].key,
                  lines[(hash >> 40) % n].key);
}

static void swap(struct line *a, struct line *b)
{
    struct line line = *a;

    *a = *b;
    *b = line;
}

/* Quicksort by one key, in three parts; those that are equal in it go on with the next.
 */
static void sort_many(struct sorter *s, struct part part)
{
    struct line *lines = s->lines + part.first;
    uint64_t pivot = choose_pivot(lines, part.n);
    size_t low = 0;
    size_t high = part.n;

    for (size_t i = 0; i < high;) {
        if (lines[i].key < pivot)
            swap(&lines[low++], &lines[i++]);
        else if (lines[i].key > pivot)
            swap(&lines[--high], &lines[i]);
        else
            i++;
    }
    for (size_t i = low; high - low > 1 && i < high; i++)
        lines[i].key = key_of(s, &lines[i], part.depth + 2);
    add_part(s, part.first, low, part.depth);
    add_part(s, part.first + high, part.n - high, part.depth);
    if (pivot != 0)
        add_part(s, part.first + low, high - low, part.depth + 2);
}

static void sort_lines(struct sorter *s)
{
    enum { FEW = 8 };

    while (s->n_parts > 0) {
        struct part part = s->parts[--s->n_parts];

        if (part.n <= FEW)
            sort_few(s, part);
        else
            sort_many(s, part);
    }
}

static void sort_by_ranks(struct sorter *s, struct fold *f)
{
    struct fold_stack *stacks =
        (struct fold_stack *)must_allocate(f->n_stacks * sizeof(*stacks));

    s->lines = (struct line *)must_allocate(f->n_stacks * sizeof(*s->lines));
    for (size_t i = 0; i < f->n_stacks; i++) {
        s->lines[i] = (struct line){0, f->stacks[i].first, f->stacks[i].n, (uint32_t)i};
        s->lines[i].key = key_of(s, &s->lines[i], 0);
    }
    add_part(s, 0, f->n_stacks, 0);
    sort_lines(s);
    for (size_t i = 0; i < f->n_stacks; i++)
        stacks[i] = f->stacks[s->lines[i].stack];
    free(f->stacks);
    f->stacks = stacks;
    f->stack_capacity = f->n_stacks;
    free(s->lines);
    free(s->parts);
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

void fold_sort(struct fold *f)
{
    struct sorter s = {.fold = f};

    if (f->n_stacks < 2)
        return;
    if (rank_names(f, &s.ranks))
        sort_by_ranks(&s, f);
    else
        qsort(f->stacks, f->n_stacks, sizeof(*f->stacks), order_lines);
    free(s.ranks.inner);
    free(s.ranks.last);
}
