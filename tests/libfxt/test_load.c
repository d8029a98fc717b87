/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each word of a record is loaded once, and the value that was judged is the value that
 * is used: the memory may be changing. libfxt is compiled into this test with
 * load_watch.h, which sends all its loads through here.
 */
#include "tests/support/harness.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <fxt/fxt.h>

#include "libfxt/reader/decode.h"
#include "tests/support/golden.h"
#include "tests/support/maker.h"
#include "tests/support/pieces.h"
#include "tests/support/random.h"
#include "tests/support/trip.h"

/* The bytes that are watched, and how often a word was loaded from each place. */
static const unsigned char *watched;
static size_t watched_size;
static unsigned char *n_loads;
static uint64_t n_all_loads;

uint64_t watch_load(const void *address)
{
    const unsigned char *at = (const unsigned char *)address;

    if (at >= watched && at < watched + watched_size)
        n_loads[at - watched]++;
    n_all_loads++;
    return fxt_load_once_(address);
}

static void watch(const void *data, size_t size)
{
    free(n_loads);
    watched = (const unsigned char *)data;
    watched_size = size;
    n_loads = (unsigned char *)calloc(1, size + 1);
    CHECK(n_loads != NULL, "no memory");
}

/* Whether no word of what is watched was loaded more often. */
static bool is_loaded_at_most(int times)
{
    for (size_t i = 0; i < watched_size; i++) {
        if (n_loads[i] > times)
            return false;
    }
    return true;
}

/* With nothing registered, and with every small index: then events are decoded in fewer
 * steps. */
static struct string_slot strings[STRING_PAGE];
static struct thread_slot threads[FXT_THREAD_INDEX_MAX + 1];
static const struct tables tables[] = {{.threads = NULL},
                                       {.strings = {strings}, .threads = threads}};

static void fill_tables(void)
{
    for (uint32_t i = 1; i < STRING_PAGE; i++) {
        strings[i] = (struct string_slot){"a text", 0, 7};
        threads[i] = (struct thread_slot){1, 2, true};
    }
}

static void check_decoding(const char *name, const struct words *w, size_t at,
                           const struct tables *registered)
{
    static struct decoder decoder;
    bool swapped = w->big != FXT_HOST_IS_BIG_ENDIAN;
    uint64_t header = word_at(w, at);
    uint64_t n_words = decode_n_words(header);

    if (n_words == 0 || n_words > (w->size - at) / 8)
        return;
    watch(w->bytes + at, n_words * 8);
    decoder.tables = registered;
    decode_record(&decoder, w->bytes + at, header, n_words, swapped);
    CHECK(n_loads[0] == 0, "%s, big-endian %d, %zu: the header is loaded again", name,
          w->big, at);
    CHECK(is_loaded_at_most(1), "%s, big-endian %d, %zu: a word is loaded twice", name,
          w->big, at);
}

static void check_all_places(const char *name, const struct words *w)
{
    fill_tables();
    for (size_t at = 0; at + 8 <= w->size; at += 8) {
        check_decoding(name, w, at, &tables[0]);
        check_decoding(name, w, at, &tables[1]);
    }
}

TEST(load, no_decoding_loads_a_word_twice_whatever_it_takes_for_a_header)
{
    for (size_t i = 0; i < 2 * n_goldens; i++) {
        struct words w = {.big = i % 2};

        goldens[i / 2].put(&w);
        check_all_places(goldens[i / 2].name, &w);
        words_free(&w);
    }
}

static void check_file(const char *name)
{
    struct words w = {0};
    char path[4096];
    char bytes[65536];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", CORPUS, name);
    file = fopen(path, "rb");
    CHECK(file != NULL, "%s cannot be opened", path);
    put_raw(&w, bytes, fread(bytes, 1, sizeof(bytes), file));
    fclose(file);
    check_all_places(name, &w);
    w.big = true;
    check_all_places(name, &w);
    words_free(&w);
}

TEST(load, nor_does_it_in_what_fuzzing_found)
{
    DIR *dir = opendir(CORPUS);
    struct dirent *entry;
    int n = 0;

    CHECK(dir != NULL, "%s cannot be opened", CORPUS);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            check_file(entry->d_name);
            n++;
        }
    }
    closedir(dir);
    CHECK(n > 0, "there is nothing in %s", CORPUS);
}

/* The first word is loaded again, to know what the stream is, and so is a word
 * after zeros, to know that they have ended. */
