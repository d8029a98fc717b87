/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a page's timeline: see html.h. They are the most of a long recording, so
 * that they are written as they are made, and their numbers in as few bits as they need:
 * compressing them would take longer than all else, for few bytes less. */
#include <endian.h>
#include <string.h>

#include "html.h"

enum { BLOCK = HTML_ROWS_BLOCK, WORD_BITS = 64 };

/* How many bytes are encoded at once. */
enum { PIECE = 3 << 16 };

_Static_assert(BLOCK % WORD_BITS == 0, "a block ends with a word");

/* ---- Numbers ----------------------------------------------------------------------- */

static void add_word(char *to, uint64_t word)
{
    word = htole64(word);
    memcpy(to, &word, sizeof(word));
}

static unsigned count_bits(const uint64_t *numbers)
{
    uint64_t all = 0;

    for (size_t i = 0; i < BLOCK; i++)
        all |= numbers[i];
    return all > 0 ? WORD_BITS - (unsigned)__builtin_clzll(all) : 0;
}

static void add_block(struct text *bytes, const uint64_t *numbers)
{
    unsigned n_bits = count_bits(numbers);
    size_t size = 1 + (size_t)n_bits * BLOCK / 8;
    char *to = text_room(bytes, size);
    uint64_t word = 0;
    unsigned n = 0;

    *to++ = (char)n_bits;
    for (size_t i = 0; i < BLOCK && n_bits > 0; i++) {
        word |= numbers[i] << n;
        n += n_bits;
        if (n < WORD_BITS)
            continue;
        add_word(to, word);
        to += sizeof(word);
        n -= WORD_BITS;
        word = n > 0 ? numbers[i] >> (n_bits - n) : 0;
    }
    bytes->size += size;
}

/* ---- Samples ----------------------------------------------------------------------- */

static bool has_moments(const struct profile *p)
{
    return p->is_timeline && p->n_moments > 0;
}

static size_t count_rows(const struct profile *p)
{
    if (has_moments(p))
        return p->n_moments;
    return p->has_times ? p->n_samples : 0;
}

static uint64_t time_of(const struct profile *p, size_t row)
{
    if (has_moments(p))
        return p->moments[row].time_ns;
    return p->labels[p->samples[row].labels].time_ns;
}

/* What passed since the one before. */
static uint64_t get_time(const struct html *h, enum html_group group, size_t row)
{
    const struct profile *p = h->now.profile;

    (void)group;
    return time_of(p, row) - (row > 0 ? time_of(p, row - 1) : html_start(h));
}

/* The sample, where some were taken several times. */
static uint64_t get_sample(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->now.profile->moments[row].sample;
}

static const struct html_row_column time_column = {"row.time", HTML_EVENT_GROUPS,
                                                   get_time};
static const struct html_row_column sample_column = {"row.sample", HTML_EVENT_GROUPS,
                                                     get_sample};

/* ---- Columns ----------------------------------------------------------------------- */

typedef void column_fn(const struct html_row_column *column, size_t n, void *context);

static size_t count_group(const struct html *h, enum html_group group)
{
    return group < HTML_EVENT_GROUPS ? h->events.n[group] : h->events.n_args;
}

/* All that the page has. */
static void walk_columns(const struct html *h, column_fn *each, void *context)
{
    const struct profile *p = h->now.profile;

    if (has_moments(p) || p->has_times)
        each(&time_column, count_rows(p), context);
    if (has_moments(p))
        each(&sample_column, count_rows(p), context);
    for (const struct html_row_column *c = html_event_columns; c->name != NULL; c++) {
        if (count_group(h, c->group) > 0)
            each(c, count_group(h, c->group), context);
    }
}

struct writing {
    const struct html *html;
    struct output *output;
    struct text bytes;
};

static void write_column(const struct html_row_column *column, size_t n, void *context)
{
    struct writing *w = (struct writing *)context;

    for (size_t first = 0; first < n; first += BLOCK) {
        uint64_t numbers[BLOCK] = {0};

        for (size_t i = first; i < n && i < first + BLOCK; i++)
            numbers[i - first] = column->get(w->html, column->group, i);
        add_block(&w->bytes, numbers);
        if (w->bytes.size >= PIECE)
            base64_write(w->output, &w->bytes, false);
    }
}

static void add_name(const struct html_row_column *column, size_t n, void *context)
{
    struct text *json = (struct text *)context;

    text_printf(json, "%s[\"%s\",%zu]", json->data[json->size - 1] == '[' ? "" : ",",
                column->name, n);
}

void html_add_row_names(struct html *h)
{
    walk_columns(h, add_name, &h->json);
}

void html_write_rows(const struct html *h, struct output *output)
{
    struct writing w = {.html = h, .output = output};

    walk_columns(h, write_column, &w);
    base64_write(output, &w.bytes, true);
    text_free(&w.bytes);
}
