/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See fold.h: sorts folded stacks by the bytes of their lines, without making the text of
 * the lines.
 *
 * Each name gets a rank among all names, once as followed by a semicolon and once, for
 * the end of a stack, as followed by a space and a count; stacks are then compared by
 * these ranks. That fails if a name looks like another name with a count, as "a 12" does
 * if "a" is a name too: then the texts are compared.
 */
#include "fold.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "name_ranks.h"
#include "common/base/sort.h"

/* ---- Sorting by numbers ------------------------------------------------------------ */

/* A set of roots, and its names. */
struct root_row {
    const struct name_ranks *ranks;
    const uint32_t *names;
    uint32_t n;
    uint32_t number;
};

static int order_roots(const void *left, const void *right)
{
    const struct root_row *a = (const struct root_row *)left;
    const struct root_row *b = (const struct root_row *)right;
    int order = 0;

    for (uint32_t i = 0; i < a->n && order == 0; i++)
        order = order_numbers(a->ranks->inner[a->names[i]], b->ranks->inner[b->names[i]]);
    return order;
}

/* The place of each set of roots, from 1 on, for the caller to free. Frames follow. */
static uint32_t *rank_roots(const struct fold *f, const struct name_ranks *ranks)
{
    size_t n = f->n_root_sets;
    struct root_row *rows = (struct root_row *)memory_allocate(n * sizeof(*rows));
    uint32_t *places = (uint32_t *)memory_allocate(n * sizeof(*places));

    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct root_row){ranks, f->root_names + i * f->n_roots, f->n_roots, i};
    SORT(rows, n, order_roots);
    for (uint32_t i = 0; i < n; i++)
        places[rows[i].number] = i + 1;
    memory_release(rows);
    return places;
}

/* The ranks of frames are those of their names. */
static uint32_t *ranks_of_frames(const struct fold *f, const uint32_t *ranks)
{
    uint32_t *all = (uint32_t *)memory_allocate(f->n_frame_names * sizeof(*all));

    for (size_t i = 0; i < f->n_frame_names; i++)
        all[i] = ranks[f->frame_names[i]];
    return all;
}

/* What the keys of stacks are made of: the ranks of frames, and their width in bits. */
struct frame_ranks {
    const struct fold *fold;
    const uint32_t *inner;
    const uint32_t *last;
    unsigned bits;
};

/* The key of as many frames as it has room for, from one on, root first; zeros after the
 * leaf. */
static uint64_t key_of(const struct frame_ranks *ranks, struct fold_frames stack,
                       uint64_t from)
{
    uint64_t key = 0;

    for (unsigned used = ranks->bits; used <= 64; used += ranks->bits, from++) {
        key <<= ranks->bits;
        if (from < stack.n)
            key |= (from + 1 < stack.n ? ranks->inner
                                       : ranks->last)[stack.frames[stack.n - 1 - from]];
    }
    return key;
}

static void prefetch_frame(const struct fold *fold, uint32_t number, uint64_t from)
{
    struct fold_frames stack = fold_frames(fold, number);

    if (from < stack.n)
        FXT_PREFETCH(&stack.frames[stack.n - 1 - from]);
}

static bool next_frames(const void *context, struct sort_row *rows, size_t n_rows,
                        uint64_t n)
{
    enum { AHEAD = 8 };
    const struct frame_ranks *ranks = (const struct frame_ranks *)context;
    uint64_t from = n * (64 / ranks->bits);
    bool has_more = false;

    for (size_t i = 0; i < n_rows; i++) {
        struct fold_frames stack = fold_frames(ranks->fold, rows[i].source);

        if (i + 2 * AHEAD < n_rows)
            fold_prefetch_stack(ranks->fold, rows[i + 2 * AHEAD].source);
        if (i + AHEAD < n_rows)
            prefetch_frame(ranks->fold, rows[i + AHEAD].source, from);
        rows[i].key = key_of(ranks, stack, from);
        has_more |= from < stack.n;
    }
    return has_more;
}

/* Makes rows of stacks, whose first keys are the places of their roots: moves the counts
 * away, and counts the stacks of each place. */
static void start_rows(struct fold *f, const uint32_t *places, uint64_t *counts,
                       uint32_t *n_in_place)
{
    for (uint32_t i = 0; i < f->n_stacks; i++) {
        struct sort_row *row = &f->rows[i];
        uint32_t place = places[row->item];

        counts[i] = row->key;
        n_in_place[place]++;
        *row = (struct sort_row){place, row->source, i};
    }
}

/* Makes stacks of sorted rows again: those of each place are together. */
static void finish_rows(struct fold *f, const uint32_t *places, const uint64_t *counts,
                        uint32_t *n_in_place)
{
    size_t n_places = f->n_root_sets + 1;
    uint32_t *sets = (uint32_t *)memory_allocate(n_places * sizeof(*sets));
    size_t place = 0;

    for (uint32_t i = 0; i < f->n_root_sets; i++)
        sets[places[i]] = i;
    for (size_t i = 0; i < f->n_stacks; i++) {
        struct sort_row *row = &f->rows[i];

        while (n_in_place[place] == 0)
            place++;
        n_in_place[place]--;
        *row = (struct sort_row){counts[row->item], row->source, sets[place]};
    }
    memory_release(sets);
}

