/* SPDX-License-Identifier: BSD-2-Clause */
/* Packed records, as rings give them, between others: each refers to what it means,
 * whatever was registered where. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/emit.h>
#include <fxt/emit_records.h>

#include "heap.h"
#include "rows.h"
#include "tests/support/maker.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"

/* ---- Random records of several sources --------------------------------------------- */

enum { N_SOURCES = 6 };

/* A source packs its records, with separate tables. */
struct source {
    struct fxt_buffer packed;
    struct fxt_writer *writer;
};

static const struct fxt_provider provider = {.ticks_per_second =
                                                 FXT_DEFAULT_TICKS_PER_SECOND};

static void make(struct maker *maker, struct fxt_record *record)
{
    do {
        maker_make(maker, record);
    } while (record->type == FXT_RECORD_METADATA ||
             record->type == FXT_RECORD_INITIALIZATION);
    record->provider = &provider;
}

static void pack(struct source *source, const struct fxt_record *record)
{
    CHECK(fxt_writer_write(source->writer, record) == FXT_OK, "");
    CHECK(fxt_writer_flush(source->writer) == FXT_OK, "");
}

/* A payload that is no whole number of PCs is copied, and reported each time. */
static bool is_good(enum fxt_code code)
{
    return code == FXT_OK || code == FXT_E_SAMPLE_SIZE;
}

/* At an odd address. */
static void write_packed(struct fxt_writer *writer, uint32_t id, struct source *source)
{
    static unsigned char moved[1 << 20];
    enum fxt_code code;

    CHECK(source->packed.size < sizeof(moved), "");
    if (source->packed.size > 0)
        memcpy(moved + 1, source->packed.data, source->packed.size);
    code = fxt_writer_write_packed(writer, id, moved + 1, source->packed.size);
    CHECK(is_good(code), "%s", fxt_code_name(code));
    source->packed.size = 0;
}

static void write_mixed(uint64_t seed, struct fxt_writer *writer, struct canon *said)
{
    static struct maker maker;
    struct fxt_writer_options packing = {.byte_order = FXT_BYTE_ORDER_HOST};
    struct source sources[N_SOURCES];
    uint64_t state = seed;

    maker_start(&maker, seed);
    for (int i = 0; i < N_SOURCES; i++) {
        sources[i].packed = (struct fxt_buffer){0};
        sources[i].writer = trip_writer(&packing, &sources[i].packed);
    }
    for (int i = 0; i < 1500; i++) {
        struct fxt_record record;
        uint32_t id = (uint32_t)(random_next(&state) % (N_SOURCES + 1));
        uint64_t n = id < N_SOURCES ? random_next(&state) % 5 : 1;

        for (; n > 0; n--) {
            make(&maker, &record);
            if (id < N_SOURCES)
                pack(&sources[id], &record);
            else
                CHECK(fxt_writer_write(writer, &record) == FXT_OK, "");
            canon_add(said, &record);
        }
        if (id < N_SOURCES)
            write_packed(writer, 1000 * id, &sources[id]);
    }
    for (int i = 0; i < N_SOURCES; i++) {
        fxt_writer_destroy(sources[i].writer);
        free(sources[i].packed.data);
    }
}

static void check_mixed(uint64_t seed)
{
    struct fxt_writer_options options = {
        .strings = seed % 3 == 0 ? FXT_REFERENCES_IN_LINE : FXT_REFERENCES_TABLE,
        .byte_order = seed % 2 ? FXT_BYTE_ORDER_LITTLE : FXT_BYTE_ORDER_BIG,
        .one_table = seed % 5 == 0,
    };
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct canon said = {0};
    struct canon canon = {0};
    struct trip trip = {.canon = &canon};

    write_mixed(seed, writer, &said);
    CHECK(is_good(fxt_writer_finish(writer)), "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, options.byte_order);
    CHECK(trip.n_errors == 0 && canon_same(&said, &canon), "seed %d", (int)seed);
    canon_free(&said);
    canon_free(&canon);
    free(stream.data);
}

TEST(packed, records_of_all_sources_say_what_they_said)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        check_mixed(seed);
}

/* ---- A ring that is full ----------------------------------------------------------- */

static void emit_named(struct fxt_emit *emit, struct fxt_string name, uint64_t time)
{
    struct fxt_event event = {.timestamp = time, .thread = fxt_thread_from(1, 2)};

    event.category = FXT_TEXT("c");
    event.name = name;
    fxt_emit_event(emit, FXT_EVENT_DURATION_BEGIN, &event, NULL, 0);
}

static struct fxt_writer *start(struct fxt_buffer *stream)
{
    struct fxt_writer_options options = {.threads = FXT_REFERENCES_IN_LINE,
                                         .byte_order = FXT_BYTE_ORDER_HOST};

    *stream = (struct fxt_buffer){0};
    return trip_writer(&options, stream);
}

