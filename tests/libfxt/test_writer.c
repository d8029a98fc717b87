/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer's life: its options, blobs that come in pieces, and memory that is not to be
 * had. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "tests/support/maker.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"

/* ---- options ---- */

static int discard(void *context, const void *data, size_t size)
{
    (void)data;
    if (context != NULL)
        *(uint64_t *)context += size;
    return 0;
}

static enum fxt_code try_options(struct fxt_writer_options options)
{
    struct fxt_writer *writer = (struct fxt_writer *)&options;
    enum fxt_code code;

    options.size = sizeof(options);
    code = fxt_writer_create(&options, &writer);
    CHECK((writer != NULL) == (code == FXT_OK), "%s", fxt_code_name(code));
    fxt_writer_destroy(writer);
    return code;
}

TEST(writer, options_that_are_impossible_are_refused)
{
    struct fxt_writer_options good = {.write = discard};
    struct fxt_writer_options bad[6];

    CHECK(try_options(good) == FXT_OK, "");
    for (int i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].write = NULL;
    bad[1].byte_order = (enum fxt_byte_order)3;
    bad[2].strings = (enum fxt_references)3;
    bad[3].threads = (enum fxt_references)3;
    bad[4].buffer_size = SIZE_MAX;
    bad[5].strings = (enum fxt_references) - 1;
    for (int i = 0; i < 6; i++)
        CHECK(try_options(bad[i]) == FXT_E_INVALID, "%d", i);
}

