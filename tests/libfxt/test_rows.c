/* SPDX-License-Identifier: BSD-2-Clause */
/* Events become rows, in order, whatever the capacity of the table; nothing else does. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#define HOLDS(condition) CHECK(condition, "%s", #condition)

enum { N_EVENTS = 10 };

static void write_event(struct fxt_writer *writer, uint64_t i)
{
    struct fxt_record record = {.type = FXT_RECORD_EVENT};

    record.kind = i % 2 == 0 ? FXT_EVENT_DURATION_COMPLETE : FXT_EVENT_ASYNC_BEGIN;
    record.event.timestamp = 3 * i;
    record.event.end_timestamp = 3 * i + 1;
    record.event.thread = fxt_thread_from(1, i);
    record.event.category = fxt_string_from("test");
    record.event.name = fxt_string_from(i == 5 ? "" : "row");
    record.event.id = 100 + i;
    fxt_writer_write(writer, &record);
}

/* With a record of another type after each event. 2 ticks are a nanosecond. */
static struct fxt_buffer write_archive(void)
{
    struct fxt_buffer buffer = {0};
    struct fxt_writer_options options = {.size = sizeof(options)};
    struct fxt_record other = {.type = FXT_RECORD_KERNEL_OBJECT};
    struct fxt_writer *writer;

    options.write = fxt_buffer_write;
    options.context = &buffer;
    fxt_writer_create(&options, &writer);
    fxt_writer_start_archive(writer, 2000000000);
    for (uint64_t i = 0; i < N_EVENTS; i++) {
        write_event(writer, i);
        fxt_writer_write(writer, &other);
    }
    HOLDS(fxt_writer_finish(writer) == FXT_OK);
    fxt_writer_destroy(writer);
    return buffer;
}

static void check_row(const struct fxt_event_row *row, uint64_t i)
{
    bool complete = i % 2 == 0;

    HOLDS(row->time_ns == 3 * i / 2);
    HOLDS(row->end_ns == (complete ? (3 * i + 1) / 2 : row->time_ns));
    HOLDS(row->process == 1 && row->thread == i);
    HOLDS(row->id == (complete ? 0 : 100 + i));
    HOLDS(row->category_size == 4 && memcmp(row->category, "test", 4) == 0);
    HOLDS(row->name != NULL && row->name_size == (i == 5 ? 0 : 3));
    HOLDS(row->kind ==
          (uint32_t)(complete ? FXT_EVENT_DURATION_COMPLETE : FXT_EVENT_ASYNC_BEGIN));
    HOLDS(row->provider_id == 0);
}

static void read_with(const struct fxt_buffer *archive, size_t capacity)
{
    struct fxt_event_row rows[N_EVENTS + 1];
    struct fxt_event_rows table = {rows, 0, capacity};
    struct fxt_reader_options options = {.size = sizeof(options)};
    struct fxt_chunk chunk = {archive->data, archive->size, 0};
    struct fxt_reader *reader;
    uint64_t n = 0;
    enum fxt_code code;

    options.on_record = fxt_event_rows_add;
    options.context = &table;
    options.stable_input = true;
    HOLDS(fxt_reader_create(&options, &reader) == FXT_OK);
    do {
        code = fxt_reader_read(reader, &chunk);
        HOLDS(code == FXT_OK || table.n_rows == capacity);
        for (size_t i = 0; i < table.n_rows; i++)
            check_row(&rows[i], n++);
        table.n_rows = 0;
    } while (code == FXT_STOPPED);
    HOLDS(code == FXT_OK && n == N_EVENTS);
    fxt_reader_destroy(reader);
}

TEST(rows, all_events_are_rows_for_any_capacity)
{
    struct fxt_buffer archive = write_archive();

    for (size_t capacity = 1; capacity <= N_EVENTS + 1; capacity++)
        read_with(&archive, capacity);
    free(archive.data);
}

TEST(rows, a_table_that_is_full_is_not_written_to)
{
    struct fxt_event_row rows[2];
    struct fxt_event_rows table = {rows, 0, 1};
    struct fxt_provider provider = {.ticks_per_second = 0};
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .provider = &provider};

    memset(rows, 0xaa, sizeof(rows));
    HOLDS(fxt_event_rows_add(&table, &record) == 1);
    HOLDS(rows[0].name == NULL && rows[0].time_ns == UINT64_MAX);
    HOLDS(fxt_event_rows_add(&table, &record) == 1);
    HOLDS(table.n_rows == 1 && rows[1].kind == 0xaaaaaaaa);
}
