/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's calls: options, what it takes a stream for, callbacks, reset, lifetimes.
 */
#include "tests/support/harness.h"

#include <string.h>

#include "tests/support/items.h"
#include "tests/support/pieces.h"
#include "script.h"

/* ---- options ---- */

TEST(reader, options_of_an_older_program_are_filled_up)
{
    struct fxt_reader_options options = {.size =
                                             offsetof(struct fxt_reader_options, resync)};
    struct fxt_reader *reader;

    options.stream = FXT_STREAM_ARCHIVE;
    /* After its size there is something else in an older program's memory. */
    memset((char *)&options + options.size, 0xa5, sizeof(options) - options.size);
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "refused");
    CHECK(fxt_reader_stream(reader) == FXT_STREAM_ARCHIVE, "not taken over");
    fxt_reader_destroy(reader);
}

TEST(reader, options_of_a_newer_program_must_be_zero_where_they_are_unknown)
{
    struct {
        struct fxt_reader_options options;
        char more[16];
    } newer = {.options = {.size = sizeof(newer)}};
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&newer.options, &reader) == FXT_OK, "zeros are refused");
    fxt_reader_destroy(reader);
    newer.more[15] = 1;
    CHECK(fxt_reader_create(&newer.options, &reader) == FXT_E_INVALID, "taken");
    CHECK(reader == NULL, "there is a reader nevertheless");
}

TEST(reader, impossible_options_are_refused)
{
    struct fxt_reader_options rows[] = {
        {.size = 0},
        {.size = sizeof(size_t) - 1},
        {.size = sizeof(rows[0]), .stream = (enum fxt_stream)3},
        {.size = sizeof(rows[0]), .stream = (enum fxt_stream) - 1},
        {.size = sizeof(rows[0]), .byte_order = (enum fxt_byte_order)3},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fxt_reader *reader = (struct fxt_reader *)&rows;

        CHECK(fxt_reader_create(&rows[i], &reader) == FXT_E_INVALID, "row %zu", i);
        CHECK(reader == NULL, "row %zu", i);
    }
}

TEST(reader, a_reader_without_callbacks_reads_all_the_same)
{
    struct fxt_reader_options options = {.size = sizeof(options)};
    struct fxt_reader *reader;
    struct words w = {0};
    struct fxt_chunk chunk;

    put(&w, MAGIC);
    put(&w, 0x14);
    put_string_record(&w, 1, "abc");
    chunk = (struct fxt_chunk){w.bytes, w.size, 0};
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    CHECK(fxt_reader_read(reader, &chunk) == FXT_OK, "not read");
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_OK, "not finished");
    CHECK(chunk.pos == w.size && fxt_reader_offset(reader) == w.size, "not to the end");
    fxt_reader_destroy(reader);
    fxt_reader_destroy(NULL);
    words_free(&w);
}

TEST(reader, an_impossible_chunk_is_refused_and_nothing_changes)
{
    struct script s = script_start((struct fxt_reader_options){0});
    char byte = 0;
    struct fxt_chunk beyond = {&byte, 1, 2};
    struct fxt_chunk nowhere = {NULL, 8, 0};
    struct fxt_chunk nothing = {NULL, 0, 0};

    CHECK(fxt_reader_read(s.reader, &beyond) == FXT_E_INVALID, "place beyond the end");
    CHECK(fxt_reader_finish(s.reader, &beyond) == FXT_E_INVALID, "place beyond the end");
    CHECK(fxt_reader_read(s.reader, &nowhere) == FXT_E_INVALID, "bytes at NULL");
    CHECK(fxt_reader_finish(s.reader, &nowhere) == FXT_E_INVALID, "bytes at NULL");
    CHECK(fxt_reader_read(s.reader, &nothing) == FXT_OK, "no bytes at NULL");
    CHECK(fxt_reader_finish(s.reader, &nothing) == FXT_OK, "no bytes at NULL");
    CHECK(fxt_reader_finish(s.reader, NULL) == FXT_OK, "no chunk");
    CHECK(fxt_reader_stream(s.reader) == FXT_STREAM_AUTO, "the stream has begun");
    script_end(&s, "");
}

/* ---- what a stream is ---- */