/* What the stream says must be this, and no fault. */
static void finish(struct fxt_writer *writer, struct fxt_buffer *stream,
                   enum fxt_code code, const char *expected)
{
    struct words w = {0};

    CHECK(fxt_writer_finish(writer) == code, "");
    fxt_writer_destroy(writer);
    w.bytes = stream->data;
    w.size = stream->size;
    w.big = FXT_HOST_IS_BIG_ENDIAN;
    check_words(&w, "packed", expected, "");
    free(stream->data);
}

#define STRING_SAYS(index, value) " type=2 kind=0 index=" index " value=<" value ">\n"
#define EVENT_SAYS(time, name)                                                           \
    " type=4 kind=2 timestamp=" time " thread=1/2 category=#1'c' name=" name             \
    " id=0 end=0 scope=0"

TEST(packed, an_index_that_was_not_registered_is_written_as_its_number)
{
    static uint64_t region[64];
    struct fxt_emit emit;
    struct fxt_buffer stream;
    struct fxt_writer *writer = start(&stream);

    fxt_emit_init(&emit, region, sizeof(region));
    emit_named(&emit, fxt_string_ref(7), 1);
    CHECK(fxt_writer_write_packed(writer, 0, region, emit.pos * 8) ==
              FXT_E_STRING_UNKNOWN,
          "");
    fxt_emit_init(&emit, region, sizeof(region));
    fxt_emit_string(&emit, 7, FXT_TEXT("n"));
    emit_named(&emit, fxt_string_ref(7), 2);
    CHECK(fxt_writer_write_packed(writer, 0, region, emit.pos * 8) == FXT_OK, "");
    finish(writer, &stream, FXT_E_STRING_UNKNOWN,
           STRING_SAYS("1", "c") STRING_SAYS("2", "#7")
               EVENT_SAYS("1", "#2'#7'") "\n" STRING_SAYS("3", "n")
                   EVENT_SAYS("2", "#3'n'"));
}

/* The remedy that fxt/writer.h names; the ring drops most of what comes. */
TEST(packed, registrations_from_a_separate_region_cannot_be_dropped)
{
    static uint64_t names[64], memory[96];
    unsigned char drained[sizeof(memory)];
    struct fxt_emit names_emit, emit;
    struct fxt_ring ring;
    struct fxt_buffer stream;
    struct fxt_writer *writer = start(&stream);
    struct trip trip = {0};

    fxt_emit_init(&names_emit, names, sizeof(names));
    fxt_emit_string(&names_emit, 1, FXT_TEXT("name"));
    CHECK(fxt_writer_write_packed(writer, 3, names, names_emit.pos * 8) == FXT_OK, "");
    CHECK(fxt_emit_init_ring(&emit, memory, sizeof(memory), 3), "");
    CHECK(fxt_ring_open(&ring, memory, sizeof(memory)), "");
    for (uint64_t time = 0; time < 1000; time++) {
        emit_named(&emit, fxt_string_ref(1), time);
        if (time % 100 == 99) {
            size_t n = fxt_ring_read(&ring, drained, sizeof(drained));

            CHECK(fxt_writer_write_packed(writer, 3, drained, n) == FXT_OK, "");
        }
    }
    CHECK(emit.dropped_records > 500, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0 && trip.n_drops >= 9, "");
    CHECK(trip.n_records - trip.n_strings - trip.n_drops == 1000 - emit.dropped_records,
          "");
    free(stream.data);
}

