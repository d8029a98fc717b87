/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every report about data: a few words that cause it, and everything that the report must
 * say. Where one does not, the words are printed with a caret under the one it is about.
 * A code that no row provokes fails a separate test.
 */
#include "tests/support/harness.h"

#include <string.h>

#include "error_rows.h"
#include "tests/support/show.h"

/* ---- reading a row ---- */

struct seen {
    int n_records;
    int n_errors;
    struct fxt_error error;
};

static int on_record(void *context, const struct fxt_record *record)
{
    (void)record;
    ((struct seen *)context)->n_records++;
    return 0;
}

static int on_error(void *context, const struct fxt_error *error)
{
    struct seen *seen = (struct seen *)context;

    if (seen->n_errors++ == 0)
        seen->error = *error;
    return 0;
}

static struct seen read_row(const struct row *row, const struct words *w)
{
    struct seen seen = {0};
    struct fxt_reader_options options = row->options;
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;

    options.size = sizeof(options);
    options.on_record = on_record;
    options.on_error = on_error;
    options.context = &seen;
    options.byte_order = w->big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE;
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "%s: no reader", row->name);
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    return seen;
}

/* The words, with a caret under the one at `offset`. */
static const char *show_words(const struct words *w, uint64_t offset)
{
    static struct show show;

    for (size_t at = 0; at + 8 <= w->size; at += 8)
        show_format(&show, "\n  %04zx  %016llx%s", at, (unsigned long long)word_at(w, at),
                    offset - at < 8 ? "\n        ^" : "");
    if (w->size % 8 != 0 || offset >= w->size)
        show_format(&show, "\n  %04zx  (%zu bytes)%s", w->size / 8 * 8, w->size % 8,
                    offset >= w->size / 8 * 8 ? "\n        ^" : "");
    return show_take(&show);
}

static void check_number(const struct row *row, const struct words *w, const char *field,
                         uint64_t is, uint64_t expected)
{
    CHECK(is == expected, "%s, big-endian %d: %s is %llu, not %llu%s", row->name, w->big,
          field, (unsigned long long)is, (unsigned long long)expected,
          show_words(w, row->offset + row->byte));
}

/* Where a size leads astray, the record before the offset has it; it is the first one. */
static uint64_t header_of(const struct row *row, const struct words *w)
{
    uint64_t offset = row->code == FXT_E_LEADS_ASTRAY ? 0 : row->offset;

    return offset + 8 <= w->size ? word_at(w, offset) : 0;
}

static void check_row(const struct row *row, bool big)
{
    struct words w = {.big = big};
    struct seen seen;

    put_items(&w, row->items);
    seen = read_row(row, &w);
    CHECK(seen.n_errors > 0 && seen.error.code == row->code, "%s, big-endian %d: %s%s",
          row->name, big,
          seen.n_errors > 0 ? fxt_code_name(seen.error.code) : "no report",
          show_words(&w, row->offset + row->byte));
    check_number(row, &w, "the number of reports", (uint64_t)seen.n_errors, 1);
    check_number(row, &w, "severity", seen.error.severity, row->severity);
    check_number(row, &w, "offset", seen.error.offset, row->offset);
    check_number(row, &w, "byte", seen.error.byte, row->byte);
    check_number(row, &w, "skipped", seen.error.skipped, row->skipped);
    check_number(row, &w, "value", seen.error.value, row->value);
    check_number(row, &w, "header", seen.error.header, header_of(row, &w));
    check_number(row, &w, "the number of records", (uint64_t)seen.n_records,
                 (uint64_t)row->n_records);
    words_free(&w);
}

TEST(errors, each_says_what_where_and_how_much)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        check_row(&rows[i], false);
        check_row(&rows[i], true);
    }
}

/* ---- the codes ---- */

static const struct {
    int number;
    const char *name;
} pinned[] = {
    {0, "ok"},
    {1, "need_more"},
    {2, "end"},
    {3, "stopped"},
    {10, "size_zero"},
    {11, "truncated"},
    {12, "too_large"},
    {13, "zero_words"},
    {14, "data_after_end"},
    {15, "magic"},
    {16, "leads_astray"},
    {20, "record_short"},
    {21, "string_overrun"},
    {22, "blob_overrun"},
    {23, "arg_count"},
    {24, "arg_size_zero"},
    {25, "arg_overrun"},
    {26, "arg_short"},
    {27, "pc_count"},
    {28, "ticks_zero"},
    {29, "sample_size"},
    {30, "string_unknown"},
    {31, "thread_unknown"},
    {32, "provider_unknown"},
    {33, "index_zero"},
    {34, "kept_limit"},
    {40, "unknown_record"},
    {41, "unknown_metadata"},
    {42, "unknown_trace_info"},
    {43, "unknown_provider_event"},
    {44, "unknown_event"},
    {45, "unknown_arg"},
    {46, "unknown_scheduling"},
    {47, "unknown_profiler"},
    {48, "unknown_large"},
    {49, "unknown_blob_format"},
    {50, "invalid"},
    {51, "busy"},
    {52, "no_memory"},
    {53, "sink"},
    {54, "out_of_order"},
    {55, "blob_size"},
    {56, "file"},
    {60, "string_size"},
    {61, "name_size"},
    {62, "args_many"},
    {63, "arg_size"},
    {64, "pcs_many"},
    {65, "payload_size"},
    {66, "record_size"},
    {67, "field_range"},
    {68, "end_before_begin"},
};

enum { N_PINNED = sizeof(pinned) / sizeof(pinned[0]), CODES_END = 1000 };

static bool has_row(int code)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].code == (enum fxt_code)code)
            return true;
    }
    return false;
}

TEST(errors, every_code_about_data_has_a_row)
{
    for (int code = FXT_E_SIZE_ZERO; code < FXT_E_INVALID; code++) {
        const char *name = fxt_code_name((enum fxt_code)code);

        if (strcmp(name, "unknown_code") != 0)
            CHECK(has_row(code), "%s", name);
    }
    CHECK(has_row(FXT_E_NO_MEMORY), "no_memory");
}

TEST(errors, codes_keep_their_numbers_and_names)
{
    size_t next = 0;

    for (int code = -1; code < CODES_END; code++) {
        bool is_pinned = next < N_PINNED && pinned[next].number == code;
        const char *name = fxt_code_name((enum fxt_code)code);

        CHECK(strcmp(name, is_pinned ? pinned[next].name : "unknown_code") == 0, "%d: %s",
              code, name);
        next += is_pinned;
    }
    CHECK(next == N_PINNED, "the list is out of order");
}

TEST(errors, each_code_has_a_sentence_of_its_own)
{
    for (size_t i = 0; i < N_PINNED; i++) {
        const char *message = fxt_code_message((enum fxt_code)pinned[i].number);

        CHECK(message[0] != '\0' && message[strlen(message) - 1] != '.', "%s", message);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(message, fxt_code_message((enum fxt_code)pinned[j].number)) != 0,
                  "%s and %s", pinned[i].name, pinned[j].name);
    }
    CHECK(strcmp(fxt_code_message((enum fxt_code)99), "unknown code") == 0, "99");
    CHECK(strcmp(fxt_version(), FXT_VERSION_STRING) == 0, "version");
}
