/* SPDX-License-Identifier: BSD-2-Clause */
/* What passes for a header in the search after damage: all that writers write, and not
 * much else. */
#include "tests/support/harness.h"

#include "tests/support/golden.h"
#include "tests/support/pieces.h"
#include "libfxt/reader/plausible.h"
#include "tests/support/random.h"
#include "tests/support/worked.h"

#define ANY_SIZE UINT64_MAX

TEST(plausible, the_headers_of_the_worked_examples_are)
{
    for (size_t i = 0; i < N_WORKED; i++)
        CHECK(plausible_header(worked_examples[i].words[0], ANY_SIZE), "%s",
              worked_examples[i].name);
}

TEST(plausible, a_record_beyond_the_limit_is_not)
{
    uint64_t sample = 15 | AT(4, 70);

    CHECK(plausible_header(sample, 70) && !plausible_header(sample, 69), "");
}

static const struct {
    const char *name;
    uint64_t header;
    /* The fewest and the most words that are plausible. */
    uint64_t min;
    uint64_t max;
} rows[] = {
    {"provider info", AT(16, 1) | AT(52, 255), 33, 33},
    {"provider section", AT(16, 2) | AT(20, 0xffffffff), 1, 1},
    {"provider event", AT(16, 3), 1, 1},
    {"initialization", 1, 2, 4},
    {"string", 2 | AT(16, 0x7fff) | AT(32, 9), 3, 3},
    {"thread", 3 | AT(16, 255), 3, 3},
    {"instant, all inline", 4 | AT(32, IN_LINE(1)) | AT(48, IN_LINE(9)), 7, 15},
    {"instant, all indexed", 4 | AT(24, 1) | AT(32, 1) | AT(48, 1), 2, 10},
    {"counter", 4 | AT(16, 1) | AT(24, 1) | AT(32, 1), 3, 11},
    {"duration end", 4 | AT(16, 3) | AT(24, 1) | AT(48, 1), 2, 10},
    {"complete duration", 4 | AT(16, 4) | AT(24, 1) | AT(48, 1), 3, 11},
    {"flow end with arguments", 4 | AT(16, 10) | AT(20, 15) | AT(24, 1) | AT(48, 1), 18,
     4095},
    {"blob", 5 | AT(16, IN_LINE(3)) | AT(32, 8) | AT(48, 1), 3, 11},
    {"userspace object", 6 | AT(24, 1), 3, 11},
    {"userspace object, indexed", 6 | AT(16, 1) | AT(40, 2), 4, 256},
    {"kernel object", 7 | AT(24, IN_LINE(8)), 3, 11},
    {"kernel object with an argument", 7 | AT(24, IN_LINE(8)) | AT(40, 1), 4, 4095},
    {"legacy switch", 8, 6, 14},
    {"legacy switch, indexed", 8 | AT(28, 1) | AT(36, 1) | AT(44, 0xffff), 2, 10},
    {"context switch", 8 | AT(60, 1), 4, 12},
    {"wakeup with an argument", 8 | AT(60, 2) | AT(16, 1), 4, 4095},
    {"log", 9 | AT(16, 17), 7, 15},
    {"module, one koid", 10 | AT(44, 1) | AT(52, 20), 7, 15},
    {"mapping, one koid", 10 | AT(16, 1), 6, 14},
    {"mapping, indexed", 10 | AT(16, 1) | AT(20, 1), 5, 13},
    {"backtrace", 10 | AT(16, 2) | AT(28, 255), 259, 267},
    {"large blob with metadata", 15, 4, 0xffffffff},
    {"large blob without", 15 | AT(40, 1), 3, 0xffffffff},
};

static void check_size(size_t i, uint64_t n_words, bool expected)
{
    CHECK(plausible_header(rows[i].header | AT(4, n_words), ANY_SIZE) == expected,
          "%s of %llu words", rows[i].name, (unsigned long long)n_words);
}

