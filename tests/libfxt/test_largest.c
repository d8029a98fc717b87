/* SPDX-License-Identifier: BSD-2-Clause */
/* The largest of everything, at the end of a buffer that is as good as full: there must
 * be room, and records must stay whole. Address sanitizers make it a sharper test. */
#include "tests/support/harness.h"

#include <string.h>

#include "heap.h"
#include "tests/support/trip.h"

enum { N_STRINGS = 2 + 2 * FXT_ARGS_MAX };

static char text[N_STRINGS][FXT_STRING_SIZE_CAP];
static struct fxt_arg args[FXT_ARGS_MAX];
static unsigned char payload[1 << 20];

/* String `i` is like no other, unless it is very short. */
static struct fxt_string string(int i, uint32_t size)
{
    memset(text[i], 'a' + i, sizeof(text[i]));
    return (struct fxt_string){text[i], size, 0};
}

static void make_args(struct fxt_record *record, uint32_t size, uint64_t blob_size)
{
    record->n_args = FXT_ARGS_MAX;
    record->args = args;
    for (int i = 0; i < FXT_ARGS_MAX; i++) {
        args[i].name = string(2 * i, size);
        args[i].type = blob_size > 0 ? FXT_ARG_BLOB : FXT_ARG_STRING;
        if (blob_size > 0)
            args[i].value.blob = (struct fxt_bytes){payload, blob_size};
        else
            args[i].value.string = string(2 * i + 1, size);
    }
}

/* Registers all names, and the values when it comes again; the first time, these stand
 * in line, and a blob takes the rest of the record. */
static struct fxt_record largest_event(void)
{
    const uint64_t values = (FXT_ARGS_MAX - 1) * FXT_TABLE_STRING_SIZE_MAX;
    struct fxt_record record = {.type = FXT_RECORD_EVENT};

    make_args(&record, FXT_TABLE_STRING_SIZE_MAX, 0);
    record.event.category = string(30, FXT_TABLE_STRING_SIZE_MAX);
    record.event.name = string(31, FXT_TABLE_STRING_SIZE_MAX);
    record.event.thread = fxt_thread_from(1, 2);
    args[0].type = FXT_ARG_BLOB;
    args[0].value.blob =
        (struct fxt_bytes){payload, (4095 - 2 - FXT_ARGS_MAX) * 8 - values};
    return record;
}

/* All in line, with the largest payload that is gathered. */
static struct fxt_record largest_blob(void)
{
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    make_args(&record, FXT_STRING_SIZE_CAP, (4095 - 1) * 8 - FXT_STRING_SIZE_CAP);
    record.large_blob.category = string(30, FXT_STRING_SIZE_CAP);
    record.large_blob.name = string(31, FXT_STRING_SIZE_CAP);
    record.large_blob.thread = fxt_thread_from(1, 2);
    record.large_blob.payload =
        (struct fxt_bytes){payload, FXT_GATHERED_PAYLOAD_SIZE_MAX};
    return record;
}

static int count_whole(void *context, const void *data, size_t size)
{
    struct trip trip = {0};

    trip_read(&trip, data, size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_lost == 0, "a call does not bring whole records");
    *(uint64_t *)context += trip.n_records - trip.n_strings - trip.n_threads;
    return 0;
}

/* Writes the record twice after so many others that there is room for one word before the
 * buffer is full. */
static void check_record(const struct fxt_record *record, size_t buffer_size)
{
    struct heap heap = {0};
    uint64_t n_records = 0;
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = count_whole,
        .context = &n_records,
        .buffer_size = buffer_size,
        .resize = heap_resize,
        .resize_context = &heap,
    };
    struct fxt_record mark = {.type = FXT_RECORD_METADATA,
                              .kind = FXT_METADATA_PROVIDER_SECTION};
    struct fxt_writer *writer;
    uint64_t n = 0;

    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
    for (; 8 * (n + 1) < buffer_size; n++)
        CHECK(fxt_writer_write(writer, &mark) == FXT_OK, "");
    for (int i = 0; i < 2; i++, n++) {
        enum fxt_code code = fxt_writer_write(writer, record);

        CHECK(code == FXT_OK, "%s", fxt_code_name(code));
    }
    CHECK(fxt_writer_finish(writer) == FXT_OK && n_records == n, "");
    fxt_writer_destroy(writer);
    CHECK(heap.n_bytes == 0, "");
}

TEST(largest, there_is_room_for_any_record_and_it_stays_whole)
{
    static const size_t sizes[] = {1, 8, 16, 100, 4096, 65536, 1000000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fxt_record record = largest_event();

        check_record(&record, sizes[i]);
        record = largest_blob();
        check_record(&record, sizes[i]);
    }
}

static int discard(void *context, const void *data, size_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

/* Pieces that fill the writer's memory to the last byte, or go beyond it by a few. */
TEST(largest, pieces_around_the_size_of_the_memory)
{
    for (int more = -20; more <= 20; more++) {
        struct heap heap = {0};
        struct fxt_writer_options options = {
            .size = sizeof(options),
            .write = discard,
            .resize = heap_resize,
            .resize_context = &heap,
        };
        struct fxt_record record = {.type = FXT_RECORD_LARGE};
        struct fxt_writer *writer;
        uint64_t piece;

        CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
        record.large_blob.payload.size = UINT32_MAX;
        CHECK(fxt_writer_begin_blob(writer, &record) == FXT_OK, "");
        /* The writer and its memory are all that there is yet. */
        piece =
            heap.n_bytes - heap.first_bytes - fxt_writer_offset(writer) + (uint64_t)more;
        CHECK(piece < sizeof(payload), "");
        CHECK(fxt_writer_append(writer, payload, (size_t)piece) == FXT_OK, "");
        CHECK(fxt_writer_append(writer, payload, 100) == FXT_OK, "");
        fxt_writer_destroy(writer);
        CHECK(heap.n_bytes == 0, "");
    }
}
