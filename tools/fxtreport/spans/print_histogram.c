/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_span.h: the distribution of durations, as wide as the screen. */
#include <string.h>

#include "print_span.h"
#include "tools/fxtreport/events/drawing.h"
#include "tools/fxtreport/json.h"
#include "tools/fxtreport/names.h"
#include "tools/fxtreport/units.h"

/*
 * How durations are distributed: how many there are in each range, the ranges with round
 * ends (1, 2 or 5 of a power of ten), each from one end up to, but not including, the
 * next one.
 */
enum { HISTOGRAM_MAX = 40 };

struct histogram_row {
    uint64_t from_ns;
    /* UINT64_MAX of the last one that could have no end. */
    uint64_t to_ns;
    uint64_t count;
};

struct histogram {
    bool is_logarithmic;
    struct histogram_row rows[HISTOGRAM_MAX];
    size_t n;
    uint64_t most;
};

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

/* Of spans in the order of their durations. The scale is logarithmic if the longest is 20
 * times as long as the shortest, or more; what lasted no time at all does not count in
 * this. */
static void make_histogram(struct histogram *h, const struct span_instance *spans,
                           size_t n)
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

/* Columns of all bars together; and the widest line where there is no limit. */
enum { EIGHTHS = 8, WIDEST = 200, USUAL = 80, GAP = 2 };

/* ---- Bars -------------------------------------------------------------------------- */

/* In eighths of a column, rounded up. */
static void add_bar(struct text *text, uint64_t count, uint64_t most, size_t width)
{
    double share = (double)count / (double)most;
    size_t eighths = (size_t)(share * (double)(width * EIGHTHS));
    bool is_unicode = drawing_has_blocks();

    if (count > 0 && eighths == 0)
        eighths = 1;
    if (!is_unicode)
        eighths = (eighths + EIGHTHS - 1) / EIGHTHS * EIGHTHS;
    for (; eighths >= EIGHTHS; eighths -= EIGHTHS)
        text_str(text, is_unicode ? "\xe2\x96\x88" : "#");
    if (eighths > 0) {
        /* From one eighth, U+258F, to seven, U+2589. */
        char block[] = "\xe2\x96\x90";

        block[2] = (char)(block[2] - (int)eighths);
        text_str(text, block);
    }
}

/* ---- Cells ------------------------------------------------------------------------- */

/* "200 us", "1.3502 s": all its digits. */
static void add_round(struct text *text, uint64_t ns)
{
    static const char *const units[] = {" ns", " us", " ms", " s"};
    uint64_t whole = ns;
    uint64_t size = 1;
    size_t unit = 0;

    while (unit < 3 && whole >= 1000) {
        whole /= 1000;
        size *= 1000;
        unit++;
    }
    text_u64(text, whole);
    if (ns % size != 0) {
        text_char(text, '.');
        for (uint64_t rest = ns % size; rest != 0; rest %= size) {
            size /= 10;
            text_char(text, (char)('0' + rest / size));
        }
    }
    text_str(text, units[unit]);
}

enum { N_CELLS = 5 };

static const char *const headings[N_CELLS] = {"from", "to", "spans", "", "up to"};

/* The number of a row in one of the columns before its bar. */
static void add_cell(struct text *cell, const struct histogram *h, size_t row,
                     size_t column, uint64_t sum, uint64_t n)
{
    const struct histogram_row *r = &h->rows[row];

    cell->size = 0;
    switch (column) {
    case 0:
        add_round(cell, r->from_ns);
        break;
    case 1:
        add_round(cell, r->to_ns);
        break;
    case 2:
        units_count(cell, r->count);
        break;
    case 3:
        units_share(cell, (double)r->count, (double)n);
        break;
    default:
        units_share(cell, (double)sum, (double)n);
        break;
    }
}

static void add_right(struct text *text, const struct text *cell, size_t width)
{
    for (size_t i = cell->size; i < width; i++)
        text_char(text, ' ');
    text_add(text, cell->data, cell->size);
}

/* How wide the columns are, and how much is left for bars. */
static size_t find_widths(const struct histogram *h, uint64_t n, size_t screen,
                          size_t *widths)
{
    struct text cell = {NULL, 0, 0};
    size_t used = GAP;
    size_t room = screen;

    for (size_t c = 0; c < N_CELLS; c++) {
        widths[c] = strlen(headings[c]);
        for (size_t i = 0; i < h->n; i++) {
            add_cell(&cell, h, i, c, n, n);
            widths[c] = cell.size > widths[c] ? cell.size : widths[c];
        }
        used += widths[c] + (c > 0 ? GAP : 0);
    }
    if (room == NAMES_ANY_WIDTH)
        room = USUAL;
    room = room < WIDEST ? room : WIDEST;
    return room > used ? room - used : 1;
}

static void print_headings(const struct span_view *span, const size_t *widths,
                           struct text *text)
{
    struct text line = {NULL, 0, 0};

    for (size_t c = 0; c < N_CELLS; c++) {
        struct text cell = {NULL, 0, 0};

        text_str(&cell, headings[c]);
        if (c > 0)
            text_str(&line, "  ");
        add_right(&line, &cell, widths[c]);
    }
    text_char(&line, '\0');
    screen_style(text, &span->view->screen, STYLE_FAINT, line.data);
    text_char(text, '\n');
}

void print_histogram(const struct span_view *span, struct text *text)
{
    uint64_t n = span->set.numbers.count;
    struct text cell = {NULL, 0, 0};
    struct histogram h;
    size_t widths[N_CELLS];
    uint64_t sum = 0;
    size_t bars;

    make_histogram(&h, span->set.all, span->set.n);
    bars = find_widths(&h, n, span->view->screen.width, widths);
    text_str(&cell, h.is_logarithmic ? "on a logarithmic scale" : "");
    print_span_title(span, "Durations", &cell, text);
    print_headings(span, widths, text);
    for (size_t i = 0; i < h.n; i++) {
        sum += h.rows[i].count;
        for (size_t c = 0; c < N_CELLS; c++) {
            add_cell(&cell, &h, i, c, sum, n);
            if (c > 0)
                text_str(text, "  ");
            add_right(text, &cell, widths[c]);
        }
        if (h.rows[i].count > 0) {
            text_str(text, "  ");
            add_bar(text, h.rows[i].count, h.most, bars);
        }
        text_char(text, '\n');
    }
}

/* ---- JSON -------------------------------------------------------------------------- */

void print_histogram_json(const struct span_view *s, struct text *text)
{
    struct histogram h;

    make_histogram(&h, s->set.all, s->set.n);
    json_word(text, "scale", h.is_logarithmic ? "logarithmic" : "linear");
    json_open(text, "histogram", '[');
    for (size_t i = 0; i < h.n; i++) {
        json_open(text, NULL, '{');
        json_number(text, "from_ns", h.rows[i].from_ns);
        json_number(text, "to_ns", h.rows[i].to_ns);
        json_number(text, "count", h.rows[i].count);
        json_end(text, '}');
    }
    json_end(text, ']');
}
