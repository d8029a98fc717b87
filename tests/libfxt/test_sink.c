/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a writer's bytes go: files, memory that grows and memory that does not, callbacks
 * that fail, and callbacks that call back. */
#include "tests/support/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/maker.h"
#include "tests/support/trip.h"

enum { N_RECORDS = 300 };

static struct fxt_writer *create(fxt_write_fn *write, void *context, size_t buffer_size)
{
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = write,
        .context = context,
        .buffer_size = buffer_size,
    };
    struct fxt_writer *writer;

    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
    return writer;
}

/* Writes the same records each time, and returns what the last call returned. */
static enum fxt_code write_some(struct fxt_writer *writer)
{
    static struct maker maker;

    maker_start(&maker, 1);
    return maker_write(&maker, writer, N_RECORDS);
}

/* Into memory that grows. */
static struct fxt_buffer write_to_memory(size_t buffer_size)
{
    struct fxt_buffer buffer = {0};
    struct fxt_writer *writer = create(fxt_buffer_write, &buffer, buffer_size);

    CHECK(write_some(writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    return buffer;
}

TEST(sink, a_file_gets_the_same_bytes_as_memory)
{
    struct fxt_buffer memory = write_to_memory(0);
    unsigned char *read = (unsigned char *)malloc(memory.size + 1);
    FILE *file = tmpfile();
    struct fxt_writer *writer = create(fxt_file_write, file, 0);

    CHECK(file != NULL && read != NULL, "");
    CHECK(write_some(writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    rewind(file);
    CHECK(fread(read, 1, memory.size + 1, file) == memory.size, "");
    CHECK(memcmp(read, memory.data, memory.size) == 0, "");
    fclose(file);
    free(read);
    free(memory.data);
}

TEST(sink, a_full_disk_is_reported)
{
    FILE *file = fopen("/dev/full", "wb");
    struct fxt_writer *writer;

    if (file == NULL)
        return;
    setvbuf(file, NULL, _IONBF, 0);
    writer = create(fxt_file_write, file, 0);
    CHECK(write_some(writer) == FXT_E_SINK, "");
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK, "");
    fxt_writer_destroy(writer);
    fclose(file);
}

TEST(sink, memory_of_the_callers_grows_and_keeps_what_is_in_it)
{
    struct fxt_buffer memory = write_to_memory(0);
    struct fxt_buffer buffer = {.data = (unsigned char *)malloc(10), .capacity = 10};
    struct fxt_writer *writer = create(fxt_buffer_write, &buffer, 0);

    CHECK(fxt_buffer_write(&buffer, "before", 6) == 0, "");
    CHECK(write_some(writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    CHECK(buffer.size == 6 + memory.size && memcmp(buffer.data, "before", 6) == 0, "");
    CHECK(memcmp(buffer.data + 6, memory.data, memory.size) == 0, "");
    free(buffer.data);
    free(memory.data);
}

TEST(sink, the_buffer_size_does_not_change_the_stream)
{
    static const size_t sizes[] = {1, 2, 7, 8, 9, 63, 4096, 100000, 10000000};
    struct fxt_buffer memory = write_to_memory(0);

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fxt_buffer other = write_to_memory(sizes[i]);

        CHECK(other.size == memory.size &&
                  memcmp(other.data, memory.data, memory.size) == 0,
              "%zu", sizes[i]);
        free(other.data);
    }
    free(memory.data);
}

/* ---- memory that does not grow ---- */

/* Kinds of record that are of different sizes, the largest first. */
static enum fxt_code write_sample(struct fxt_writer *writer, size_t n_pcs)
{
    static const uint64_t pcs[FXT_GATHERED_PAYLOAD_SIZE_MAX / 8];
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    record.large_blob.payload = (struct fxt_bytes){pcs, n_pcs * 8};
    return fxt_writer_write(writer, &record);
}

TEST(sink, fixed_memory_takes_whole_records_and_nothing_else)
{
    static unsigned char data[100000];

    for (size_t capacity = 0; capacity < sizeof(data); capacity += 1 + capacity / 9) {
        struct fxt_buffer buffer = {.data = data, .capacity = capacity, .fixed = true};
        struct fxt_writer *writer = create(fxt_buffer_write, &buffer, 1);
        struct trip trip = {0};
        uint64_t n = 0;

        memset(data, 0xee, sizeof(data));
        while (write_sample(writer, n % 2 == 0 ? n : sizeof(data) / 8 / 4) == FXT_OK)
            n++;
        CHECK(fxt_writer_finish(writer) == FXT_E_SINK, "");
        fxt_writer_destroy(writer);
        CHECK(buffer.size <= capacity && data[buffer.size] == 0xee, "%zu", capacity);
        trip_read(&trip, data, buffer.size, FXT_BYTE_ORDER_HOST);
        CHECK(trip.n_records == n && trip.n_errors == 0, "%zu", capacity);
    }
}

static void *no_memory(void *context, void *old, size_t old_size, size_t size)
{
    (void)old;
    (void)old_size;
    (void)size;
    ++*(int *)context;
    return NULL;
}

TEST(sink, memory_that_cannot_grow_takes_nothing)
{
    int n_calls = 0;
    struct fxt_buffer buffer = {.resize = no_memory, .resize_context = &n_calls};

    CHECK(fxt_buffer_write(&buffer, "x", 1) != 0, "");
    CHECK(n_calls == 1 && buffer.size == 0 && buffer.data == NULL, "");
    CHECK(fxt_buffer_write(&buffer, "x", SIZE_MAX) != 0, "");
    CHECK(n_calls == 1, "it would overflow");
}

/* ---- callbacks ---- */

struct call {
    struct fxt_writer *writer;
    uint64_t n_calls;
    uint64_t n_bytes;
    uint64_t n_records;
    uint64_t fail_at;
    bool ask_back;
};

static int count_whole(void *context, const void *data, size_t size)
{
    struct call *call = (struct call *)context;
    struct trip trip = {0};

    CHECK(size > 0, "");
    trip_read(&trip, data, size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0, "call %d is not whole", (int)call->n_calls);
    call->n_records += trip.n_records;
    call->n_calls++;
    return 0;
}

TEST(sink, each_call_brings_whole_records)
{
    static const size_t sizes[] = {1, 8, 100, 5000, 0, 1000000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct call call = {0};
        struct fxt_writer *writer = create(count_whole, &call, sizes[i]);
        uint64_t n = 0;

        for (size_t n_pcs = 0; n_pcs * 8 <= FXT_GATHERED_PAYLOAD_SIZE_MAX;
             n_pcs += 7, n++)
            CHECK(write_sample(writer, n_pcs) == FXT_OK, "");
        CHECK(fxt_writer_finish(writer) == FXT_OK, "");
        fxt_writer_destroy(writer);
        CHECK(call.n_records == n, "");
        CHECK(sizes[i] != 1 || call.n_calls == n, "each record separately");
        CHECK(sizes[i] != 1000000 || call.n_calls < 20, "many at a time");
    }
}

static int fail_at(void *context, const void *data, size_t size)
{
    struct call *call = (struct call *)context;

    (void)data;
    (void)size;
    return ++call->n_calls == call->fail_at ? -1 : 0;
}

/* All that a writer can be asked once its callback has failed. */
static void check_failed(struct fxt_writer *writer, const struct call *call)
{
    struct fxt_record record = {.type = FXT_RECORD_LARGE};
    uint64_t n_calls = call->n_calls;

    CHECK(fxt_writer_write(writer, &record) == FXT_E_SINK, "");
    CHECK(fxt_writer_begin_blob(writer, &record) == FXT_E_SINK, "");
    CHECK(fxt_writer_append(writer, "x", 1) == FXT_E_SINK, "");
    CHECK(fxt_writer_end_blob(writer) == FXT_E_SINK, "");
    CHECK(fxt_writer_flush(writer) == FXT_E_SINK, "");
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK, "");
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK, "");
    CHECK(call->n_calls == n_calls, "it is called again");
}

TEST(sink, a_failure_of_any_call_is_returned_and_stays)
{
    static const size_t sizes[] = {1, 1000, 0};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct call all = {0};
        struct fxt_writer *writer = create(fail_at, &all, sizes[i]);

        CHECK(write_some(writer) == FXT_OK, "");
        CHECK(fxt_writer_finish(writer) == FXT_OK, "");
        fxt_writer_destroy(writer);
        for (uint64_t at = 1; at <= all.n_calls; at++) {
            struct call call = {.fail_at = at};
            enum fxt_code code;

            writer = create(fail_at, &call, sizes[i]);
            code = write_some(writer);
            CHECK(code == FXT_E_SINK || at == all.n_calls, "");
            if (code == FXT_OK)
                CHECK(fxt_writer_finish(writer) == FXT_E_SINK, "");
            CHECK(call.n_calls == at, "");
            check_failed(writer, &call);
            fxt_writer_destroy(writer);
        }
    }
}

/* Data that is long goes by another way. */
TEST(sink, a_failure_within_a_long_payload_is_returned)
{
    static const unsigned char payload[1 << 20];
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    record.large_blob.payload = (struct fxt_bytes){payload, sizeof(payload) - 3};
    for (uint64_t at = 1; at <= 3; at++) {
        struct call call = {.fail_at = at};
        struct fxt_writer *writer = create(fail_at, &call, 1);

        CHECK(fxt_writer_write(writer, &record) == FXT_E_SINK, "%d", (int)at);
        check_failed(writer, &call);
        fxt_writer_destroy(writer);
    }
}

static int ask_back(void *context, const void *data, size_t size)
{
    struct call *call = (struct call *)context;
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    (void)data;
    call->n_bytes += size;
    CHECK(fxt_writer_write(call->writer, &record) == FXT_E_BUSY, "");
    CHECK(fxt_writer_begin_blob(call->writer, &record) == FXT_E_BUSY, "");
    CHECK(fxt_writer_append(call->writer, "x", 1) == FXT_E_BUSY, "");
    CHECK(fxt_writer_end_blob(call->writer) == FXT_E_BUSY, "");
    CHECK(fxt_writer_flush(call->writer) == FXT_E_BUSY, "");
    CHECK(fxt_writer_finish(call->writer) == FXT_E_BUSY, "");
    fxt_writer_destroy(call->writer);
    return 0;
}

TEST(sink, the_callback_cannot_call_the_writer)
{
    struct fxt_buffer memory = write_to_memory(1000);
    struct call call = {0};

    call.writer = create(ask_back, &call, 1000);
    CHECK(write_some(call.writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(call.writer) == FXT_OK, "that it was busy is no fault");
    CHECK(call.n_bytes == memory.size, "");
    fxt_writer_destroy(call.writer);
    free(memory.data);
}

TEST(sink, what_is_flushed_has_arrived)
{
    struct fxt_buffer buffer = {0};
    struct fxt_writer *writer = create(fxt_buffer_write, &buffer, 0);

    CHECK(fxt_writer_start_archive(writer, 5) == FXT_OK, "");
    CHECK(buffer.size == 0 && fxt_writer_offset(writer) == 24, "");
    CHECK(fxt_writer_flush(writer) == FXT_OK, "");
    CHECK(buffer.size == 24 && fxt_writer_offset(writer) == 24, "");
    fxt_writer_destroy(writer);
    CHECK(buffer.size == 24, "");
    free(buffer.data);
}