/* Callers of an older version have fewer members, those of a newer one more. */
TEST(writer, options_of_other_versions)
{
    struct {
        struct fxt_writer_options known;
        unsigned char later[8];
    } options = {{.write = discard}, {0}};
    struct fxt_writer *writer;

    options.known.size = sizeof(options);
    CHECK(fxt_writer_create(&options.known, &writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    options.later[7] = 1;
    CHECK(fxt_writer_create(&options.known, &writer) == FXT_E_INVALID, "");
    options.known.size = offsetof(struct fxt_writer_options, byte_order);
    CHECK(fxt_writer_create(&options.known, &writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    options.known.size = 1;
    CHECK(fxt_writer_create(&options.known, &writer) == FXT_E_INVALID, "");
    fxt_writer_destroy(NULL);
}

/* ---- blobs in pieces ---- */

enum { LARGEST = 300000 };

static unsigned char payload[LARGEST];

static struct fxt_record blob_of(uint64_t size, bool metadata)
{
    static struct fxt_arg arg;
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    arg.name = fxt_string_from("argument");
    record.large_blob.format = !metadata;
    record.large_blob.category = fxt_string_from("category");
    record.large_blob.name = fxt_string_from("name");
    record.large_blob.payload = (struct fxt_bytes){payload, size};
    record.n_args = metadata;
    record.args = &arg;
    return record;
}

/* Writes a blob and something after it: the payload at once, or in random pieces. */
static struct fxt_buffer write_blob(uint64_t size, bool metadata, size_t buffer_size,
                                    uint64_t *pieces)
{
    struct fxt_writer_options options = {.buffer_size = buffer_size};
    struct fxt_record record = blob_of(size, metadata);
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    uint64_t at = 0;

    if (pieces == NULL) {
        CHECK(fxt_writer_write(writer, &record) == FXT_OK, "");
    } else {
        record.large_blob.payload.data = NULL;
        CHECK(fxt_writer_begin_blob(writer, &record) == FXT_OK, "");
        while (at < size) {
            uint64_t n = random_next(pieces) % (size - at + 1) >> random_next(pieces) % 9;

            CHECK(fxt_writer_append(writer, payload + at, (size_t)n) == FXT_OK, "");
            at += n;
        }
        CHECK(fxt_writer_end_blob(writer) == FXT_OK, "");
    }
    CHECK(fxt_writer_start_archive(writer, 1) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    return stream;
}

static void check_pieces(uint64_t size, uint64_t *state)
{
    static const size_t sizes[] = {0, 1, 8, 1000, 100000, 1 << 20};
    bool metadata = random_next(state) % 2;
    struct fxt_buffer whole = write_blob(size, metadata, 0, NULL);

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fxt_buffer again = write_blob(size, metadata, sizes[i], NULL);
        struct fxt_buffer pieces = write_blob(size, metadata, sizes[i], state);

        CHECK(again.size == whole.size && memcmp(again.data, whole.data, whole.size) == 0,
              "%d bytes", (int)size);
        CHECK(pieces.size == whole.size &&
                  memcmp(pieces.data, whole.data, whole.size) == 0,
              "%d bytes in pieces", (int)size);
        free(again.data);
        free(pieces.data);
    }
    free(whole.data);
}

TEST(writer, a_blob_in_pieces_comes_to_the_same_bytes)
{
    uint64_t state = 1;

    for (size_t i = 0; i < LARGEST; i++)
        payload[i] = (unsigned char)random_next(&state);
    for (uint64_t size = 0; size <= LARGEST; size += 1 + size / 5)
        check_pieces(size, &state);
    check_pieces(FXT_GATHERED_PAYLOAD_SIZE_MAX, &state);
    check_pieces(FXT_GATHERED_PAYLOAD_SIZE_MAX + 1, &state);
}

struct pieces {
    struct fxt_buffer stream;
    struct fxt_writer *writer;
};

static void start(struct pieces *p, uint64_t size)
{
    struct fxt_writer_options options = {0};
    struct fxt_record record = blob_of(size, true);

    p->stream = (struct fxt_buffer){0};
    p->writer = trip_writer(&options, &p->stream);
    CHECK(fxt_writer_begin_blob(p->writer, &record) == FXT_OK, "");
}

/* What is there must be one blob, whole, and the mark after it. */
static void finish(struct pieces *p, enum fxt_code expected)
{
    struct trip trip = {0};

    CHECK(fxt_writer_finish(p->writer) == expected, "");
    CHECK(fxt_writer_finish(p->writer) == expected, "");
    fxt_writer_destroy(p->writer);
    trip_read(&trip, p->stream.data, p->stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0 && trip.n_records == trip.n_strings + 1, "");
    free(p->stream.data);
}

TEST(writer, a_piece_too_many_is_refused_and_the_blob_continues)
{
    struct pieces p;

    start(&p, 10);
    CHECK(fxt_writer_append(p.writer, payload, 4) == FXT_OK, "");
    CHECK(fxt_writer_append(p.writer, payload, 7) == FXT_E_BLOB_SIZE, "");
    CHECK(fxt_writer_append(p.writer, NULL, 1) == FXT_E_INVALID, "");
    CHECK(fxt_writer_append(p.writer, NULL, 0) == FXT_OK, "");
    CHECK(fxt_writer_append(p.writer, payload, 6) == FXT_OK, "");
    CHECK(fxt_writer_append(p.writer, payload, SIZE_MAX) == FXT_E_BLOB_SIZE, "");
    CHECK(fxt_writer_end_blob(p.writer) == FXT_OK, "");
    finish(&p, FXT_E_BLOB_SIZE);
}

TEST(writer, pieces_too_few_are_reported_and_become_zeros)
{
    struct pieces p;

    memset(payload, 0xff, 8);
    start(&p, 10001);
    CHECK(fxt_writer_append(p.writer, payload, 4) == FXT_OK, "");
    CHECK(fxt_writer_end_blob(p.writer) == FXT_E_BLOB_SIZE, "");
    CHECK(fxt_writer_end_blob(p.writer) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_offset(p.writer) % 8 == 0, "");
    CHECK(fxt_writer_flush(p.writer) == FXT_OK, "");
    for (size_t i = 1; i <= 10001 + 7 - 4; i++)
        CHECK(p.stream.data[p.stream.size - i] == 0, "");
    finish(&p, FXT_E_BLOB_SIZE);
}

TEST(writer, the_end_ends_a_blob)
{
    struct pieces p;

    start(&p, 3);
    CHECK(fxt_writer_append(p.writer, payload, 3) == FXT_OK, "");
    finish(&p, FXT_OK);
    start(&p, 3);
    finish(&p, FXT_E_BLOB_SIZE);
}

TEST(writer, calls_out_of_order_do_nothing)
{
    struct fxt_record record = blob_of(3, false);
    struct fxt_record event = {.type = FXT_RECORD_EVENT};
    struct pieces p;

    start(&p, 3);
    CHECK(fxt_writer_write(p.writer, &event) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_begin_blob(p.writer, &record) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_append(p.writer, payload, 3) == FXT_OK, "");
    CHECK(fxt_writer_end_blob(p.writer) == FXT_OK, "");
    CHECK(fxt_writer_append(p.writer, payload, 1) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_append(p.writer, payload, 0) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_end_blob(p.writer) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_begin_blob(p.writer, &event) == FXT_E_INVALID, "");
    CHECK(fxt_writer_finish(p.writer) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_write(p.writer, &record) == FXT_E_OUT_OF_ORDER, "");
    CHECK(fxt_writer_begin_blob(p.writer, &record) == FXT_E_OUT_OF_ORDER, "");
    finish(&p, FXT_E_OUT_OF_ORDER);
}

/* Six times what 32 bits can say, and the writer takes no more memory for it. */
TEST(writer, a_blob_larger_than_memory)
{
    enum { PIECE = 1 << 24 };

    static unsigned char piece[PIECE];
    const uint64_t size = (uint64_t)24 << 30;
    struct heap heap = {0};
    uint64_t n_bytes = 0;
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = discard,
        .context = &n_bytes,
        .resize = heap_resize,
        .resize_context = &heap,
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE};
    struct fxt_writer *writer;

    record.large_blob.format = FXT_LARGE_BLOB_NO_METADATA;
    record.large_blob.payload.size = size;
    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
    CHECK(fxt_writer_begin_blob(writer, &record) == FXT_OK, "");
    for (uint64_t at = 0; at < size; at += PIECE)
        CHECK(fxt_writer_append(writer, piece, PIECE) == FXT_OK, "");
    CHECK(fxt_writer_end_blob(writer) == FXT_OK, "");
    CHECK(fxt_writer_offset(writer) == size + 24, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK && n_bytes == size + 24, "");
    fxt_writer_destroy(writer);
    CHECK(heap.n_calls == 2 && heap.most_bytes < 300000, "%d bytes",
          (int)heap.most_bytes);
}

/* ---- memory that is not to be had ---- */

/* Writes records of all sorts; those for which there was no memory are refused. What is
 * written must read back as what was not refused. */
static void check_failing(struct heap *heap, enum fxt_references references)
{
    static struct maker maker;
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = fxt_buffer_write,
        .strings = references,
        .threads = references,
        .resize = heap_resize,
        .resize_context = heap,
    };
    struct fxt_buffer stream = {0};
    struct canon said = {0};
    struct canon canon = {0};
    struct trip trip = {.canon = &canon};
    struct fxt_writer *writer = (struct fxt_writer *)&stream;
    uint64_t n_refused = 0;

    options.context = &stream;
    if (fxt_writer_create(&options, &writer) != FXT_OK) {
        CHECK(writer == NULL && heap->n_bytes == 0, "");
        return;
    }
    maker_start(&maker, 5);
    for (int i = 0; i < 400; i++) {
        struct fxt_record record;
        enum fxt_code code;

        maker_make(&maker, &record);
        code = fxt_writer_write(writer, &record);
        CHECK(code == FXT_OK || code == FXT_E_NO_MEMORY, "%s", fxt_code_name(code));
        if (code == FXT_OK)
            canon_add(&said, &record);
        n_refused += code != FXT_OK;
    }
    CHECK(fxt_writer_finish(writer) == (n_refused > 0 ? FXT_E_NO_MEMORY : FXT_OK), "");
    fxt_writer_destroy(writer);
    CHECK(heap->n_bytes == 0, "%d bytes are left", (int)heap->n_bytes);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0 && canon_same(&said, &canon), "");
    canon_free(&said);
    canon_free(&canon);
    free(stream.data);
}

TEST(writer, any_allocation_may_fail)
{
    struct heap whole = {0};

    check_failing(&whole, FXT_REFERENCES_TABLE);
    for (uint64_t at = 1; at <= whole.n_calls; at += 1 + at / 40) {
        struct heap once = {.fail_at = at};
        struct heap on = {.fail_at = at, .fail_on = true};

        check_failing(&once, FXT_REFERENCES_TABLE);
        check_failing(&on, FXT_REFERENCES_TABLE);
    }
}

TEST(writer, in_line_it_allocates_to_be_created_and_for_arguments_of_large_blobs)
{
    struct heap heap = {0};

    check_failing(&heap, FXT_REFERENCES_IN_LINE);
    CHECK(heap.n_calls < 10, "%d calls", (int)heap.n_calls);
}

TEST(writer, once_all_strings_were_seen_it_allocates_nothing)
{
    static struct maker maker;
    struct heap heap = {0};
    struct fxt_writer_options options = {
        .size = sizeof(options),
        .write = discard,
        .resize = heap_resize,
        .resize_context = &heap,
    };
    struct fxt_writer *writer;
    uint64_t n_calls = 0;

    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
    CHECK(heap.n_calls == 2, "");
    for (int round = 0; round < 5; round++) {
        maker_start(&maker, 9);
        for (int i = 0; i < 300; i++) {
            struct fxt_record record;

            maker_make(&maker, &record);
            if (record.type != FXT_RECORD_METADATA)
                CHECK(fxt_writer_write(writer, &record) == FXT_OK, "");
        }
        /* In the second round come those that come seldom. */
        CHECK(round < 2 || heap.n_calls == n_calls, "round %d", round);
        n_calls = heap.n_calls;
    }
    fxt_writer_destroy(writer);
    CHECK(heap.n_bytes == 0, "");
}
