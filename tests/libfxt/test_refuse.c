/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a writer refuses: each row of refuse_rows.h with the value that is impossible,
 * which gets the row's code and leaves nothing, and with the one that is not, which is
 * written. A code of the writer's that no row gets fails a separate test.
 */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "refuse_rows.h"
#include "tests/support/trip.h"

static void store(void *object, const struct field *field, uint64_t value)
{
    unsigned char *at = (unsigned char *)object + field->offset;
    uint32_t four = (uint32_t)value;
    uint16_t two = (uint16_t)value;
    uint8_t one = (uint8_t)value;
    const void *from = field->size == 8   ? (const void *)&value
                       : field->size == 4 ? (const void *)&four
                       : field->size == 2 ? (const void *)&two
                                          : (const void *)&one;

    memcpy(at, from, field->size);
}

static struct fxt_record make(const struct row *row, uint64_t value)
{
    struct fxt_record record = row->record;

    for (int i = 0; i < FXT_ARGS_MAX + 1; i++) {
        row_args[i] = row->arg;
        if (row->field.in_arg)
            store(&row_args[i], &row->field, value);
    }
    if (!row->field.in_arg)
        store(&record, &row->field, value);
    return record;
}

/* A record that goes before and after the row's. */
static void write_mark(struct fxt_writer *writer)
{
    struct fxt_record mark = {.type = FXT_RECORD_KERNEL_OBJECT};

    mark.kernel_object.name = fxt_string_from("mark");
    CHECK(fxt_writer_write(writer, &mark) == FXT_OK, "no mark");
}

/* Writes a record between two marks, and returns how many bytes it left. */
static uint64_t try_value(const struct row *row, uint64_t value, enum fxt_code expected,
                          const struct fxt_writer_options *options)
{
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(options, &stream);
    struct fxt_record record = make(row, value);
    struct trip trip = {0};
    enum fxt_code code;
    uint64_t n_bytes;

    write_mark(writer);
    n_bytes = fxt_writer_offset(writer);
    code = fxt_writer_write(writer, &record);
    CHECK(code == expected, "%s, %llu: %s, not %s", row->name, (unsigned long long)value,
          fxt_code_name(code), fxt_code_name(expected));
    n_bytes = fxt_writer_offset(writer) - n_bytes;
    write_mark(writer);
    CHECK(fxt_writer_finish(writer) == expected,
          "%s: fxt_writer_finish does not report it", row->name);
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0, "%s: what is left has faults", row->name);
    free(stream.data);
    return n_bytes;
}

static void check_row(const struct row *row, enum fxt_references references)
{
    struct fxt_writer_options options = {.strings = references, .threads = references};
    bool is_skipped =
        row->record.type == FXT_RECORD_STRING || row->record.type == FXT_RECORD_THREAD;

    CHECK(try_value(row, row->bad, row->code, &options) == 0, "%s leaves something",
          row->name);
    CHECK((try_value(row, row->good, FXT_OK, &options) == 0) == is_skipped,
          "%s is not written", row->name);
}

TEST(refuse, each_row_is_refused_whole_and_one_less_is_written)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        check_row(&rows[i], FXT_REFERENCES_TABLE);
        check_row(&rows[i], FXT_REFERENCES_IN_LINE);
    }
}

TEST(refuse, every_code_of_the_writers_has_a_row)
{
    for (int code = FXT_E_STRING_SIZE; code < FXT_E_STRING_SIZE + 10; code++) {
        const char *name = fxt_code_name((enum fxt_code)code);
        bool found = strcmp(name, "unknown_code") == 0;

        for (size_t i = 0; i < N_ROWS; i++)
            found |= rows[i].code == (enum fxt_code)code;
        CHECK(found, "%s", name);
    }
}

/* What a refused record would have registered is registered by the next one. */
TEST(refuse, what_is_refused_registers_nothing)
{
    struct fxt_writer_options options = {0};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct fxt_arg args[2] = {{.name = fxt_string_from("argument")},
                              {.name = {many, FXT_STRING_SIZE_CAP + 1, 0}}};
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .n_args = 2, .args = args};
    struct trip trip = {0};

    record.event.name = fxt_string_from("name");
    record.event.category = fxt_string_from("category");
    record.event.thread = fxt_thread_from(1, 2);
    CHECK(fxt_writer_write(writer, &record) == FXT_E_STRING_SIZE, "");
    CHECK(fxt_writer_offset(writer) == 0, "");
    record.n_args = 1;
    CHECK(fxt_writer_write(writer, &record) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_E_STRING_SIZE, "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_strings == 3 && trip.n_threads == 1 && trip.n_errors == 0, "");
    free(stream.data);
}

/* The header, the format header, the size; and no more than 2^32 - 1 words in all. */
TEST(refuse, a_large_blob_has_no_more_words_than_its_size_can_say)
{
    const uint64_t most = ((uint64_t)UINT32_MAX - 3) * 8;
    const uint64_t bad[] = {most + 1, most + 8, UINT64_MAX - 7, UINT64_MAX};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fxt_writer_options options = {0};
        struct fxt_buffer stream = {0};
        struct fxt_writer *writer = trip_writer(&options, &stream);
        struct fxt_record record = {
            .type = FXT_RECORD_LARGE,
            .large_blob = {.format = FXT_LARGE_BLOB_NO_METADATA,
                           .payload = {many, bad[i]}},
        };
        /* A machine of 32 bits cannot have so much. */
        enum fxt_code code = sizeof(size_t) > 4 ? FXT_E_RECORD_SIZE : FXT_E_INVALID;

        CHECK(fxt_writer_write(writer, &record) == code, "%zu", i);
        CHECK(fxt_writer_begin_blob(writer, &record) == FXT_E_RECORD_SIZE, "%zu", i);
        CHECK(fxt_writer_offset(writer) == 0, "%zu", i);
        record.large_blob.payload.size = most;
        CHECK(fxt_writer_begin_blob(writer, &record) == FXT_OK, "%zu", i);
        fxt_writer_destroy(writer);
        free(stream.data);
    }
}
