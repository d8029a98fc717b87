/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a page's timeline: see html.h. They are the most of a long recording, so
 * that they are written as they are made, and their numbers in as few bits as they need:
 * compressing them would take longer than all else, for few bytes less. */
#include <endian.h>
#include <string.h>

#include "base64.h"
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

/* ---- Columns ----------------------------------------------------------------------- */

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

/* Each time as what passed since the one before. */
static void write_times(const struct html *h, struct output *output, struct text *bytes)
{
    const struct profile *p = h->now.profile;
    size_t n = count_rows(p);
    uint64_t last = html_start(h);

    for (size_t first = 0; first < n; first += BLOCK) {
        uint64_t numbers[BLOCK] = {0};

        for (size_t i = first; i < n && i < first + BLOCK; i++) {
            uint64_t time = time_of(p, i);

            numbers[i - first] = time - last;
            last = time;
        }
        add_block(bytes, numbers);
        if (bytes->size >= PIECE)
            base64_write(output, bytes, false);
    }
}

/* The samples, if they were taken several times. */
static void write_samples(const struct html *h, struct output *output, struct text *bytes)
{
    const struct profile *p = h->now.profile;
    size_t n = has_moments(p) ? p->n_moments : 0;

    for (size_t first = 0; first < n; first += BLOCK) {
        uint64_t numbers[BLOCK] = {0};

        for (size_t i = first; i < n && i < first + BLOCK; i++)
            numbers[i - first] = p->moments[i].sample;
        add_block(bytes, numbers);
        if (bytes->size >= PIECE)
            base64_write(output, bytes, false);
    }
}

void html_add_row_names(struct html *h)
{
    const struct profile *p = h->now.profile;

    if (has_moments(p) || p->has_times)
        text_printf(&h->json, "[\"row.time\",%zu]", count_rows(p));
    if (has_moments(p))
        text_printf(&h->json, ",[\"row.sample\",%zu]", count_rows(p));
}

void html_write_rows(const struct html *h, struct output *output)
{
    struct text bytes = {NULL, 0, 0};

    write_times(h, output, &bytes);
    write_samples(h, output, &bytes);
    base64_write(output, &bytes, true);
    text_free(&bytes);
}
