/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of records and of what each must come to. */
#ifndef TESTS_LIBFXT_ROWS_H
#define TESTS_LIBFXT_ROWS_H

#include <stdio.h>
#include <string.h>

#include <fxt/fxt.h>

#include "tests/support/harness.h"
#include "tests/support/items.h"
#include "tests/support/show.h"

struct reading {
    struct show records;
    struct show errors;
};

static inline int on_record(void *context, const struct fxt_record *record)
{
    show_content(&((struct reading *)context)->records, record);
    return 0;
}

static inline int on_error(void *context, const struct fxt_error *error)
{
    show_format(&((struct reading *)context)->errors, "%s ", fxt_code_name(error->code));
    return 0;
}

static inline struct reading read_words(const struct words *w)
{
    struct reading reading = {{0}, {0}};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = on_error,
        .context = &reading,
        .stream = FXT_STREAM_ARCHIVE,
        .byte_order = w->big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE,
    };
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    CHECK(fxt_reader_read(reader, &chunk) == FXT_OK, "it does not read to the end");
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_OK, "it does not finish");
    fxt_reader_destroy(reader);
    return reading;
}

/* The text without what separates it from more. */
static inline const char *without_last(struct show *show)
{
    if (show->size > 0)
        show->size--;
    return show_take(show);
}

/* Checks that a stream's records say `content`, a line each, and that the codes of its
 * reports are `errors`, separated by spaces. */
static inline void check_words(const struct words *w, const char *name,
                               const char *content, const char *errors)
{
    struct reading reading = read_words(w);
    const char *records = without_last(&reading.records);
    const char *reports = without_last(&reading.errors);

    CHECK(strcmp(records, content) == 0, "%s, big-endian %d: %s", name, w->big,
          show_difference(records, content));
    CHECK(strcmp(reports, errors) == 0, "%s, big-endian %d: %s", name, w->big,
          show_difference(reports, errors));
    show_free(&reading.records);
    show_free(&reading.errors);
}

/* One or a few records, what they say, and the codes of the reports, in both byte orders.
 */
struct row {
    const char *name;
    const char *content;
    const char *errors;
    struct item items[24];
};

static inline void check_row(const struct row *row, bool big)
{
    struct words w = {.big = big};

    put_items(&w, row->items);
    check_words(&w, row->name, row->content, row->errors);
    words_free(&w);
}

#define CHECK_ROWS(rows)                                                                 \
    for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) {                      \
        check_row(&(rows)[i], false);                                                    \
        check_row(&(rows)[i], true);                                                     \
    }

#endif
