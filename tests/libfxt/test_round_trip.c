/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is written reads back equal, and what was read is written as the same bytes: for
 * records of every type that look random, with every option.
 */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/maker.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"
#include "tests/support/worked.h"

static bool as_given(const struct fxt_writer_options *options)
{
    return options->strings == FXT_REFERENCES_AS_GIVEN &&
           options->threads == FXT_REFERENCES_AS_GIVEN;
}

static enum fxt_byte_order order_of(const struct fxt_writer_options *options)
{
    return options->byte_order == FXT_BYTE_ORDER_AUTO ? FXT_BYTE_ORDER_HOST
                                                      : options->byte_order;
}

static struct fxt_writer_options pick_options(uint64_t *state)
{
    static const uint64_t kept[] = {0, 0, 0, 1, 9000, 12000, 30000, 200000};
    static const size_t buffers[] = {0, 0, 1, 8, 1000, 1 << 20};
    struct fxt_writer_options options = {0};

    options.strings = (enum fxt_references)(random_next(state) % 3);
    options.threads = (enum fxt_references)(random_next(state) % 3);
    options.byte_order = (enum fxt_byte_order)(random_next(state) % 3);
    options.max_kept_bytes = kept[random_next(state) % 8];
    options.buffer_size = buffers[random_next(state) % 6];
    return options;
}

static void write_made(struct maker *maker, struct fxt_writer *writer, int n,
                       struct canon *canon)
{
    for (int i = 0; i < n; i++) {
        struct fxt_record record;
        enum fxt_code code;

        maker_make(maker, &record);
        code = fxt_writer_write(writer, &record);
        CHECK(code == FXT_OK, "record %d, of type %u, kind %u: %s", i, record.type,
              record.kind, fxt_code_name(code));
        canon_add(canon, &record);
    }
}

/* Reads a stream, checks that it says what it should, and writes it again. */
static void check_copy(const struct fxt_buffer *stream, const struct canon *said,
                       const struct fxt_writer_options *options, uint64_t seed)
{
    struct canon canon = {0};
    struct trip trip = {.canon = &canon};
    struct fxt_buffer copy =
        trip_copy(&trip, stream->data, stream->size, order_of(options), options);

    CHECK(trip.n_refused == 0 && trip.n_errors == 0, "seed %llu: %llu refused, %llu bad",
          (unsigned long long)seed, (unsigned long long)trip.n_refused,
          (unsigned long long)trip.n_errors);
    CHECK(canon_same(said, &canon),
          "seed %llu, strings %d, threads %d, order %d: what is read is not what was "
          "written",
          (unsigned long long)seed, (int)options->strings, (int)options->threads,
          (int)options->byte_order);
    CHECK(copy.size == stream->size && memcmp(copy.data, stream->data, copy.size) == 0,
          "seed %llu: written again, the bytes differ", (unsigned long long)seed);
    canon_free(&canon);
    free(copy.data);
}

static void check_seed(uint64_t seed)
{
    static struct maker maker;
    struct fxt_writer_options options = pick_options(&(uint64_t){seed});
    struct fxt_buffer stream = {0};
    struct canon said = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);

    maker_start(&maker, seed);
    maker.unknown = as_given(&options);
    if (seed % 5 == 0)
        maker.n_names = 50000;
    if (seed % 7 == 0)
        maker.n_threads = 2000;
    write_made(&maker, writer, 1000, &said);
    CHECK(fxt_writer_offset(writer) >= stream.size, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    CHECK(fxt_writer_offset(writer) == stream.size, "");
    check_copy(&stream, &said, &options, seed);
    fxt_writer_destroy(writer);
    canon_free(&said);
    free(stream.data);
}

TEST(round_trip, random_records_come_back_equal_and_give_the_same_bytes)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        check_seed(seed);
}

/* One stream in every way it can be written says the same. */
static void check_way(const struct fxt_buffer *stream, const struct canon *said,
                      const struct fxt_writer_options *options)
{
    struct trip trip = {0};
    struct fxt_buffer copy =
        trip_copy(&trip, stream->data, stream->size, FXT_BYTE_ORDER_HOST, options);
    struct canon canon = {0};
    struct trip again = {.canon = &canon};

    CHECK(trip.n_refused == 0, "");
    trip_read(&again, copy.data, copy.size, order_of(options));
    CHECK(again.n_errors == 0 && canon_same(said, &canon),
          "strings %d, threads %d, order %d", (int)options->strings,
          (int)options->threads, (int)options->byte_order);
    canon_free(&canon);
    free(copy.data);
}

