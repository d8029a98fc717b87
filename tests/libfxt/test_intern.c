/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables that are full: what gets a new meaning, what keeps the one it has, and that
 * nothing is ever said wrong. */
#include "tests/support/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"

/* ---- a stream of logs and instants, and what it should say ---- */

struct stream {
    struct fxt_buffer bytes;
    struct fxt_writer *writer;
    struct canon said;
    struct fxt_provider provider;
};

static void start(struct stream *s, const struct fxt_writer_options *options)
{
    *s = (struct stream){.provider = {.ticks_per_second = FXT_DEFAULT_TICKS_PER_SECOND}};
    s->writer = trip_writer(options, &s->bytes);
}

static void add(struct stream *s, struct fxt_record *record)
{
    enum fxt_code code = fxt_writer_write(s->writer, record);

    CHECK(code == FXT_OK, "%s", fxt_code_name(code));
    record->provider = &s->provider;
    canon_add(&s->said, record);
}

static void add_name(struct stream *s, uint64_t n)
{
    struct fxt_record record = {.type = FXT_RECORD_EVENT};
    char name[32];

    snprintf(name, sizeof(name), "name %" PRIu64, n);
    record.event.category = fxt_string_from("category");
    record.event.name = fxt_string_from(name);
    record.event.thread = fxt_thread_from(1, 2);
    add(s, &record);
}

static void add_thread(struct stream *s, uint64_t n)
{
    struct fxt_record record = {.type = FXT_RECORD_LOG};

    record.log.thread = fxt_thread_from(1, n);
    record.log.message = fxt_string_from("message");
    add(s, &record);
}

/* Reads all back, and checks that it says what was meant. */
static struct trip finish(struct stream *s)
{
    struct canon canon = {0};
    struct trip trip = {.canon = &canon};

    CHECK(fxt_writer_finish(s->writer) == FXT_OK, "");
    fxt_writer_destroy(s->writer);
    trip_read(&trip, s->bytes.data, s->bytes.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0, "%" PRIu64 " reports", trip.n_errors);
    CHECK(canon_same(&s->said, &canon), "something else is read");
    canon_free(&canon);
    canon_free(&s->said);
    free(s->bytes.data);
    return trip;
}

/* ---- more than there are indices ---- */

enum { MANY_NAMES = 3 * FXT_STRING_INDEX_MAX, MANY_THREADS = 3 * FXT_THREAD_INDEX_MAX };

TEST(intern, more_strings_than_indices)
{
    struct fxt_writer_options options = {0};
    struct stream s;

    start(&s, &options);
    for (uint64_t i = 0; i < MANY_NAMES; i++)
        add_name(&s, i);
    /* The category came again and again, and was never forgotten. */
    CHECK(finish(&s).n_strings == MANY_NAMES + 1, "");
}

TEST(intern, more_threads_than_indices)
{
    struct fxt_writer_options options = {0};
    struct stream s;

    start(&s, &options);
    for (uint64_t i = 0; i < MANY_THREADS; i++) {
        add_thread(&s, i);
        add_thread(&s, 1000000);
    }
    CHECK(finish(&s).n_threads == MANY_THREADS + 1, "");
}

/* As many as there are indices stay, however often they come. */
TEST(intern, as_many_as_there_are_indices_are_registered_once)
{
    struct fxt_writer_options options = {0};
    struct stream s;
    struct trip trip;

    start(&s, &options);
    for (int round = 0; round < 3; round++) {
        /* The category takes one, too. */
        for (uint64_t i = 0; i < FXT_STRING_INDEX_MAX - 1; i++)
            add_name(&s, i);
        /* And the names' thread. */
        for (uint64_t i = 0; i < FXT_THREAD_INDEX_MAX - 1; i++)
            add_thread(&s, 1000 + i);
    }
    trip = finish(&s);
    CHECK(trip.n_strings == FXT_STRING_INDEX_MAX, "%" PRIu64, trip.n_strings);
    CHECK(trip.n_threads == FXT_THREAD_INDEX_MAX, "%" PRIu64, trip.n_threads);
}

/* What comes often keeps its index among many that come once. */
TEST(intern, what_is_used_is_kept)
{
    struct fxt_writer_options options = {0};
    struct stream s;
    struct trip trip;

    start(&s, &options);
    for (uint64_t i = 0; i < MANY_NAMES; i++)
        add_name(&s, i % 2 == 0 ? 1000000 + i / 2 % 1000 : i);
    trip = finish(&s);
    CHECK(trip.n_strings == 1 + 1000 + MANY_NAMES / 2, "%" PRIu64, trip.n_strings);
}

