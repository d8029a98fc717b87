/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the way after damage. A stream of good records is damaged in one place in every
 * way there is; all records but the damaged one must come back, whatever is not a record
 * must be reported as skipped to the byte (feed.h checks that), and it must come to an
 * end.
 */
#include "tests/support/harness.h"

#include <string.h>

#include "tests/support/feed.h"
#include "tests/support/pieces.h"
#include "tests/support/random.h"

/* ---- streams of good records ---- */

enum { MANY_RECORDS = 120 };

struct stream {
    struct words words;
    enum fxt_stream kind;
    /* Where each record starts, and where the last one ends. */
    size_t starts[MANY_RECORDS + 1];
    size_t n;
    /* In how many ways it was damaged, and in how many of them other records were lost.
     */
    size_t n_cases;
    size_t n_unlucky;
};

static void mark(struct stream *s)
{
    s->starts[s->n++] = s->words.size;
}

static struct stream samples(void)
{
    struct stream s = {.kind = FXT_STREAM_REGION};

    for (uint64_t i = 0; i < 25; i++) {
        mark(&s);
        put_sample(&s.words, 123456789 + i * 1000, i % 7);
        mark(&s);
        put_backtrace(&s.words, 123456999 + i * 1000, i % 5);
    }
    mark(&s);
    return s;
}

/* One event of each kind, with arguments of all known types. */
static void put_good_event(struct stream *s, uint64_t kind)
{
    struct words *w = &s->words;

    mark(s);
    put_begin(w, 4 | AT(16, kind) | AT(20, kind) | AT(24, kind % 2) | AT(32, 1) |
                     AT(48, IN_LINE(3)));
    put(w, 123450000 + kind);
    if (kind % 2 == 0) {
        put(w, 20);
        put(w, 21);
    }
    put_text(w, "tic");
    for (uint64_t i = 0; i < kind; i++)
        put_arg(w, i + 1, i % 2 ? IN_LINE(1) : 1);
    if (kind == 1 || kind > 3)
        put(w, 123460000 + kind);
    put_end(w);
}

static struct stream archive(void)
{
    struct stream s = {.kind = FXT_STREAM_ARCHIVE};
    struct words *w = &s.words;

    mark(&s), put(w, MAGIC);
    mark(&s), put_provider_info(w, 7, "sampler");
    for (uint64_t i = 0; i < 4; i++) {
        mark(&s), put_string_record(w, 1, "category");
        mark(&s), put_thread_record(w, 1, 10, 11);
        for (uint64_t kind = 0; kind <= 10; kind++)
            put_good_event(&s, kind);
        mark(&s), put_plain(w, 7 | AT(16, 2), 1);
        mark(&s), put_plain(w, 8 | AT(60, 1), 3);
        mark(&s), put_plain(w, 8 | AT(60, 2), 2);
        mark(&s), put_plain(w, 9 | AT(32, 1), 1);
        mark(&s), put_plain(w, 10 | AT(16, 1), 6);
        mark(&s), put_sample(w, 123456789 + i, 3);
        mark(&s), put_section(w, 7);
    }
    mark(&s);
    return s;
}

/* ---- what comes back ---- */

struct found {
    /* Where the records were, and where they ended. */
    uint64_t offsets[2 * MANY_RECORDS];
    uint64_t ends[2 * MANY_RECORDS];
    size_t n;
};

static int on_record(void *context, const struct fxt_record *record)
{
    struct found *found = (struct found *)context;

    CHECK(found->n < 2 * MANY_RECORDS, "too many records");
    found->offsets[found->n] = record->offset;
    found->ends[found->n++] = record->offset + record->size;
    return 0;
}

static struct found read_stream(const struct words *w, enum fxt_stream kind)
{
    struct found found = {.n = 0};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .context = &found,
        .stream = kind,
        .resync = true,
    };
    struct feed_options feeding = {.reader = options};
    struct feed_result result = feed(w->bytes, w->size, &feeding);
    struct fxt_chunk chunk = {w->bytes, w->size, 0};
    struct fxt_reader *reader;

    CHECK(result.fault == NULL, "%s", result.fault);
    CHECK(fxt_reader_create(&options, &reader) == FXT_OK, "no reader");
    fxt_reader_read(reader, &chunk);
    CHECK(fxt_reader_finish(reader, &chunk) == FXT_OK, "it does not finish");
    fxt_reader_destroy(reader);
    return found;
}

static bool has_offset(const struct found *found, uint64_t offset)
{
    for (size_t i = 0; i < found->n; i++) {
        if (found->offsets[i] == offset)
            return true;
    }
    return false;
}

