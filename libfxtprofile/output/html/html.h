/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a page for browsers: one file, that needs no other and no network. The
 * page's script (data.js and so on) shows its data, which are two elements of the page.
 * The first is base64 of gzip of
 *
 *     the size of a JSON text, in four bytes, little-endian
 *     the text
 *     columns of numbers, one after another, whose names and lengths the text has
 *
 * Numbers are of seven bits a byte, the lowest first, and all bytes but the last have the
 * highest bit set. In columns that may be negative, 2n stands for n and 2n - 1 for -n.
 *
 * The second is base64 of more columns, whose names and lengths the text has too: when
 * samples were taken, and the events. These numbers are in blocks of HTML_ROWS_BLOCK,
 * each a byte that says how many bits a number has, and then the bits, of each number and
 * of each byte the lowest first. Zeros fill the last block of a column.
 *
 * tests/support/html_read.py is a second reader.
 */
#ifndef FXTPROFILE_OUTPUT_HTML_H
#define FXTPROFILE_OUTPUT_HTML_H

#include <stdbool.h>

#include "common/base/binary.h"
#include "common/base/io/output.h"
#include "common/base/text.h"
#include "html_events.h"
#include "html_tables.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/output/tracks.h"

enum { HTML_ROWS_BLOCK = 64 };

/* One of the profiles that a page shows. */
struct html_side {
    const struct profile *profile;
    struct tracks tracks;
    /* Which of the samples' values counts. */
    uint32_t value_type;
    /* By the profile's stacks: see html_tables_add. */
    uint32_t *leaves;
};

/* The text, and the columns, are put together apart from each other. */
struct html {
    const struct output_settings *settings;
    struct html_tables tables;
    struct html_side now;
    /* Without a profile if nothing is compared. */
    struct html_side before;
    struct html_events events;
    struct text json;
    struct text columns;
    /* The members of `json` that name the columns. */
    struct text names;
};

/* ---- html_columns.c ---------------------------------------------------------------- */

/* Adds the columns of all tables and samples, and of drops. */
void html_add_columns(struct html *html);

/* A column begins, with `n` numbers, which are added to what this returns, as varints. */
struct text *html_begin_column(struct html *html, const char *name, size_t n);

/* Adds a column of one member of each of `n` items. */
#define HTML_ADD_COLUMN(h, name, items, n, member)                                       \
    do {                                                                                 \
        struct text *column = html_begin_column(h, name, n);                             \
                                                                                         \
        for (size_t i = 0; i < (n); i++)                                                 \
            text_varint(column, (items)[i].member);                                      \
    } while (0)

/* What the times of columns are relative to, in nanoseconds of the input's clock. */
uint64_t html_start(const struct html *html);

/* ---- html_event_rows.c ------------------------------------------------------------- */

/* A column of rows: `get` makes each of its numbers. The columns of one group have the
 * same length. */
struct html_row_column {
    const char *name;
    enum html_group group;
    uint64_t (*get)(const struct html *html, enum html_group group, size_t row);
};

/* Those of events: the last has no name. Arguments are the group HTML_EVENT_GROUPS. */
extern const struct html_row_column html_event_columns[];

/* Adds the columns of what rows of events refer to. */
void html_add_event_tables(struct html *html);

/* ---- html_rows.c ------------------------------------------------------------------- */

/* Adds the list of the columns of rows, without its brackets, to the JSON text. */
void html_add_row_names(struct html *html);

/* Writes these columns as base64. */
void html_write_rows(const struct html *html, struct output *output);

/* ---- html_facts.c ------------------------------------------------------------------ */

/* Adds the members of the JSON text that are not columns: what was recorded, what is
 * missing, the processes and threads, and all strings. */
void html_add_facts(struct html *html);

/* ---- html_source.c ----------------------------------------------------------------- */

/* Adds the text of the source around the hottest functions, as a member. */
void html_add_sources(struct html *html);

/* Writes `data` as base64, which pages hold data in, and removes it. But for the last
 * ones, bytes that fill no group of characters stay until more are added. */
void base64_write(struct output *output, struct text *data, bool is_last);

#endif