TEST(intern, names_of_no_pattern)
{
    struct fxt_writer_options options = {0};
    struct stream s;
    uint64_t state = 1;

    start(&s, &options);
    for (int i = 0; i < MANY_NAMES; i++) {
        add_name(&s, random_next(&state) % (random_next(&state) % 100000 + 1));
        add_thread(&s, random_next(&state) % (random_next(&state) % 1000 + 1));
    }
    finish(&s);
}

/* The writer's choices are part of what it writes: they do not depend on the machine. */
TEST(intern, the_same_bytes_on_every_machine)
{
    struct fxt_writer_options options = {.byte_order = FXT_BYTE_ORDER_LITTLE};
    uint64_t hash = 0xcbf29ce484222325;
    uint64_t state = 3;
    struct stream s;

    start(&s, &options);
    for (int i = 0; i < MANY_NAMES; i++) {
        add_name(&s, random_next(&state) % 50000);
        add_thread(&s, random_next(&state) % 400);
    }
    CHECK(fxt_writer_flush(s.writer) == FXT_OK, "");
    for (size_t i = 0; i < s.bytes.size; i++)
        hash = (hash ^ s.bytes.data[i]) * 0x100000001b3;
    CHECK(hash == 0x834c6e3358076d0c, "%#" PRIx64, hash);
    canon_free(&s.said);
    fxt_writer_destroy(s.writer);
    free(s.bytes.data);
}

/* ---- a record that needs more than there is ---- */

static void add_full_record(struct stream *s, uint64_t n)
{
    struct fxt_arg args[FXT_ARGS_MAX] = {0};
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .n_args = FXT_ARGS_MAX};
    char names[2 * FXT_ARGS_MAX + 2][32];

    for (int i = 0; i < 2 * FXT_ARGS_MAX + 2; i++)
        snprintf(names[i], sizeof(names[i]), "%" PRIu64 " of %" PRIu64, (uint64_t)i, n);
    for (int i = 0; i < FXT_ARGS_MAX; i++) {
        args[i].name = fxt_string_from(names[2 * i]);
        args[i].type = FXT_ARG_STRING;
        args[i].value.string = fxt_string_from(names[2 * i + 1]);
    }
    record.args = args;
    record.event.category = fxt_string_from(names[2 * FXT_ARGS_MAX]);
    record.event.name = fxt_string_from(names[2 * FXT_ARGS_MAX + 1]);
    record.event.thread = fxt_thread_from(n, n);
    add(s, &record);
}

/* 32 strings a record, and, for want of memory, tables of 31. */
TEST(intern, one_record_never_loses_what_it_has_just_registered)
{
    struct fxt_writer_options options = {.max_kept_bytes = 10000};
    struct stream s;
    struct trip trip;

    start(&s, &options);
    for (uint64_t i = 0; i < 200; i++) {
        add_full_record(&s, i / 2);
        add_full_record(&s, i / 2);
    }
    trip = finish(&s);
    CHECK(trip.n_strings > 31, "nothing got a new meaning");
}

TEST(intern, any_bound_on_memory_is_kept_and_makes_a_right_stream)
{
    for (uint64_t limit = 1; limit < 1 << 20; limit += limit / 3 + 1) {
        struct heap heap = {0};
        struct fxt_writer_options options = {
            .max_kept_bytes = limit, .resize = heap_resize, .resize_context = &heap};
        struct stream s;
        uint64_t n_own;

        start(&s, &options);
        n_own = heap.n_bytes;
        for (uint64_t i = 0; i < 3000; i++) {
            add_name(&s, i % 1000);
            add_thread(&s, i % 100);
        }
        finish(&s);
        CHECK(heap.most_bytes <= n_own + limit, "limit %" PRIu64, limit);
        CHECK(heap.n_bytes == 0, "limit %" PRIu64, limit);
    }
}

/* ---- providers ---- */

/* More than it keeps tables for: those that were left longest ago start with empty
 * tables. */
TEST(intern, any_number_of_providers)
{
    struct fxt_writer_options options = {0};
    struct fxt_provider providers[200];
    struct stream s;
    uint64_t state = 2;

    start(&s, &options);
    for (uint32_t i = 0; i < 200; i++)
        providers[i] = (struct fxt_provider){.id = i, .ticks_per_second = 1000000000};
    for (uint32_t i = 0; i < 3000; i++) {
        struct fxt_record record = {.type = FXT_RECORD_METADATA};
        uint32_t id = i < 200 ? i : (uint32_t)(random_next(&state) % 200);

        record.kind = i < 200 || random_next(&state) % 9 == 0
                          ? FXT_METADATA_PROVIDER_INFO
                          : FXT_METADATA_PROVIDER_SECTION;
        record.metadata.provider_id = id;
        s.provider = providers[id];
        add(&s, &record);
        add_name(&s, random_next(&state) % 20);
        add_name(&s, random_next(&state) % 20);
    }
    finish(&s);
}