TEST(reader, the_first_word_tells_the_stream_and_its_byte_order)
{
    static const struct {
        uint64_t word;
        bool big;
        struct fxt_reader_options options;
        enum fxt_stream stream;
        enum fxt_byte_order byte_order;
    } rows[] = {
        {MAGIC, false, {0}, FXT_STREAM_ARCHIVE, FXT_BYTE_ORDER_LITTLE},
        {MAGIC, true, {0}, FXT_STREAM_ARCHIVE, FXT_BYTE_ORDER_BIG},
        {0x10, false, {0}, FXT_STREAM_REGION, FXT_BYTE_ORDER_LITTLE},
        {0x1b, false, {0}, FXT_STREAM_REGION, FXT_BYTE_ORDER_LITTLE},
        {0, true, {0}, FXT_STREAM_REGION, FXT_BYTE_ORDER_LITTLE},
        {MAGIC, true, {.stream = 1}, FXT_STREAM_REGION, FXT_BYTE_ORDER_BIG},
        {0x1b, false, {.stream = 2}, FXT_STREAM_ARCHIVE, FXT_BYTE_ORDER_LITTLE},
        {0x1b, true, {.byte_order = 2}, FXT_STREAM_REGION, FXT_BYTE_ORDER_BIG},
        {MAGIC, true, {.byte_order = 2}, FXT_STREAM_ARCHIVE, FXT_BYTE_ORDER_BIG},
        /* A magic number in the other byte order than the caller says is none. */
        {MAGIC, true, {.byte_order = 1}, FXT_STREAM_REGION, FXT_BYTE_ORDER_LITTLE},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct script s = script_start(rows[i].options);
        struct words w = {.big = rows[i].big};
        struct fxt_chunk chunk;

        put(&w, rows[i].word);
        chunk = (struct fxt_chunk){w.bytes, 7, 0};
        CHECK(fxt_reader_read(s.reader, &chunk) == FXT_NEED_MORE, "row %zu", i);
        CHECK(fxt_reader_stream(s.reader) == rows[i].options.stream, "row %zu", i);
        chunk.size = 8;
        fxt_reader_read(s.reader, &chunk);
        CHECK(fxt_reader_stream(s.reader) == rows[i].stream, "row %zu: stream", i);
        CHECK(fxt_reader_byte_order(s.reader) == rows[i].byte_order, "row %zu: order", i);
        script_drop(&s);
        words_free(&w);
    }
}

static const struct item tail_items[] = {H(14), E, Z(3), H(14), W(1), E, {0}};

TEST(reader, a_zero_header_ends_a_region_and_what_follows_is_one_report)
{
    struct script s =
        script_start((struct fxt_reader_options){.stream = FXT_STREAM_REGION});

    CHECK(script_read(&s, tail_items) == FXT_END, "not the end");
    CHECK(script_read(&s, tail_items) == FXT_END, "not the end any more");
    CHECK(script_finish(&s) == FXT_OK, "not finished");
    script_end(&s,
               "note unknown_record @0; record 14 @0+8; warning data_after_end @32; ");
}

TEST(reader, a_tail_of_zeros_is_clean_down_to_the_last_byte)
{
    static const struct item clean[] = {H(14), E, Z(2), B(0), B(0), B(0), {0}};
    static const struct item dirty[] = {H(14), E, Z(2), B(0), B(0), B(1), {0}};
    struct script s =
        script_start((struct fxt_reader_options){.stream = FXT_STREAM_REGION});

    CHECK(script_read(&s, clean) == FXT_END && script_finish(&s) == FXT_OK, "");
    script_check(&s, "note unknown_record @0; record 14 @0+8; ");
    script_reset(&s);
    CHECK(script_read(&s, dirty) == FXT_END && script_finish(&s) == FXT_OK, "");
    script_end(&s,
               "note unknown_record @0; record 14 @0+8; warning data_after_end @24; ");
}

TEST(reader, each_run_of_zeros_in_an_archive_is_one_report)
{
    static const struct item items[] = {Z(2), H(14), E, Z(3), H(14), E, Z(1), {0}};
    struct script s =
        script_start((struct fxt_reader_options){.stream = FXT_STREAM_ARCHIVE});

    CHECK(script_read(&s, items) == FXT_OK && script_finish(&s) == FXT_OK, "");
    script_end(&s, "warning zero_words @0+16; note unknown_record @16; record 14 @16+8; "
                   "warning zero_words @24+24; note unknown_record @48; "
                   "record 14 @48+8; warning zero_words @56+8; ");
}

TEST(reader, a_header_of_size_zero_is_the_end_for_good)
{
    static const struct item items[] = {H(14), E, W(4), H(14), E, {0}};
    struct script s = script_start((struct fxt_reader_options){0});

    CHECK(script_read(&s, items) == FXT_E_SIZE_ZERO, "");
    CHECK(fxt_reader_offset(s.reader) == 8, "not at the header");
    CHECK(script_read(&s, items) == FXT_E_SIZE_ZERO, "");
    CHECK(fxt_reader_read(s.reader, &(struct fxt_chunk){0}) == FXT_E_SIZE_ZERO, "");
    CHECK(script_finish(&s) == FXT_E_SIZE_ZERO, "");
    CHECK(fxt_reader_finish(s.reader, NULL) == FXT_E_SIZE_ZERO, "");
    script_end(&s, "note unknown_record @0; record 14 @0+8; fatal size_zero @8; ");
}