TEST(round_trip, every_way_of_writing_says_the_same)
{
    static struct maker maker;
    struct fxt_writer_options options = {0};
    struct fxt_buffer stream = {0};
    struct canon said = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);

    maker_start(&maker, 4711);
    write_made(&maker, writer, 3000, &said);
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    for (int way = 0; way < 27; way++) {
        options.strings = (enum fxt_references)(way % 3);
        options.threads = (enum fxt_references)(way / 3 % 3);
        options.byte_order = (enum fxt_byte_order)(way / 9);
        /* What is not registered a second time must be registered as it was. */
        check_way(&stream, &said, &options);
    }
    canon_free(&said);
    free(stream.data);
}

/* Reference by reference, whatever was registered or not. */
TEST(round_trip, worked_examples_are_copied_byte_for_byte)
{
    const struct fxt_writer_options options = {
        .strings = FXT_REFERENCES_AS_GIVEN,
        .threads = FXT_REFERENCES_AS_GIVEN,
    };

    for (size_t i = 0; i < 2 * N_WORKED; i++) {
        struct fxt_writer_options how = options;
        struct words w = {.big = i % 2 != 0};
        struct trip trip = {0};
        struct fxt_buffer copy;

        how.byte_order = w.big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE;
        put_worked_example(&w, &worked_examples[i / 2]);
        copy = trip_copy(&trip, w.bytes, w.size, how.byte_order, &how);
        CHECK(trip.n_refused == 0 && copy.size == w.size &&
                  memcmp(copy.data, w.bytes, w.size) == 0,
              "%s, big-endian %d", worked_examples[i / 2].name, w.big);
        free(copy.data);
        words_free(&w);
    }
}

/* A copy of what was read from any input, damaged ones too, is without fault, says the
 * same, and is copied byte for byte from then on. */
static void check_golden(const struct golden *golden, bool big,
                         const struct fxt_writer_options *options)
{
    struct words w = {.big = big};
    struct canon taken = {0};
    struct canon said = {0};
    struct trip first = {.canon = &taken};
    struct trip second = {.canon = &said};
    struct fxt_buffer copy, again;

    golden->put(&w);
    copy = trip_copy(&first, w.bytes, w.size,
                     big ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE, options);
    again = trip_copy(&second, copy.data, copy.size, order_of(options), options);
    CHECK(canon_same(&taken, &said), "%s", golden->name);
    CHECK(second.n_refused == 0, "%s: %llu are refused the second time", golden->name,
          (unsigned long long)second.n_refused);
    CHECK(first.n_refused > 0 ||
              (copy.size == again.size && memcmp(copy.data, again.data, copy.size) == 0),
          "%s: written again, the bytes differ", golden->name);
    canon_free(&taken);
    canon_free(&said);
    free(copy.data);
    free(again.data);
    words_free(&w);
}

TEST(round_trip, what_is_read_from_any_stream_can_be_copied)
{
    for (size_t i = 0; i < n_goldens; i++) {
        for (int way = 0; way < 9; way++) {
            struct fxt_writer_options options = {
                .strings = (enum fxt_references)(way % 3),
                .threads = (enum fxt_references)(way / 3),
            };

            check_golden(&goldens[i], false, &options);
            check_golden(&goldens[i], true, &options);
        }
    }
}

TEST(round_trip, drops_are_still_drops_in_a_copy)
{
    static const char *const names[] = {"kernel:meta", "drop_stats", "num_records",
                                        "num_bytes"};
    struct fxt_writer_options options = {0};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct fxt_arg args[2] = {{.type = FXT_ARG_UINT32}, {.type = FXT_ARG_UINT32}};
    struct fxt_record record = {.type = FXT_RECORD_EVENT,
                                .kind = FXT_EVENT_DURATION_COMPLETE,
                                .n_args = 2,
                                .args = args};
    struct trip trip = {0};

    record.event.category = fxt_string_from(names[0]);
    record.event.name = fxt_string_from(names[1]);
    record.event.thread = fxt_thread_from(0, 3);
    args[0].name = fxt_string_from(names[2]);
    args[1].name = fxt_string_from(names[3]);
    CHECK(fxt_writer_write(writer, &record) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_drops == 1, "");
    free(stream.data);
}