static bool is_start(const struct stream *s, uint64_t offset)
{
    size_t i = 0;

    while (i < s->n && s->starts[i] < offset)
        i++;
    return i < s->n && s->starts[i] == offset;
}

/* How many of the good records, all but those from `from` up to `to`, did not come back.
 * Those after it have moved by a number of bytes. Records inside another that ends where
 * one of them starts do not count: that one may be whole, and of a newer format. */
static size_t count_lost(const struct stream *s, const struct found *found, size_t from,
                         size_t to, size_t moved)
{
    size_t n_lost = 0;
    size_t k = 0;

    for (size_t i = 0; i + 1 < s->n; i++) {
        uint64_t offset = s->starts[i] + (i < from ? 0 : moved);

        if (i >= from && i < to)
            continue;
        while (k < found->n && found->ends[k] <= offset)
            k++;
        if (k == found->n || found->offsets[k] > offset ||
            (found->offsets[k] < offset && !is_start(s, found->ends[k] - moved)))
            n_lost++;
    }
    return n_lost;
}

static struct words copy_of(const struct words *w)
{
    struct words copy = {0};

    put_raw(&copy, w->bytes, w->size);
    return copy;
}

/* The stream with `n` bytes from `at` on replaced by others. */
static struct words spliced(const struct stream *s, size_t at, size_t n,
                            const struct words *others)
{
    struct words w = {0};

    put_raw(&w, s->words.bytes, at);
    put_raw(&w, others->bytes, others->size);
    put_raw(&w, s->words.bytes + at + n, s->words.size - at - n);
    return w;
}

static size_t size_of(const struct stream *s, size_t i)
{
    return s->starts[i + 1] - s->starts[i];
}

/* Counts whether other records are lost of a stream whose records from `from` to `to`
 * were damaged. What is after has moved along with the end. */
static void check_others(struct stream *s, struct words *damaged, size_t from, size_t to)
{
    size_t moved = (damaged->size - s->words.size) & ~(size_t)7;
    struct found found = read_stream(damaged, s->kind);

    s->n_cases++;
    s->n_unlucky += count_lost(s, &found, from, to, moved) > 0;
    words_free(damaged);
}

/* ---- damage ---- */

/* An instant takes the first word after it for its scope. */
static size_t end_of_damage(const struct stream *s, size_t i)
{
    uint64_t header = word_at(&s->words, s->starts[i]);

    return header % 16 == 4 && (header >> 16) % 16 == 0 ? i + 2 : i + 1;
}

static void flip_size_bits(struct stream *s, size_t i)
{
    uint64_t header = word_at(&s->words, s->starts[i]);
    int n_bits = header % 16 == 15 ? 32 : 12;

    for (int bit = 0; bit < n_bits; bit++) {
        struct words w = copy_of(&s->words);

        change_word(&w, s->starts[i], header ^ AT(4 + bit, 1));
        check_others(s, &w, i, end_of_damage(s, i));
    }
}

/* In a region a zero header is the end; with resync, reading continues after it where
 * there is more. */
static void zero_header(struct stream *s, size_t i)
{
    struct words w = copy_of(&s->words);

    change_word(&w, s->starts[i], 0);
    check_others(s, &w, i, i + 1);
}

static void zero_all(struct stream *s, size_t i)
{
    struct words w = copy_of(&s->words);

    memset(w.bytes + s->starts[i], 0, size_of(s, i));
    check_others(s, &w, i, i + 1);
}

/* A record that ends early takes what it lacks from the next ones, which may then go
 * unnoticed. */
static size_t first_after(const struct stream *s, size_t offset)
{
    size_t i = 0;

    while (i < s->n && s->starts[i] < offset)
        i++;
    return i;
}

static void cut_words_out(struct stream *s, size_t i)
{
    struct words nothing = {0};

    for (size_t n = 8; n < size_of(s, i); n += 8) {
        struct words end = spliced(s, s->starts[i + 1] - n, n, &nothing);
        struct words start = spliced(s, s->starts[i], n, &nothing);

        check_others(s, &end, i, first_after(s, s->starts[i + 1] + n));
        check_others(s, &start, i, i + 1);
    }
}

static void put_garbage(struct words *w, size_t n_words, uint64_t *random)
{
    while (n_words-- > 0)
        put(w, random_next(random));
}

static void insert_garbage(struct stream *s, size_t i, uint64_t *random)
{
    for (size_t n_words = 1; n_words <= 20; n_words++) {
        struct words garbage = {0};
        struct words before;
        struct words instead;

        put_garbage(&garbage, n_words, random);
        before = spliced(s, s->starts[i], 0, &garbage);
        instead = spliced(s, s->starts[i], size_of(s, i), &garbage);
        check_others(s, &before, i, i);
        check_others(s, &instead, i, i + 1);
        words_free(&garbage);
    }
}