/* The other remedy: each ring repeats them, and texts are inline until then. */
TEST(packed, a_dropped_registration_is_repeated)
{
    static uint64_t memory[96];
    unsigned char drained[sizeof(memory)];
    struct fxt_name names[] = {{FXT_TEXT("name"), 1, false},
                               {FXT_TEXT("a longer name"), FXT_STRING_INDEX_MAX, false}};
    struct fxt_emit emit;
    struct fxt_ring ring;
    struct fxt_buffer stream;
    struct fxt_writer *writer = start(&stream);
    struct trip trip = {0};
    uint64_t n_inline = 0;

    CHECK(fxt_emit_init_ring(&emit, memory, sizeof(memory), 3), "");
    CHECK(fxt_ring_open(&ring, memory, sizeof(memory)), "");
    for (uint64_t time = 0; time < 1000; time++) {
        struct fxt_name *name = &names[time % 2];
        /* The ring is full before the first is used. */
        struct fxt_string string =
            time < 50 ? FXT_TEXT("other") : fxt_emit_name(&emit, name);

        CHECK((string.ref == name->index) == name->is_registered, "");
        n_inline += time >= 50 && !name->is_registered;
        emit_named(&emit, string, time);
        if (time % 100 == 99) {
            size_t n = fxt_ring_read(&ring, drained, sizeof(drained));

            CHECK(fxt_writer_write_packed(writer, 3, drained, n) == FXT_OK, "");
        }
    }
    CHECK(names[0].is_registered && names[1].is_registered && n_inline > 10, "");
    CHECK(emit.dropped_records > 500 && emit.invalid_records == 0, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    trip_read(&trip, stream.data, stream.size, FXT_BYTE_ORDER_HOST);
    CHECK(trip.n_errors == 0 && trip.n_drops >= 9, "");
    CHECK(trip.n_records - trip.n_strings - trip.n_drops == 1000 - emit.dropped_records,
          "");
    free(stream.data);
}

/* ---- Faults ------------------------------------------------------------------------ */

static uint64_t words[8];

/* One event of two words and a string of an index; returns its size. */
static size_t put_event(uint64_t time)
{
    struct fxt_emit emit;

    fxt_emit_init(&emit, words, sizeof(words));
    emit_named(&emit, fxt_string_ref(1), time);
    return emit.pos * 8;
}

static void register_name(struct fxt_writer *writer)
{
    struct fxt_emit emit;

    fxt_emit_init(&emit, words, sizeof(words));
    fxt_emit_string(&emit, 1, FXT_TEXT("n"));
    CHECK(fxt_writer_write_packed(writer, 0, words, emit.pos * 8) == FXT_OK, "");
}

TEST(packed, after_a_fault_the_source_goes_on)
{
    static const uint64_t zero_size = FXT_RECORD_EVENT;
    static const uint64_t section = 0x0000000000720010;
    uint64_t after_section[9];
    struct fxt_buffer stream;
    struct fxt_writer *writer = start(&stream);
    size_t size;

    register_name(writer);
    size = put_event(1);
    CHECK(fxt_writer_write_packed(writer, 0, words, size - 8) == FXT_E_TRUNCATED, "");
    CHECK(fxt_writer_write_packed(writer, 0, words, 3) == FXT_E_TRUNCATED, "");
    CHECK(fxt_writer_write_packed(writer, 0, &zero_size, 8) == FXT_E_SIZE_ZERO, "");
    after_section[0] = section;
    memcpy(&after_section[1], words, size);
    CHECK(fxt_writer_write_packed(writer, 0, after_section, size + 8) == FXT_E_INVALID,
          "");
    CHECK(fxt_writer_write_packed(writer, 0, NULL, 8) == FXT_E_INVALID, "");
    CHECK(fxt_writer_write_packed(writer, 0, NULL, 0) == FXT_OK, "");
    size = put_event(2);
    words[size / 8] = 0;
    CHECK(fxt_writer_write_packed(writer, 0, words, size + 8) == FXT_E_SIZE_ZERO, "");
    finish(writer, &stream, FXT_E_TRUNCATED,
           STRING_SAYS("1", "c") STRING_SAYS("2", "n")
               EVENT_SAYS("1", "#2'n'") "\n" EVENT_SAYS("2", "#2'n'"));
}

static int fail_once(void *context, const void *data, size_t size)
{
    (void)data;
    (void)size;
    ++*(int *)context;
    return -1;
}

TEST(packed, it_stops_where_nothing_can_be_written)
{
    int n_calls = 0;
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = fail_once,
                                         .context = &n_calls,
                                         .buffer_size = 1};
    struct fxt_writer *writer;
    size_t size = put_event(1);

    CHECK(fxt_writer_create(&options, &writer) == FXT_OK, "");
    CHECK(fxt_writer_write_packed(writer, 0, words, size) != FXT_OK, "");
    CHECK(fxt_writer_write_packed(writer, 0, words, size) == FXT_E_SINK, "");
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK && n_calls == 1, "");
    fxt_writer_destroy(writer);
}

/* Each allocation fails in turn. */
TEST(packed, any_allocation_may_fail)
{
    struct heap heap = {0};

    for (uint64_t at = 0; at < 30; at++) {
        struct fxt_buffer stream = {0};
        struct fxt_writer_options options = {.size = sizeof(options),
                                             .write = fxt_buffer_write,
                                             .context = &stream,
                                             .resize = heap_resize,
                                             .resize_context = &heap};
        struct fxt_writer *writer;
        size_t size = put_event(1);

        heap.fail_at = heap.n_calls + at;
        if (fxt_writer_create(&options, &writer) == FXT_OK) {
            for (uint32_t source = 0; source < 20; source++)
                fxt_writer_write_packed(writer, source, words, size);
            fxt_writer_destroy(writer);
        }
        CHECK(heap.n_bytes == 0, "%d bytes are left", (int)heap.n_bytes);
        free(stream.data);
    }
}

TEST(packed, doubles_are_arguments)
{
    struct fxt_arg arg = fxt_arg_double(FXT_TEXT("a"), 0.5);

    CHECK(arg.type == FXT_ARG_DOUBLE && arg.value.float64 == 0.5, "");
}
