/* SPDX-License-Identifier: BSD-2-Clause */
/* See histogram.h. */
#include "histogram.h"

#include <string.h>

/* The spread from which on the scale is logarithmic; the most rows of a linear scale, and
 * of a logarithmic one until its ranges are powers of ten. */
enum { SPREAD = 20, LINEAR_MAX = 12, FINE_MAX = 24 };

/* ---- Round numbers ----------------------------------------------------------------- */

/* The round number after one; UINT64_MAX where that is too large. */
static uint64_t next_round(uint64_t round, bool is_fine)
{
    uint64_t power = round;

    while (power % 10 == 0)
        power /= 10;
    /* What is left is 1, 2 or 5. */
    if (!is_fine)
        return round <= UINT64_MAX / 10 ? round * 10 : UINT64_MAX;
    if (power == 2)
        return round / 2 <= UINT64_MAX / 5 ? round / 2 * 5 : UINT64_MAX;
    return round <= UINT64_MAX / 2 ? round * 2 : UINT64_MAX;
}

/* The largest that is not above a time, which is not 0. */
static uint64_t round_down(uint64_t ns, bool is_fine)
{
    uint64_t round = 1;

    for (;;) {
        uint64_t next = next_round(round, is_fine);

        if (next > ns || next == UINT64_MAX)
            return round;
        round = next;
    }
}

/* ---- Ranges ------------------------------------------------------------------------ */

static void add_row(struct histogram *h, uint64_t from_ns, uint64_t to_ns)
{
    h->rows[h->n++] = (struct histogram_row){from_ns, to_ns, 0};
}

static void make_logarithmic(struct histogram *h, uint64_t shortest_ns, uint64_t max_ns,
                             bool has_zero, bool is_fine)
{
    uint64_t from_ns = round_down(shortest_ns, is_fine);

    h->n = 0;
    if (has_zero)
        add_row(h, 0, from_ns);
    while (h->n < HISTOGRAM_MAX) {
        uint64_t to_ns = next_round(from_ns, is_fine);

        add_row(h, from_ns, to_ns);
        if (to_ns > max_ns || to_ns == UINT64_MAX)
            return;
        from_ns = to_ns;
    }
}

static void make_linear(struct histogram *h, uint64_t min_ns, uint64_t max_ns)
{
    uint64_t step = 1;
    uint64_t from_ns;

    while ((max_ns - min_ns) / step >= LINEAR_MAX)
        step = next_round(step, true);
    from_ns = min_ns - min_ns % step;
    for (;;) {
        uint64_t to_ns = from_ns <= UINT64_MAX - step ? from_ns + step : UINT64_MAX;

        add_row(h, from_ns, to_ns);
        if (to_ns > max_ns || to_ns == UINT64_MAX)
            return;
        from_ns = to_ns;
    }
}

static void count_rows(struct histogram *h, const struct span_instance *spans, size_t n)
{
    size_t row = 0;

    for (size_t i = 0; i < n; i++) {
        while (row + 1 < h->n && spans[i].ns >= h->rows[row].to_ns)
            row++;
        h->rows[row].count++;
    }
    for (size_t i = 0; i < h->n; i++)
        h->most = h->rows[i].count > h->most ? h->rows[i].count : h->most;
}

void histogram_make(struct histogram *h, const struct span_instance *spans, size_t n)
{
    size_t n_zero = 0;
    uint64_t max_ns;

    *h = (struct histogram){.n = 0};
    if (n == 0)
        return;
    max_ns = spans[n - 1].ns;
    while (n_zero < n && spans[n_zero].ns == 0)
        n_zero++;
    h->is_logarithmic = n_zero < n && max_ns / SPREAD >= spans[n_zero].ns;
    if (h->is_logarithmic) {
        make_logarithmic(h, spans[n_zero].ns, max_ns, n_zero > 0, true);
        if (h->n > FINE_MAX)
            make_logarithmic(h, spans[n_zero].ns, max_ns, n_zero > 0, false);
    } else {
        make_linear(h, spans[0].ns, max_ns);
    }
    count_rows(h, spans, n);
}
