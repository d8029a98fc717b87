/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_span.h: the distribution of durations, as wide as the screen. */
#include <string.h>

#include "histogram.h"
#include "print_span.h"
#include "tools/fxtreport/events/drawing.h"
#include "tools/fxtreport/names.h"
#include "tools/fxtreport/units.h"

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

    histogram_make(&h, span->set.all, span->set.n);
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
