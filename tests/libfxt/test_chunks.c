/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a stream comes in chunks does not matter: every way to cut it up gives the same
 * records and the same reports, field by field, as the whole does. And every beginning of
 * it gives the records that are whole, and one report about the rest.
 */
#include "tests/support/harness.h"

#include "tests/support/feed.h"
#include "tests/support/golden.h"
#include "tests/support/random.h"

/* A golden stream as it is in this test: in one byte order, and read in one way. */
struct stream {
    const char *name;
    struct words words;
    struct feed_options options;
    struct feed_result whole;
};

static struct stream open_stream(size_t i, bool big, bool stable)
{
    struct stream s = {.name = goldens[i].name, .words = {.big = big}};

    goldens[i].put(&s.words);
    s.options.reader = golden_options(&goldens[i], big);
    s.options.reader.stable_input = stable;
    s.whole = feed(s.words.bytes, s.words.size, &s.options);
    CHECK(s.whole.fault == NULL, "%s, big-endian %d, whole: %s", s.name, big,
          s.whole.fault);
    CHECK(s.whole.n_records > 0, "%s: nothing is read", s.name);
    return s;
}

static void close_stream(struct stream *s)
{
    words_free(&s->words);
}

/* Both readings again, as text, to print in which line they differ. */
static const char *explain(struct stream *s, const struct feed_options *options)
{
    struct feed_options whole = s->options;
    struct feed_options cut = *options;
    struct show a = {0};
    struct show b = {0};

    whole.show = &a;
    cut.show = &b;
    feed(s->words.bytes, s->words.size, &whole);
    feed(s->words.bytes, s->words.size, &cut);
    return show_difference(show_take(&a), show_take(&b));
}

/* Reads the stream in some way and compares with the whole. */
static void check_same(struct stream *s, const struct feed_options *options,
                       const char *way, size_t at)
{
    struct feed_result result = feed(s->words.bytes, s->words.size, options);

    CHECK(result.fault == NULL, "%s, %s %zu: %s", s->name, way, at, result.fault);
    CHECK(result.hash == s->whole.hash, "%s, %s %zu: %s", s->name, way, at,
          explain(s, options));
    CHECK(result.code == s->whole.code, "%s, %s %zu: returns %s", s->name, way, at,
          fxt_code_name(result.code));
}

static void check_every_cut(struct stream *s, bool stop)
{
    struct feed_options options = s->options;

    options.stop = stop;
    options.n_cuts = 1;
    for (size_t cut = 0; cut <= s->words.size; cut++) {
        options.cuts = &cut;
        check_same(s, &options, stop ? "stopping, cut at" : "cut at", cut);
    }
}

static void check_byte_by_byte(struct stream *s, bool stop)
{
    size_t *cuts = (size_t *)malloc((s->words.size + 1) * sizeof(*cuts));
    struct feed_options options = s->options;

    for (size_t i = 0; i <= s->words.size; i++)
        cuts[i] = i;
    options.stop = stop;
    options.cuts = cuts;
    options.n_cuts = s->words.size + 1;
    check_same(s, &options, "byte by byte, stopping", stop);
    free(cuts);
}

enum { MANY_CUTS = 12 };

static void check_random_cuts(struct stream *s, uint64_t *random)
{
    size_t cuts[MANY_CUTS];
    struct feed_options options = s->options;

    options.cuts = cuts;
    options.n_cuts = 1 + random_next(random) % MANY_CUTS;
    for (size_t i = 0; i < options.n_cuts; i++) {
        size_t from = i > 0 ? cuts[i - 1] : 0;

        cuts[i] = from + random_next(random) % (s->words.size - from + 1) / 2;
    }
    options.stop = random_next(random) % 2;
    check_same(s, &options, "random cuts from", cuts[0]);
}

static void check_as_needed(struct stream *s)
{
    struct feed_options options = s->options;

    options.as_needed = true;
    check_same(s, &options, "as needed", 0);
    options.stop = true;
    check_same(s, &options, "as needed, stopping", 0);
}

#define FOR_EACH_STREAM_IN(s, big, stable)                                               \
    for (size_t i = 0; i < n_goldens; i++)                                               \
        for (struct stream s = open_stream(i, big, stable); s.name != NULL;              \
             close_stream(&s), s.name = NULL)

#define FOR_EACH_STREAM(s, stable)                                                       \
    for (int big = 0; big < 2; big++)                                                    \
    FOR_EACH_STREAM_IN(s, big, stable)