/* ---- stops, calls from callbacks, reset ---- */

static int call_everything(void *context, const struct fxt_record *record)
{
    struct fxt_reader *reader = *(struct fxt_reader **)context;
    struct fxt_chunk chunk = {record->data, record->size, 0};

    CHECK(fxt_reader_read(reader, &chunk) == FXT_E_BUSY, "read");
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_E_BUSY, "finish");
    CHECK(fxt_reader_finish(reader, NULL) == FXT_E_BUSY, "finish");
    CHECK(fxt_reader_reset(reader) == FXT_E_BUSY, "reset");
    fxt_reader_destroy(reader);
    CHECK(chunk.pos == 0, "the chunk was touched");
    CHECK(fxt_reader_offset(reader) == record->offset + record->size, "offset");
    return 0;
}

static int call_everything_from_report(void *context, const struct fxt_error *error)
{
    struct fxt_record record = {.data = "", .offset = error->offset};

    record.size = fxt_reader_offset(*(struct fxt_reader **)context) - error->offset;
    return call_everything(context, &record);
}

TEST(reader, a_reader_called_from_its_callback_does_nothing)
{
    struct fxt_reader *reader;
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = call_everything,
        .on_error = call_everything_from_report,
        .context = &reader,
        .stream = FXT_STREAM_ARCHIVE,
    };
    struct words w = {0};
    struct fxt_chunk chunk;

    put_plain(&w, 14, 1);
    put_plain(&w, 1, 0);
    put_zeros(&w, 2);
    put_plain(&w, 14, 1);
    w.size -= 3;
    chunk = (struct fxt_chunk){w.bytes, w.size, 0};
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "");
    CHECK(fxt_reader_read(reader, &chunk) == FXT_NEED_MORE, "");
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_OK, "");
    CHECK(chunk.pos == w.size, "");
    fxt_reader_destroy(reader);
    words_free(&w);
}

TEST(reader, a_stop_comes_after_the_record_that_a_report_is_about)
{
    static const struct item items[] = {
        H(14), H(2 | AT(32, 1)), S("a"), H(1), H(14), E, W(4), {0}};
    struct script s = script_start((struct fxt_reader_options){0});
    struct words w = {0};
    struct fxt_chunk chunk;
    static const char *const steps[] = {
        "note unknown_record @0; record 14 @0+8; ",
        "warning index_zero @8; record 2 @8+16; ",
        "error record_short @24+8; ",
        "note unknown_record @32; record 14 @32+8; ",
        "fatal size_zero @40; ",
    };

    put_items(&w, items);
    chunk = (struct fxt_chunk){w.bytes, w.size, 0};
    s.log->stop = true;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        CHECK(fxt_reader_read(s.reader, &chunk) == FXT_STOPPED, "step %zu", i);
        script_check(&s, steps[i]);
    }
    CHECK(fxt_reader_read(s.reader, &chunk) == FXT_E_SIZE_ZERO, "");
    script_end(&s, "");
    words_free(&w);
}

TEST(reader, a_reset_starts_another_stream)
{
    static const struct item first[] = {W(MAGIC), H(AT(16, 1) | AT(20, 3) | AT(52, 1)),
                                        S("p"),   H(1),
                                        W(5),     H(2 | AT(16, 1) | AT(32, 3)),
                                        S("abc"), H(AT(16, 2)),
                                        H(1),     W(6),
                                        STRING_1, THREAD_1,
                                        USE,      E,
                                        W(4),     {0}};
    static const struct item second[] = {USE, H(AT(16, 2) | AT(20, 3)), USE, {0}};
    struct script s = script_start((struct fxt_reader_options){.ticks_per_second = 7});

    s.log->meaning = true;
    CHECK(script_read(&s, first) == FXT_E_SIZE_ZERO, "");
    script_check(&s,
                 "0 named  rate 6: abc; 0 named  rate 6: 8/9; fatal size_zero @144; ");
    script_reset(&s);
    CHECK(fxt_reader_offset(s.reader) == 0, "");
    CHECK(fxt_reader_stream(s.reader) == FXT_STREAM_AUTO, "");
    CHECK(fxt_reader_byte_order(s.reader) == FXT_BYTE_ORDER_AUTO, "");
    CHECK(script_read(&s, second) == FXT_OK, "");
    script_end(&s, "warning string_unknown @0; 0 named  rate 7: ?; "
                   "warning thread_unknown @8; 0 named  rate 7: ?; "
                   "warning provider_unknown @24; "
                   "warning string_unknown @32; 3 named  rate 7: ?; "
                   "warning thread_unknown @40; 3 named  rate 7: ?; ");
}