static void check_reading(const struct golden *golden, bool big)
{
    struct words w = {.big = big};
    struct fxt_reader_options options = golden_options(golden, big);
    struct fxt_reader *reader;
    struct fxt_chunk chunk;

    golden->put(&w);
    chunk = (struct fxt_chunk){w.bytes, w.size, 0};
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    watch(w.bytes, w.size);
    fxt_reader_read(reader, &chunk);
    n_loads[0]--;
    for (size_t at = 8; at + 8 <= w.size; at += 8)
        n_loads[at] -= n_loads[at] == 2 && word_at(&w, at - 8) == 0;
    CHECK(is_loaded_at_most(1), "%s, big-endian %d: a word is loaded twice", golden->name,
          big);
    fxt_reader_destroy(reader);
    words_free(&w);
}

TEST(load, reading_a_stream_loads_each_header_once)
{
    for (size_t i = 0; i < 2 * n_goldens; i++) {
        if (!goldens[i / 2].resync)
            check_reading(&goldens[i / 2], i % 2);
    }
}

/* ---- the search after damage ---- */

/* Words that keep a search busy: plausible headers, of records that turn out to be none.
 */
static const uint64_t hostile[] = {
    /* A userspace object, whose arguments are looked at in two ways. */
    6 | AT(4, 256) | AT(40, 15),
    /* Too long for what is in it; of a new type; whole but for its size. */
    7 | AT(4, 4095) | AT(24, IN_LINE(1000)) | AT(40, 15),
    11 | AT(4, 4095),
    10 | AT(4, 4095) | AT(16, 2) | AT(20, 1),
    4 | AT(4, 4095) | AT(16, 2) | AT(20, 15) | AT(24, 1) | AT(48, IN_LINE(9)),
    15 | AT(4, 4095),
};

enum { N_HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

/* One of these all the time; or all of them, with sizes of up to so and so many bits. */
static uint64_t hostile_word(int kind, uint64_t *random)
{
    uint64_t mixed = hostile[random_next(random) % N_HOSTILE] & ~(uint64_t)0xfff0;

    if (kind < N_HOSTILE)
        return hostile[kind];
    return mixed | AT(4, random_next(random) & (AT(kind - N_HOSTILE + 1, 1) - 1));
}

static struct words hostile_stream(int kind, size_t n_words)
{
    uint64_t random = 9;
    struct words w = {0};

    put(&w, MAGIC);
    put(&w, 4);
    for (size_t i = 0; i < n_words; i++)
        put(&w, hostile_word(kind, &random));
    return w;
}

/* Presents a stream to a reader up to its end: so many bytes more each time, with all in
 * front of them that the reader left; or all at once, if 0. Frees the stream. Returns the
 * number of loads. */
static uint64_t loads_to_read(struct words *w, size_t step)
{
    struct fxt_reader_options options = {.size = sizeof(options), .resync = true};
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;

    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    watch(w->bytes, 0);
    n_all_loads = 0;
    for (chunk.size = step; step > 0 && chunk.size < w->size; chunk.size += step)
        fxt_reader_read(reader, &chunk);
    chunk.size = w->size;
    fxt_reader_finish(reader, &chunk);
    CHECK(chunk.pos == w->size, "not all is read");
    fxt_reader_destroy(reader);
    words_free(w);
    return n_all_loads;
}

/* The most loads that a word may cost, whatever the input. Most are of arguments, as any
 * place may be the header of a record with fifteen of them. */
enum { MOST_LOADS = 100 };

TEST(load, a_search_takes_time_in_proportion_to_the_input)
{
    enum { MANY = 16384, KINDS = N_HOSTILE + 12 };

    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t step = 0; step < 100; step += 56) {
            struct words one = hostile_stream(kind, MANY);
            struct words two = hostile_stream(kind, 2 * MANY);
            uint64_t n_one = loads_to_read(&one, step);
            uint64_t n_two = loads_to_read(&two, step);

            CHECK(n_two / (2 * MANY) < MOST_LOADS, "kind %d, %zu: %llu loads a word",
                  kind, step, (unsigned long long)n_two / (2 * MANY));
            CHECK(n_two < 3 * n_one,
                  "kind %d, %zu: %llu loads, and %llu for twice as much", kind, step,
                  (unsigned long long)n_one, (unsigned long long)n_two);
        }
    }
}