/* The stream's provider must stay known, or its sections are not to be believed: that and
 * the magic number are not damaged. */
static void damage_each(struct stream *s, size_t first)
{
    uint64_t random = 4;

    for (size_t i = first; i + 1 < s->n; i++) {
        flip_size_bits(s, i);
        zero_header(s, i);
        zero_all(s, i);
        cut_words_out(s, i);
        insert_garbage(s, i, &random);
    }
}

/* Part of a record can by chance look like a whole one, short as some are, and a damaged
 * size can by chance lead to what looks like a record: that must be rare. */
static void check_rare(const struct stream *s)
{
    CHECK(s->n_unlucky * 70 <= s->n_cases, "%zu of %zu", s->n_unlucky, s->n_cases);
}

TEST(resync, of_samples_all_but_the_damaged_one_come_back)
{
    struct stream s = samples();

    damage_each(&s, 0);
    check_rare(&s);
    words_free(&s.words);
}

TEST(resync, of_an_archive_all_but_the_damaged_record_come_back)
{
    struct stream s = archive();

    damage_each(&s, 2);
    check_rare(&s);
    words_free(&s.words);
}

/* ---- where it starts and ends ---- */

TEST(resync, a_stream_may_begin_with_garbage)
{
    struct stream s = samples();
    uint64_t random = 5;

    for (size_t n_words = 1; n_words < 50; n_words++) {
        struct words garbage = {0};
        struct words w;

        put_garbage(&garbage, n_words, &random);
        w = spliced(&s, 0, 0, &garbage);
        check_others(&s, &w, 0, 0);
        words_free(&garbage);
    }
    CHECK(s.n_unlucky == 0, "%zu of %zu", s.n_unlucky, s.n_cases);
    words_free(&s.words);
}

TEST(resync, the_last_record_before_a_ragged_end_comes_back)
{
    struct stream s = samples();

    /* The record before the last two is damaged, and the last one is cut off. */
    for (size_t size = 0; size < size_of(&s, s.n - 2); size++) {
        struct words w = copy_of(&s.words);
        struct found found;

        change_word(&w, s.starts[s.n - 4], 0x7);
        w.size = s.starts[s.n - 2] + size;
        found = read_stream(&w, s.kind);
        CHECK(has_offset(&found, s.starts[s.n - 3]), "%zu bytes of it", size);
        words_free(&w);
    }
    words_free(&s.words);
}

TEST(resync, a_stream_of_nothing_but_garbage_is_one_stretch)
{
    struct words w = {0};
    uint64_t random = 6;
    struct found found;

    /* A new type of record is believed for its size alone, if that leads on. */
    put_garbage(&w, 20000, &random);
    found = read_stream(&w, FXT_STREAM_REGION);
    CHECK(found.n <= 1, "%zu records in garbage", found.n);
    words_free(&w);
}

TEST(resync, damage_in_many_places_loses_only_what_is_damaged)
{
    struct stream s = samples();
    uint64_t random = 7;

    /* Every word of a few records in a row, with some probability. */
    for (int round = 0; round < 300; round++) {
        struct words w = copy_of(&s.words);
        size_t from = random_next(&random) % (s.n - 1);
        size_t to = from + 1 + random_next(&random) % 6;

        if (to > s.n - 1)
            to = s.n - 1;
        for (size_t at = s.starts[from]; at < s.starts[to]; at += 8) {
            if (random_next(&random) % 3 == 0)
                change_word(&w, at, random_next(&random));
        }
        check_others(&s, &w, from, to);
    }
    CHECK(s.n_unlucky == 0, "%zu of %zu", s.n_unlucky, s.n_cases);
    words_free(&s.words);
}

TEST(resync, sections_of_unknown_providers_are_not_taken_for_a_way_out)
{
    struct words w = {0};
    struct found found;

    put_provider_info(&w, 7, "seven");
    put(&w, 4);
    put_section(&w, 9);
    put_section(&w, 0);
    put_section(&w, 7);
    found = read_stream(&w, FXT_STREAM_ARCHIVE);
    CHECK(found.n == 2, "%zu records", found.n);
    words_free(&w);
}

/* Some records of types and kinds that there are not yet, one after the other. */
static void put_newer_records(struct words *w, uint64_t random)
{
    for (int i = 0; i < 12; i++) {
        uint64_t type = 11 + random_next(&random) % 4;
        uint64_t kind = 11 + random_next(&random) % 5;

        put_begin(w, i % 3 == 0 ? 4 | AT(16, kind) | AT(32, 1) : type);
        put(w, random_next(&random) % 1000000);
        put_text(w, "what a later version of the format has to say");
        put_end(w);
    }
}

