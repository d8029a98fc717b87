/* SPDX-License-Identifier: BSD-2-Clause */
/* One table for all providers: a reader that keeps one for the whole stream, and one that
 * keeps one for each provider, read the same. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "tests/support/maker.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"
#include "tests/support/walk.h"

/* ---- A reader with one table ------------------------------------------------------- */

struct single {
    struct fxt_string strings[FXT_STRING_INDEX_MAX + 1];
    struct fxt_thread threads[FXT_THREAD_INDEX_MAX + 1];
    uint64_t n_strings;
    uint64_t n_threads;
    uint64_t n_wrong;
};

static void compare_string(void *context, const char *field, const struct fxt_string *s)
{
    struct single *single = (struct single *)context;

    (void)field;
    if (s->ref == FXT_STRING_REF_EMPTY || s->ref > FXT_STRING_INDEX_MAX)
        return;
    single->n_strings++;
    single->n_wrong += !fxt_string_equals(single->strings[s->ref], *s);
}

static void compare_thread(void *context, const char *field, const struct fxt_thread *t)
{
    struct single *single = (struct single *)context;
    const struct fxt_thread *known = &single->threads[t->ref];

    (void)field;
    if (t->ref == FXT_THREAD_REF_INLINE)
        return;
    single->n_threads++;
    single->n_wrong +=
        !known->known || known->process != t->process || known->thread != t->thread;
}

static int take_single(void *context, const struct fxt_record *record)
{
    struct single *single = (struct single *)context;
    struct walker comparison = {
        .context = single,
        .string = compare_string,
        .thread = compare_thread,
    };

    if (record->type == FXT_RECORD_STRING)
        single->strings[record->string.index] = record->string.value;
    else if (record->type == FXT_RECORD_THREAD)
        single->threads[record->thread.index] =
            fxt_thread_from(record->thread.process, record->thread.thread);
    else
        walk_content(&comparison, record);
    return 0;
}

/* The stream stays in place, and so do the strings. */
static struct single *read_single(const struct fxt_buffer *stream,
                                  enum fxt_byte_order order)
{
    static struct single single;
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_single,
                                         .context = &single,
                                         .stream = FXT_STREAM_ARCHIVE,
                                         .byte_order = order,
                                         .stable_input = true};

    memset(&single, 0, sizeof(single));
    CHECK(fxt_read_memory(&options, stream->data, stream->size) == FXT_OK, "");
    return &single;
}

/* ---- Random streams of several providers ------------------------------------------- */

static struct fxt_buffer write_made(uint64_t seed, struct fxt_writer_options *options,
                                    struct canon *said)
{
    static struct maker maker;
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(options, &stream);

    maker_start(&maker, seed);
    if (seed % 3 == 0)
        maker.n_names = 50000;
    if (seed % 4 == 0)
        maker.n_threads = 2000;
    for (int i = 0; i < 3000; i++) {
        struct fxt_record record;

        maker_make(&maker, &record);
        CHECK(fxt_writer_write(writer, &record) == FXT_OK, "record %d", i);
        canon_add(said, &record);
    }
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    return stream;
}

static void check_made(uint64_t seed)
{
    struct fxt_writer_options options = {.one_table = true,
                                         .byte_order = seed % 2 ? FXT_BYTE_ORDER_BIG
                                                                : FXT_BYTE_ORDER_LITTLE,
                                         .max_kept_bytes = seed % 5 ? 0 : 100000};
    struct canon said = {0};
    struct canon canon = {0};
    struct trip trip = {.canon = &canon};
    struct fxt_buffer stream = write_made(seed, &options, &said);
    const struct single *single = read_single(&stream, options.byte_order);

    CHECK(single->n_wrong == 0, "seed %d: %d wrong", (int)seed, (int)single->n_wrong);
    CHECK(single->n_strings > 1000 && single->n_threads > 100, "seed %d", (int)seed);
    trip_read(&trip, stream.data, stream.size, options.byte_order);
    CHECK(trip.n_errors == 0 && canon_same(&said, &canon), "seed %d", (int)seed);
    canon_free(&said);
    canon_free(&canon);
    free(stream.data);
}

TEST(one_table, both_kinds_of_reader_read_the_same)
{
    for (uint64_t seed = 1; seed <= 30; seed++)
        check_made(seed);
}

TEST(one_table, without_it_a_reader_with_one_table_is_wrong)
{
    struct fxt_writer_options options = {0};
    struct canon said = {0};
    struct fxt_buffer stream = write_made(1, &options, &said);

    CHECK(read_single(&stream, FXT_BYTE_ORDER_HOST)->n_wrong > 100, "");
    canon_free(&said);
    free(stream.data);
}

/* ---- More providers than are remembered -------------------------------------------- */

static struct fxt_record section_of(uint32_t id)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA,
                                .kind = FXT_METADATA_PROVIDER_SECTION};

    record.metadata.provider_id = id;
    return record;
}

TEST(one_table, any_number_of_providers_take_turns)
{
    struct fxt_writer_options options = {.one_table = true};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct fxt_record event = {.type = FXT_RECORD_EVENT};
    struct trip trip = {0};
    uint64_t state = 1;

    event.event.category = fxt_string_from("category");
    event.event.name = fxt_string_from("name");
    for (int i = 0; i < 5000; i++) {
        uint64_t id = random_next(&state) % 300;
        struct fxt_record section = section_of((uint32_t)id);

        section.kind -= random_next(&state) % 20 == 0;
        event.event.thread = fxt_thread_from(1, id);
        CHECK(fxt_writer_write(writer, &section) == FXT_OK, "");
        CHECK(fxt_writer_write(writer, &event) == FXT_OK, "");
    }
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    CHECK(read_single(&stream, FXT_BYTE_ORDER_HOST)->n_wrong == 0, "");
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0, "%d reports", (int)trip.n_errors);
    free(stream.data);
}

/* ---- Bytes ------------------------------------------------------------------------- */

TEST(one_table, a_string_of_two_providers_has_two_indices)
{
    static const char expected[] =
        " type=0 kind=2 provider=1 name=<> event=0 info=0 magic=0\n"
        " type=2 kind=0 index=1 value=<a>\n"
        " type=5 kind=0 name=#1'a' of_type=0 payload=[]\n"
        " type=0 kind=2 provider=2 name=<> event=0 info=0 magic=0\n"
        " type=2 kind=0 index=2 value=<a>\n"
        " type=5 kind=0 name=#2'a' of_type=0 payload=[]\n"
        " type=0 kind=2 provider=1 name=<> event=0 info=0 magic=0\n"
        " type=5 kind=0 name=#1'a' of_type=0 payload=[]";
    struct fxt_writer_options options = {.one_table = true,
                                         .byte_order = FXT_BYTE_ORDER_LITTLE};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct fxt_record blob = {.type = FXT_RECORD_BLOB};
    struct words w = {0};

    blob.blob.name = fxt_string_from("a");
    for (uint32_t i = 0; i < 3; i++) {
        struct fxt_record section = section_of(1 + i % 2);

        CHECK(fxt_writer_write(writer, &section) == FXT_OK, "");
        CHECK(fxt_writer_write(writer, &blob) == FXT_OK, "");
    }
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    w.bytes = stream.data;
    w.size = stream.size;
    check_words(&w, "two providers", expected, "provider_unknown provider_unknown");
    free(stream.data);
}