TEST(plausible, sizes_are_between_what_a_record_must_have_and_a_little_more)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t most = rows[i].header % 16 == 15 ? 0xffffffff : 4095;

        check_size(i, 0, false);
        check_size(i, rows[i].min - 1, false);
        check_size(i, rows[i].min, true);
        check_size(i, rows[i].max, true);
        if (rows[i].max < most)
            check_size(i, rows[i].max + 1, false);
    }
}

TEST(plausible, what_writers_do_not_write_is_not)
{
    static const uint64_t headers[] = {
        /* Unknown types and kinds. */
        0x1b,
        0x1e,
        0x10,
        0x10 | AT(16, 5),
        0x10 | AT(16, 4),
        MAGIC | AT(63, 1),
        0x44 | AT(16, 11) | AT(48, 1),
        0x48 | AT(60, 3),
        0x4a | AT(16, 3),
        0x4f | AT(36, 1),
        0x4f | AT(40, 2),
        /* Index 0, no text, no name, no type. */
        0x22 | AT(32, 1),
        0x12 | AT(16, 1),
        0x33,
        0x44,
        0x15,
        /* Bits that are unused. */
        0x10 | AT(16, 1) | AT(60, 1),
        0x10 | AT(16, 2) | AT(52, 1),
        0x10 | AT(16, 3) | AT(52, 1),
        0x21 | AT(16, 1),
        0x22 | AT(16, 1) | AT(32, 1) | AT(31, 1),
        0x22 | AT(16, 1) | AT(32, 1) | AT(47, 1),
        0x33 | AT(16, 1) | AT(24, 1),
        0x15 | AT(48, 1) | AT(47, 1),
        0x15 | AT(48, 1) | AT(56, 1),
        0x36 | AT(44, 1),
        0x27 | AT(63, 1),
        0x48 | AT(60, 1) | AT(40, 1),
        0x38 | AT(60, 2) | AT(36, 1),
        0x49 | AT(31, 1),
        0x49 | AT(40, 1),
        0x4a | AT(60, 1),
        0x7a | AT(16, 1) | AT(47, 1),
        0x4a | AT(16, 2) | AT(36, 1),
        0x4f | AT(44, 1),
    };

    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        CHECK(!plausible_header(headers[i], ANY_SIZE), "%llx",
              (unsigned long long)headers[i]);
}

/* The weakest are events with arguments, all of whose bits are in use, and large blobs,
 * which have nothing but a size. */
TEST(plausible, few_random_words_and_few_small_numbers_are)
{
    enum { TRIES = 1000000 };
    uint64_t random = 8;
    int n_random = 0;
    int n_small = 0;

    for (uint64_t i = 0; i < TRIES; i++) {
        n_random += plausible_header(random_next(&random), ANY_SIZE);
        n_small += i % 16 != 15 && plausible_header(i, ANY_SIZE);
    }
    CHECK(n_random < TRIES / 33, "%d of the random", n_random);
    CHECK(n_small < TRIES / 500, "%d of the small", n_small);
}

TEST(plausible, headers_of_arguments_are_distinguished_from_records)
{
    static const uint64_t args[] = {
        0x10,
        0x20 | AT(16, IN_LINE(1)),
        0x27,
        0x27 | AT(16, 5),
        0x47 | AT(16, IN_LINE(9)),
        0x28 | AT(16, 5),
        0x16 | AT(16, 5) | AT(32, 6),
        0x36 | AT(16, IN_LINE(8)) | AT(32, IN_LINE(8)),
    };
    static const uint64_t records[] = {
        0x20 | AT(16, 1) | AT(20, 0x800) | AT(52, 1),
        0x37,
        0x27 | AT(24, 0x100),
        0x47 | AT(24, IN_LINE(9)),
        0x28 | AT(44, 1),
        0x33 | AT(16, 5),
    };

    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
        CHECK(plausible_arg_header(args[i]), "%llx", (unsigned long long)args[i]);
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
        CHECK(!plausible_arg_header(records[i]), "%llx", (unsigned long long)records[i]);
}