static void sort_by_ranks(struct fold *f, const struct name_ranks *ranks)
{
    uint32_t *inner = ranks_of_frames(f, ranks->inner);
    uint32_t *last = ranks_of_frames(f, ranks->last);
    uint32_t *places = rank_roots(f, ranks);
    const struct frame_ranks frames = {f, inner, last, count_bits(2 * f->names.n)};
    uint64_t *counts = (uint64_t *)memory_reserve(f->n_stacks * sizeof(*counts));
    uint32_t *n_in_place =
        (uint32_t *)memory_allocate((f->n_root_sets + 1) * sizeof(*n_in_place));

    start_rows(f, places, counts, n_in_place);
    sort_rows(f->profile->n_threads, f->rows, f->n_stacks, next_frames, &frames);
    finish_rows(f, places, counts, n_in_place);
    memory_release(n_in_place);
    memory_release(counts);
    memory_release(places);
    memory_release(inner);
    memory_release(last);
}

/* ---- Sorting by text --------------------------------------------------------------- */

/* A stack, which is a line, and its row. */
struct line {
    const struct fold *fold;
    struct fold_stack stack;
    struct sort_row row;
};

/* The text of a line from some frame on, piece by piece. */
struct cursor {
    const struct line *line;
    uint32_t next;
    /* The last piece was a name; what follows it is next. */
    bool after_name;
    char tail[24];
    struct string piece;
};

static uint32_t depth_of(const struct line *line)
{
    return fold_depth(line->fold, &line->stack);
}

static uint32_t name_of(const struct line *line, uint32_t i)
{
    return fold_name(line->fold, &line->stack, i);
}

static size_t put_count(char *to, size_t size, uint64_t count)
{
    return (size_t)snprintf(to, size, " %llu", (unsigned long long)count);
}

/* Advances to the next piece; false if there is none. */
static bool next_frame(struct cursor *c)
{
    if (!c->after_name) {
        if (c->next == depth_of(c->line))
            return false;
        c->piece = string_table_get(&c->line->fold->names, name_of(c->line, c->next++));
    } else if (c->next < depth_of(c->line)) {
        c->piece = (struct string){";", 1};
    } else {
        size_t size = put_count(c->tail, sizeof(c->tail), c->line->stack.count);

        c->piece = (struct string){c->tail, size};
    }
    c->after_name = !c->after_name;
    return true;
}

static bool has_more(struct cursor *c)
{
    return c->piece.size > 0 || next_frame(c);
}

static void drop_prefix(struct string *piece, size_t size)
{
    piece->data += size;
    piece->size -= size;
}

/* A line that is a prefix of another comes first, as "a 1" does before "a 1 2". */
static int order_lines(const void *left, const void *right)
{
    struct cursor a = {.line = (const struct line *)left};
    struct cursor b = {.line = (const struct line *)right};
    int order = 0;

    while (a.next < depth_of(a.line) && a.next < depth_of(b.line) &&
           name_of(a.line, a.next) == name_of(b.line, a.next))
        a.next++;
    /* The last common frame is compared again, with what follows it. */
    a.next -= a.next > 0;
    b.next = a.next;
    while (order == 0 && has_more(&a) && has_more(&b)) {
        size_t size = a.piece.size < b.piece.size ? a.piece.size : b.piece.size;

        order = memcmp(a.piece.data, b.piece.data, size);
        drop_prefix(&a.piece, size);
        drop_prefix(&b.piece, size);
    }
    if (order != 0)
        return order;
    return has_more(&a) - has_more(&b);
}

static void sort_by_text(struct fold *f)
{
    struct line *lines = (struct line *)memory_reserve(f->n_stacks * sizeof(*lines));

    for (size_t i = 0; i < f->n_stacks; i++)
        lines[i] = (struct line){f, fold_stack_at(f, i), f->rows[i]};
    SORT(lines, f->n_stacks, order_lines);
    for (size_t i = 0; i < f->n_stacks; i++)
        f->rows[i] = lines[i].row;
    memory_release(lines);
}

/* ---- The whole --------------------------------------------------------------------- */

static bool same_names(const struct fold *f, const struct fold_stack *a,
                       const struct fold_stack *b)
{
    if (a->n != b->n || a->roots != b->roots)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->frames[i] != b->frames[i] &&
            f->frame_names[a->frames[i]] != f->frame_names[b->frames[i]])
            return false;
    }
    return true;
}

/* Merges adjacent equal stacks. */
static void merge_stacks(struct fold *f)
{
    struct fold_stack last = {.n = 0};
    size_t n = 0;

    for (size_t i = 0; i < f->n_stacks; i++) {
        struct fold_stack stack = fold_stack_at(f, i);

        fold_prefetch(f, i);
        if (n > 0 && same_names(f, &last, &stack)) {
            f->rows[n - 1].key = fold_add_up(f->rows[n - 1].key, stack.count);
        } else {
            f->rows[n++] = f->rows[i];
            last = stack;
        }
    }
    f->n_stacks = n;
}

void fold_sort(struct fold *f)
{
    struct name_ranks ranks;
    bool is_order;

    if (f->n_stacks < 2)
        return;
    is_order = name_ranks_make(&ranks, &f->names);
    sort_by_ranks(f, &ranks);
    merge_stacks(f);
    if (!is_order)
        sort_by_text(f);
}
