/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as folded stacks: a line for each stack, root first, frames separated by `;`,
 * then a space and how often it was seen. Lines differ in their stacks, and are sorted by
 * their bytes, as sort in the C locale has it.
 *
 * A line is kept as the numbers of its frames' names, which are unique; its text is never
 * put together before it is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "quote.h"

/* One line: frames[first] to frames[first + n - 1], root first. */
struct line {
    const struct folder *folder;
    size_t first;
    uint32_t n;
    uint64_t count;
};

struct folder {
    const struct profile *profile;
    const struct output_settings *settings;
    /* Frames as they are written, and the frame of each of the profile's functions. */
    struct strings names;
    uint32_t *function_frames;

    uint32_t *frames;
    size_t n_frames;
    size_t frame_capacity;
    struct line *lines;
    size_t n_lines;
    size_t line_capacity;
    struct table table;

    struct text text;
    struct text quoted;
};

/* ---- Frames ------------------------------------------------------------------------ */

static uint32_t add_name(struct folder *f, struct string name)
{
    f->quoted.size = 0;
    quote_frame(&f->quoted, name.data, name.size);
    return strings_add(&f->names, f->quoted.data, f->quoted.size);
}

static void add_frame(struct folder *f, uint32_t frame)
{
    f->frames = (uint32_t *)must_grow(f->frames, f->n_frames, &f->frame_capacity,
                                      sizeof(*f->frames));
    f->frames[f->n_frames++] = frame;
}

static void add_root(struct folder *f, enum folded_root root,
                     const struct profile_labels *labels)
{
    const struct who *who = &f->profile->who;

    f->text.size = 0;
    switch (root) {
    case FOLDED_PROCESS:
        who_describe(who, labels->process, "process", &f->text);
        break;
    case FOLDED_THREAD:
        who_describe(who, labels->thread, "thread", &f->text);
        break;
    case FOLDED_CPU:
    case FOLDED_ROOTS:
        if (labels->cpu == PROFILE_NO_CPU)
            text_str(&f->text, "cpu?");
        else
            text_printf(&f->text, "cpu%u", labels->cpu);
        break;
    }
    add_frame(f, add_name(f, (struct string){f->text.data, f->text.size}));
}

/* ---- Lines ------------------------------------------------------------------------- */

/* The line with these last `n` frames, which are taken back if it exists. */
static struct line *find_line(struct folder *f, uint32_t n)
{
    size_t first = f->n_frames - n;
    uint64_t hash = hash_bytes(f->frames + first, n * sizeof(*f->frames));
    struct table_probe probe = table_probe(&f->table, hash);
    uint32_t number;

    while (table_next(&f->table, &probe, &number)) {
        struct line *line = &f->lines[number];

        if (line->n == n && memcmp(f->frames + line->first, f->frames + first,
                                   n * sizeof(*f->frames)) == 0) {
            f->n_frames = first;
            return line;
        }
    }
    table_add(&f->table, hash, f->n_lines);
    f->lines = (struct line *)must_grow(f->lines, f->n_lines, &f->line_capacity,
                                        sizeof(*f->lines));
    f->lines[f->n_lines] = (struct line){f, first, n, 0};
    return &f->lines[f->n_lines++];
}

static void fold_sample(struct folder *f, size_t i)
{
    const struct profile *p = f->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
    const uint32_t *frames = p->frames + stack->first;
    size_t start = f->n_frames;

    for (size_t r = 0; r < f->settings->n_roots; r++)
        add_root(f, f->settings->roots[r], &p->labels[p->samples[i].labels]);
    for (uint32_t j = stack->n; j > 0; j--)
        add_frame(f, f->function_frames[p->locations[frames[j - 1]].function]);
    find_line(f, (uint32_t)(f->n_frames - start))->count +=
        (uint64_t)p->values[i * p->n_types];
}

/* ---- Order ------------------------------------------------------------------------- */

/* The text of a line from some frame on, piece by piece. */
struct cursor {
    const struct line *line;
    uint32_t next;
    /* A name was given out last, and what follows it is next. */
    bool after_name;
    char tail[24];
    struct string piece;
};

static struct string name_of(const struct line *line, uint32_t i)
{
    return strings_get(&line->folder->names, line->folder->frames[line->first + i]);
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

static void drop(struct string *piece, size_t size)
{
    piece->data += size;
    piece->size -= size;
}

/* Lines with the same stack do not occur, so neither text is the start of the other. */
static int order_lines(const void *left, const void *right)
{
    struct cursor a = {.line = (const struct line *)left};
    struct cursor b = {.line = (const struct line *)right};
    const uint32_t *frames = a.line->folder->frames;
    int order = 0;

    while (a.next < a.line->n && a.next < b.line->n &&
           frames[a.line->first + a.next] == frames[b.line->first + a.next])
        a.next++;
    /* The last frame in common is looked at again, for what follows it. */
    a.next -= a.next > 0;
    b.next = a.next;
    while (order == 0 && (a.piece.size > 0 || step(&a)) &&
           (b.piece.size > 0 || step(&b))) {
        size_t size = a.piece.size < b.piece.size ? a.piece.size : b.piece.size;

        order = memcmp(a.piece.data, b.piece.data, size);
        drop(&a.piece, size);
        drop(&b.piece, size);
    }
    return order;
}

/* ---- The whole --------------------------------------------------------------------- */

static void write_line(struct folder *f, const struct line *line, struct output *output)
{
    char tail[24];

    f->text.size = 0;
    for (uint32_t i = 0; i < line->n; i++) {
        struct string name = name_of(line, i);

        if (i > 0)
            text_char(&f->text, ';');
        text_add(&f->text, name.data, name.size);
    }
    text_add(&f->text, tail, put_count(tail, sizeof(tail), line->count));
    text_char(&f->text, '\n');
    output_text(output, &f->text);
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct folder f = {.profile = p, .settings = settings};

    f.function_frames =
        (uint32_t *)must_allocate(p->functions.n * sizeof(*f.function_frames));
    for (uint32_t i = 0; i < p->functions.n; i++)
        f.function_frames[i] = add_name(&f, strings_get(&p->functions, i));
    for (size_t i = 0; i < p->n_samples; i++)
        fold_sample(&f, i);
    if (f.n_lines > 0)
        qsort(f.lines, f.n_lines, sizeof(*f.lines), order_lines);
    for (size_t i = 0; i < f.n_lines && !output_failed(output); i++)
        write_line(&f, &f.lines[i], output);
    free(f.function_frames);
    free(f.frames);
    free(f.lines);
    table_free(&f.table);
    strings_free(&f.names);
    text_free(&f.text);
    text_free(&f.quoted);
}

const struct output_format output_folded = {
    .name = "folded",
    .suffix = ".folded",
    .is_binary = false,
    .is_compressed = false,
    .write = write_folded,
};