TEST(resync, of_a_newer_format_nothing_is_taken_for_damage)
{
    for (uint64_t random = 1; random < 50; random++) {
        struct words w = {0};
        struct found found;

        put_sample(&w, 1, 3);
        put_newer_records(&w, random);
        put_sample(&w, 2, 3);
        found = read_stream(&w, FXT_STREAM_REGION);
        CHECK(found.n == 14, "%zu records", found.n);
        words_free(&w);
        put_newer_records(&w, random);
        found = read_stream(&w, FXT_STREAM_REGION);
        CHECK(found.n == 12, "%zu records up to the end", found.n);
        words_free(&w);
    }
}

/* A writer may put records into a record. */
TEST(resync, records_inside_whole_ones_are_not_taken_for_damage)
{
    static const uint64_t headers[] = {
        /* An unknown type, an unknown kind, a large one of an unknown kind. */
        12,
        10 | AT(16, 9),
        15 | AT(36, 3),
        /* Surplus words of a thread, an instant, a section and an initialization. */
        3 | AT(16, 1),
        4 | AT(24, 1) | AT(32, 1),
        AT(16, 2) | AT(20, 7),
        1,
    };
    static const size_t n_fields[] = {0, 0, 0, 2, 1, 0, 1};
    struct words inside = {0};

    put_thread_record(&inside, 1, 1000, 2000);
    put_sample(&inside, 123456, 3);
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        for (int n_inside = 1; n_inside < 6; n_inside++) {
            struct words w = {0};
            struct found found;

            put_provider_info(&w, 7, "known");
            put_begin(&w, headers[i]);
            for (size_t k = 0; k < n_fields[i]; k++)
                put(&w, 1);
            for (int k = 0; k < n_inside; k++)
                put_raw(&w, inside.bytes, inside.size);
            put_end(&w);
            put_sample(&w, 2, 3);
            found = read_stream(&w, FXT_STREAM_ARCHIVE);
            CHECK(found.n == 3, "%zu records, %d inside %llx", found.n, n_inside,
                  (unsigned long long)headers[i]);
            words_free(&w);
        }
    }
    words_free(&inside);
}

/* Arguments of every type that can be taken for a record, with names of all the sizes. */
static void put_record_of_arguments(struct words *w, uint64_t header, uint64_t name)
{
    static const char text[] = "a name that takes several words";
    bool is_inline = name & IN_LINE(0);
    uint64_t size = name & 0x7fff;

    put_begin(w, header);
    for (int i = 0; i < 12; i++) {
        uint64_t type = i / 3 == 0 ? 0 : i / 3 == 1 ? 6 : i / 3 == 2 ? 7 : 8;

        put_arg_begin(w, type | AT(16, name) | AT(32, type == 6 ? 5 : 0));
        if (is_inline)
            put_bytes(w, text, size);
        if (type > 6)
            put(w, 1000 + i);
        put_arg_end(w);
    }
    put_end(w);
}

TEST(resync, arguments_of_newer_records_are_not_taken_for_records)
{
    for (uint64_t size = 1; size < 32; size++) {
        for (int i = 0; i < 4; i++) {
            uint64_t name = i / 2 ? IN_LINE(size) : size * 300;
            uint64_t header = i % 2 ? 12 : 10 | AT(16, 9) | AT(24, 1);
            struct words w = {0};
            struct found found;

            put_provider_info(&w, size * 300 >> 4, "known");
            put_record_of_arguments(&w, header, name);
            put_sample(&w, 2, 3);
            found = read_stream(&w, FXT_STREAM_ARCHIVE);
            CHECK(found.n == 3, "%zu records with names like %llx", found.n,
                  (unsigned long long)name);
            words_free(&w);
        }
    }
}

/* They are in order, but no writer has a use for them. */
TEST(resync, a_newer_record_in_front_of_an_odd_one_is_believed)
{
    static const struct {
        uint64_t header;
        size_t n_words;
    } rows[] = {
        /* A string and a thread with index 0, an event and a blob without a name, a bit
         * too many, another kind of trace information. */
        {2, 1},
        {3, 3},
        {4 | AT(24, 1), 2},
        {5, 1},
        {7 | AT(63, 1), 2},
        {AT(16, 4) | AT(20, 3), 2},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct words w = {0};
        struct found found;

        put_sample(&w, 1, 3);
        put_plain(&w, 12, 4);
        put_plain(&w, rows[i].header, rows[i].n_words - 1);
        put_plain(&w, 13, 4);
        put_sample(&w, 2, 3);
        found = read_stream(&w, FXT_STREAM_REGION);
        CHECK(found.n == 5, "%zu records around %llx", found.n,
              (unsigned long long)rows[i].header);
        words_free(&w);
    }
}