/* The next two are the long ones: one byte order each. */
TEST(chunks, a_cut_anywhere_changes_nothing)
{
    FOR_EACH_STREAM_IN(s, false, false)
    check_every_cut(&s, false);
}

TEST(chunks, stops_at_every_callback_and_a_cut_change_nothing)
{
    FOR_EACH_STREAM_IN(s, true, false)
    check_every_cut(&s, true);
}

TEST(chunks, feeding_byte_by_byte_changes_nothing)
{
    FOR_EACH_STREAM(s, false)
    {
        check_byte_by_byte(&s, false);
        check_byte_by_byte(&s, true);
    }
}

TEST(chunks, random_cuts_change_nothing)
{
    uint64_t random = 1;

    FOR_EACH_STREAM(s, false)
    {
        for (int n = 0; n < 200; n++)
            check_random_cuts(&s, &random);
    }
}

TEST(chunks, feeding_just_what_is_needed_moves_on_and_changes_nothing)
{
    FOR_EACH_STREAM(s, false)
    check_as_needed(&s);
}

TEST(chunks, a_reader_that_was_reset_gives_the_same)
{
    FOR_EACH_STREAM(s, false)
    {
        struct feed_options options = s.options;

        options.again = true;
        check_same(&s, &options, "again", 0);
        options.reader.max_kept_bytes = 9000;
        options.again = false;
        s.whole = feed(s.words.bytes, s.words.size, &options);
        options.again = true;
        check_same(&s, &options, "again, with little memory", 0);
    }
}

TEST(chunks, stable_input_gives_the_same)
{
    FOR_EACH_STREAM(s, true)
    {
        struct feed_options options = s.options;

        check_byte_by_byte(&s, true);
        options.reader.stable_input = false;
        check_same(&s, &options, "not stable", 0);
    }
}

TEST(chunks, not_reading_payloads_changes_nothing)
{
    FOR_EACH_STREAM(s, false)
    {
        struct feed_options options = s.options;

        options.reader.payloads_unused = true;
        check_same(&s, &options, "payloads unused", 0);
        check_byte_by_byte(&s, false);
    }
}

/* ---- truncation ---- */

enum { MANY_STEPS = 400 };

struct steps {
    struct feed_step all[MANY_STEPS];
    size_t n;
};

/* How a stream reads that ends after `size` bytes. */
static void read_prefix(const struct stream *s, size_t size, struct steps *steps)
{
    struct feed_options options = s->options;
    struct feed_result result;

    options.steps = steps->all;
    options.n_steps = MANY_STEPS;
    result = feed(s->words.bytes, size, &options);
    CHECK(result.fault == NULL, "%s up to %zu: %s", s->name, size, result.fault);
    steps->n = result.n_records + result.n_errors;
    CHECK(steps->n <= MANY_STEPS, "%s has too many records for this test", s->name);
}

/* How many steps two readings have in common. */
static size_t same_steps(const struct steps *a, const struct steps *b)
{
    size_t n = 0;

    while (n < a->n && n < b->n && a->all[n].hash == b->all[n].hash)
        n++;
    return n;
}

/* Without resync nothing that comes later can change what has been handed out. What a
 * prefix has beside that says that a record is cut off; or that zeros are there, or both
 * where the last zero word is itself cut off. */
static void check_prefixes(const struct stream *s)
{
    struct steps whole;
    struct steps prefix;

    read_prefix(s, s->words.size, &whole);
    for (size_t size = 0; size < s->words.size; size++) {
        size_t i;

        read_prefix(s, size, &prefix);
        i = same_steps(&whole, &prefix);
        if (i < prefix.n && prefix.all[i].code == FXT_E_ZERO_WORDS)
            i++;
        if (i < prefix.n)
            CHECK(prefix.all[i].code == FXT_E_TRUNCATED ||
                      prefix.all[i].code == FXT_E_DATA_AFTER_END,
                  "%s up to %zu: %s", s->name, size, fxt_code_name(prefix.all[i].code));
        CHECK(i + 1 >= prefix.n, "%s up to %zu: more than one report", s->name, size);
    }
}

TEST(chunks, a_prefix_gives_its_whole_records_and_one_report_about_the_rest)
{
    FOR_EACH_STREAM(s, false)
    {
        if (!s.options.reader.resync)
            check_prefixes(&s);
    }
}

TEST(chunks, a_prefix_is_accounted_for_with_resync_too)
{
    FOR_EACH_STREAM_IN(s, false, false)
    {
        struct steps steps;

        for (size_t size = 0; size < s.words.size; size++)
            read_prefix(&s, size, &steps);
    }
}