/* Again and again a thread, and a record that reaches to the end of the stream, where
 * there are two threads in a row. */
static struct words reaching_records(const uint64_t *record, size_t n_words)
{
    enum { TIMES = 3000 };
    size_t left = TIMES * (3 + n_words) + 6;
    struct words w = {0};

    put(&w, MAGIC);
    for (uint64_t i = 0; i < TIMES; i++) {
        put_thread_record(&w, 1 + i % 255, 1000 + i, 2000 + i);
        left -= 3;
        put(&w, record[0] | AT(4, left));
        for (size_t k = 1; k < n_words; k++)
            put(&w, record[k]);
        left -= n_words;
    }
    put_thread_record(&w, 1, 1, 2);
    put_thread_record(&w, 2, 3, 4);
    return w;
}

TEST(load, records_that_reach_to_the_end_are_not_searched_again_and_again)
{
    static const struct {
        const char *name;
        uint64_t words[6];
        size_t n_words;
    } rows[] = {
        {"a payload that is too large", {15, 0, 123456, 1, 2, UINT64_MAX}, 6},
        {"a new type", {15 | AT(36, 1), 0}, 2},
        {"surplus words", {15, 0, 123456, 1, 2, 0}, 6},
        {"a header that no writer writes", {15 | AT(63, 1), 0, 1, 1, 2, UINT64_MAX}, 6},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t step = 0; step < 100; step += 56) {
            struct words w = reaching_records(rows[i].words, rows[i].n_words);
            size_t n_words = w.size / 8;
            uint64_t n = loads_to_read(&w, step);

            CHECK(n / n_words < MOST_LOADS, "%s, %zu: %llu loads a word", rows[i].name,
                  step, (unsigned long long)n / n_words);
        }
    }
}

/* Records that can only be judged once a long one after them is there. */
static struct words waiting_records(void)
{
    struct words w = {0};

    put(&w, MAGIC);
    for (int i = 0; i < 5; i++) {
        put_begin(&w, 4 | AT(20, 15) | AT(24, 1) | AT(48, 1));
        put(&w, 1000);
        for (uint64_t k = 0; k < 15; k++)
            put_arg(&w, 4, 1);
        put_zeros(&w, 3);
        put_end(&w);
        put_plain(&w, 12, 4000);
    }
    return w;
}

TEST(load, waiting_for_more_costs_nothing_however_often_the_caller_tries)
{
    struct words w = waiting_records();
    uint64_t at_once = loads_to_read(&w, 0);
    uint64_t in_words;

    w = waiting_records();
    in_words = loads_to_read(&w, 8);
    CHECK(in_words < 6 * at_once, "%llu loads, and %llu in many calls",
          (unsigned long long)at_once, (unsigned long long)in_words);
}

/* An archive of all that there is, some words of which are others'. */
static struct words damaged_archive(uint64_t seed)
{
    static struct maker maker;
    struct fxt_writer_options options = {.strings = FXT_REFERENCES_AS_GIVEN,
                                         .threads = FXT_REFERENCES_AS_GIVEN};
    struct fxt_buffer stream = {0};
    struct fxt_writer *writer = trip_writer(&options, &stream);
    struct words w = {0};
    uint64_t random = seed;

    maker_start(&maker, seed);
    maker.unknown = true;
    for (int i = 0; i < 300; i++) {
        struct fxt_record record;

        maker_make(&maker, &record);
        CHECK(fxt_writer_write(writer, &record) == FXT_OK, "record %d", i);
    }
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    put_raw(&w, stream.data, stream.size);
    free(stream.data);
    for (size_t at = 0; at < w.size; at += 8) {
        if (random_next(&random) % (2 + seed % 50) == 0)
            change_word(&w, at, word_at(&w, random_next(&random) % (w.size / 8) * 8));
        if (random_next(&random) % (2 + seed % 70) == 0)
            change_word(&w, at, word_at(&w, at) ^ AT(random_next(&random) % 64, 1));
    }
    return w;
}

TEST(load, damage_anywhere_costs_no_more)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct words w = damaged_archive(seed);
        size_t n_words = w.size / 8;
        uint64_t n = loads_to_read(&w, seed % 3 * 100);

        CHECK(n / n_words < MOST_LOADS, "seed %llu: %llu loads a word",
              (unsigned long long)seed, (unsigned long long)n / n_words);
    }
}
