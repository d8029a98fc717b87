/* SPDX-License-Identifier: BSD-2-Clause */
/* The emitter: what it stores and what it refuses. */
#include <fxt/emit.h>

#include <stdlib.h>
#include <string.h>

#include "numbered.h"
#include "tests/support/region.h"

/* ---- What is stored ---------------------------------------------------------------- */

static const uint64_t example_pcs[] = {0x43dc387f8e10, 0x2b069ffa16c, 0x2b069ffb000};

enum { EXAMPLE_WORDS = 9 };

static bool emit_example(struct fxt_emit *emit)
{
    return fxt_emit_sample(emit, 123456789, 1045, 2077, example_pcs, 3);
}

TEST(emit, a_sample_has_the_bytes_that_were_worked_out_by_hand)
{
    static const uint64_t expected[] = {
        0x000000000000009f, 0x0000000000000000, 0x00000000075bcd15, 0x0000000000000415,
        0x000000000000081d, 0x0000000000000018, 0x000043dc387f8e10, 0x000002b069ffa16c,
        0x000002b069ffb000, 0x0000000000000000,
    };
    uint64_t region[16] = {0};
    struct fxt_emit emit;

    CHECK_TRUE(fxt_emit_init(&emit, region, sizeof(region)));
    CHECK_TRUE(emit_example(&emit));
    CHECK_BYTES(region, expected, sizeof(expected));
    CHECK_EQ(emit.pos, EXAMPLE_WORDS);
    CHECK_TRUE(!emit.full);
    CHECK_EQ(emit.dropped_records, 0);
}

TEST(emit, a_stack_that_says_how_it_ended_has_the_bytes_that_were_worked_out_by_hand)
{
    static const uint64_t expected[] = {
        0x00000000000000bf, 0x0000000100000000, 0x00000000075bcd15, 0x0000000000000415,
        0x000000000000081d, 0x0000000280030022, 0x0000000000646e65, 0x0000000000000018,
        0x000043dc387f8e10, 0x000002b069ffa16c, 0x000002b069ffb000, 0x0000000000000000,
    };
    uint64_t region[16] = {0};
    struct fxt_emit emit;

    CHECK_TRUE(fxt_emit_init(&emit, region, sizeof(region)));
    CHECK_TRUE(fxt_emit_stack(&emit, 123456789, 1045, 2077, example_pcs, 3,
                              FXT_STACK_END_DEPTH));
    if (!FXT_HOST_IS_BIG_ENDIAN)
        CHECK_BYTES(region, expected, sizeof(expected));
    CHECK(memcmp(&region[6], "end\0\0\0\0", 8) == 0, "the name is not \"end\"");
    CHECK_EQ(emit.pos, EXAMPLE_WORDS + 2);
}

TEST(emit, a_stack_of_an_event_has_the_bytes_that_were_worked_out_by_hand)
{
    static const uint64_t expected[] = {
        0x000000000000010f, 0x0000000300000000, 0x00000000075bcd15, 0x0000000000000415,
        0x000000000000081d, 0x0000000280030022, 0x0000000000646e65, 0x0000000780050022,
        0x000000746e657665, 0x0000000080060034, 0x0000746867696577, 0x00000000000003e8,
        0x0000000000000018, 0x000043dc387f8e10, 0x000002b069ffa16c, 0x000002b069ffb000,
        0x0000000000000000,
    };
    uint64_t region[20] = {0};
    struct fxt_emit emit;

    CHECK_TRUE(fxt_emit_init(&emit, region, sizeof(region)));
    CHECK_TRUE(fxt_emit_event_stack(&emit, 123456789, 1045, 2077, example_pcs, 3,
                                    FXT_STACK_END_DEPTH, 7, 1000));
    if (!FXT_HOST_IS_BIG_ENDIAN)
        CHECK_BYTES(region, expected, sizeof(expected));
    CHECK(memcmp(&region[8], "event\0\0", 8) == 0, "the name is not \"event\"");
    CHECK(memcmp(&region[10], "weight\0", 8) == 0, "the name is not \"weight\"");
    CHECK_TRUE(!fxt_emit_event_stack(&emit, 1, 2, 3, example_pcs, 0, FXT_STACK_END_DEPTH,
                                     7, 1000));
    CHECK_EQ(emit.invalid_records, 1);
}

TEST(emit, the_words_are_in_this_machines_byte_order)
{
    uint64_t region[16] = {0};
    struct fxt_emit emit;

    fxt_emit_init(&emit, region, sizeof(region));
    emit_example(&emit);
    CHECK_EQ(((unsigned char *)region)[FXT_HOST_IS_BIG_ENDIAN ? 7 : 0], 0x9f);
}

TEST(emit, stacks_of_every_depth_read_back)
{
    enum { N_PCS = 5000, REGION_BYTES = 1 << 20 };
    uint64_t *pcs = calloc(N_PCS, sizeof(*pcs));
    uint64_t *region = map_before_guard(REGION_BYTES);
    struct fxt_emit emit;

    for (uint64_t i = 0; i < N_PCS; i++)
        pcs[i] = mix(i);
    /* 4089 is the last whose size fits the 12 bits of other records. */
    for (uint64_t n = 1; n <= N_PCS; n += n < 70 ? 1 : n == 4089 ? 1 : 67) {
        struct region_reader read;

        fxt_emit_init(&emit, region, REGION_BYTES);
        CHECK_TRUE(fxt_emit_sample(&emit, UINT64_MAX, n, UINT64_MAX, pcs, n));
        CHECK_EQ(region[FXT_EMIT_SAMPLE_WORDS_ + n], 0);
        CHECK_BYTES(region + FXT_EMIT_SAMPLE_WORDS_, pcs, n * sizeof(*pcs));
        read = region_read(region, (FXT_EMIT_SAMPLE_WORDS_ + n + 1) * 8, NULL, NULL);
        CHECK_EQ(read.n_stacks, 1);
        CHECK_EQ(read.n_reports, 0);
    }
    unmap(region, REGION_BYTES);
    free(pcs);
}

TEST(emit, a_filled_region_reads_back_without_a_report)
{
    enum { REGION_BYTES = 1 << 20 };
    uint64_t *region = map_before_guard(REGION_BYTES);
    struct fxt_emit emit;
    struct region_reader read;
    uint64_t first = 0;
    uint64_t n = 0;

    fxt_emit_init(&emit, region, REGION_BYTES);
    while (emit_numbered(&emit, n))
        n++;
    CHECK_TRUE(n > REGION_BYTES / 8 / MOST_WORDS);
    CHECK_TRUE(emit.pos + MOST_WORDS > emit.n_words - 1);
    read = region_read(region, REGION_BYTES, check_numbered, &first);
    CHECK_EQ(read.n_stacks, n);
    CHECK_EQ(read.n_other_records, 0);
    CHECK_EQ(read.n_reports, 0);
    unmap(region, REGION_BYTES);
}

/* ---- Room -------------------------------------------------------------------------- */

TEST(emit, an_exact_fit_leaves_the_last_word_zero)
{
    uint64_t region[EXAMPLE_WORDS + 1];
    struct fxt_emit emit;
    struct region_reader read;

    memset(region, 0xff, sizeof(region));
    fxt_emit_init(&emit, region, sizeof(region));
    CHECK_TRUE(emit_example(&emit));
    CHECK_EQ(region[EXAMPLE_WORDS], 0);
    CHECK_TRUE(!emit.full);
    read = region_read(region, sizeof(region), NULL, NULL);
    CHECK_EQ(read.n_stacks, 1);
    CHECK_EQ(read.n_reports, 0);
}

TEST(emit, a_record_that_would_take_the_last_word_is_dropped_whole)
{
    uint64_t region[EXAMPLE_WORDS];
    struct fxt_emit emit;

    memset(region, 0xff, sizeof(region));
    fxt_emit_init(&emit, region, sizeof(region));
    CHECK_TRUE(!emit_example(&emit));
    CHECK_TRUE(emit.full);
    CHECK_EQ(emit.dropped_records, 1);
    CHECK_EQ(emit.dropped_bytes, EXAMPLE_WORDS * 8);
    CHECK_EQ(region[0], 0);
    for (size_t i = 1; i < EXAMPLE_WORDS; i++)
        CHECK_EQ(region[i], UINT64_MAX);
}

TEST(emit, a_region_that_refused_a_record_takes_no_smaller_one)
{
    uint64_t region[30] = {0};
    uint64_t pcs[20] = {1};
    struct fxt_emit emit;
    struct region_reader read;

    fxt_emit_init(&emit, region, sizeof(region));
    CHECK_TRUE(fxt_emit_sample(&emit, 1, 2, 3, pcs, 10));
    CHECK_TRUE(!fxt_emit_sample(&emit, 2, 2, 3, pcs, 20));
    CHECK_TRUE(!fxt_emit_sample(&emit, 3, 2, 3, pcs, 1));
    CHECK_EQ(emit.pos, 16);
    CHECK_EQ(emit.dropped_records, 2);
    CHECK_EQ(emit.dropped_bytes, (26 + 7) * 8);
    read = region_read(region, sizeof(region), NULL, NULL);
    CHECK_EQ(read.n_stacks, 1);
    CHECK_EQ(read.n_reports, 0);
}

TEST(emit, bytes_after_the_last_whole_word_are_not_touched)
{
    _Alignas(8) unsigned char region[256];

    for (size_t size = 8; size <= 200; size++) {
        struct fxt_emit emit;
        struct region_reader read;
        size_t whole = size / 8 * 8;
        uint64_t last;

        memset(region, 0xa5, sizeof(region));
        CHECK_TRUE(fxt_emit_init(&emit, region, size));
        CHECK_EQ(emit.n_words, size / 8);
        while (fxt_emit_sample(&emit, 1, 2, 3, example_pcs, 1 + emit.pos % 3))
            continue;
        for (size_t i = whole; i < sizeof(region); i++)
            CHECK(region[i] == 0xa5, "size %zu, byte %zu", size, i);
        memcpy(&last, region + emit.pos * 8, 8);
        CHECK_EQ(last, 0);
        read = region_read(region, emit.pos * 8 + 8, NULL, NULL);
        CHECK_EQ(read.n_reports, 0);
        CHECK_TRUE(read.n_stacks <= size / 56);
        CHECK_EQ(read.n_stacks == 0, size < 64);
    }
}

static void check_takes_nothing(void *region, uint64_t size)
{
    struct fxt_emit emit;

    CHECK_TRUE(!fxt_emit_init(&emit, region, size));
    CHECK_TRUE(emit.full);
    CHECK_TRUE(!emit_example(&emit));
    CHECK_TRUE(!emit_example(&emit));
    CHECK_EQ(emit.pos, 0);
    CHECK_EQ(emit.dropped_records, 2);
    CHECK_EQ(emit.dropped_bytes, 2 * EXAMPLE_WORDS * 8);
}

TEST(emit, no_region_at_all_counts_what_it_drops)
{
    check_takes_nothing(NULL, 4096);
    check_takes_nothing(NULL, 0);
}

TEST(emit, a_region_that_is_unusable_is_not_written)
{
    uint64_t region[32];

    memset(region, 0xa5, sizeof(region));
    for (uint64_t size = 0; size < 8; size++)
        check_takes_nothing(region, size);
    for (size_t offset = 1; offset < 8; offset++)
        check_takes_nothing((unsigned char *)region + offset, 31 * 8);
    for (size_t i = 0; i < 32; i++)
        CHECK_EQ(region[i], 0xa5a5a5a5a5a5a5a5);
}

TEST(emit, an_impossible_number_of_pcs_is_refused_and_the_region_continues)
{
    static const uint64_t impossible[] = {0,
                                          (uint64_t)FXT_EMIT_PCS_MAX + 1,
                                          (uint64_t)1 << 32,
                                          ((uint64_t)1 << 32) + 3,
                                          UINT64_MAX - 5,
                                          UINT64_MAX};
    enum { N_IMPOSSIBLE = sizeof(impossible) / sizeof(*impossible) };
    uint64_t region[16] = {0};
    struct fxt_emit emit;

    fxt_emit_init(&emit, region, sizeof(region));
    for (size_t i = 0; i < N_IMPOSSIBLE; i++)
        CHECK_TRUE(!fxt_emit_sample(&emit, 1, 2, 3, example_pcs, impossible[i]));
    CHECK_EQ(emit.invalid_records, N_IMPOSSIBLE);
    CHECK_EQ(emit.dropped_records, 0);
    CHECK_EQ(region[0], 0);
    CHECK_TRUE(!emit.full);
    CHECK_TRUE(emit_example(&emit));
}

TEST(emit, the_largest_possible_number_of_pcs_is_dropped_not_masked)
{
    volatile uint64_t n_pcs = FXT_EMIT_PCS_MAX;
    uint64_t region[16] = {0};
    struct fxt_emit emit;

    fxt_emit_init(&emit, region, sizeof(region));
    CHECK_TRUE(!fxt_emit_sample(&emit, 1, 2, 3, example_pcs, n_pcs));
    CHECK_EQ(emit.dropped_records, 1);
    CHECK_EQ(emit.dropped_bytes, (uint64_t)FXT_LARGE_WORDS_MAX * 8);
}

TEST(emit, memory_need_not_be_zeroed)
{
    enum { REGION_BYTES = 1 << 16 };
    uint64_t *region = map_before_guard(REGION_BYTES);
    uint64_t first = 0;
    struct fxt_emit emit;
    struct region_reader read;

    memset(region, 0xff, REGION_BYTES);
    fxt_emit_init(&emit, region, REGION_BYTES);
    for (uint64_t n = 0; n < 100; n++) {
        read = region_read(region, emit.pos * 8 + 8, check_numbered, &first);
        CHECK_EQ(read.n_stacks, n);
        CHECK_EQ(read.n_reports, 0);
        CHECK_TRUE(emit_numbered(&emit, n));
    }
    /* The whole region has old data after its end, and the reader says so. */
    read = region_read(region, REGION_BYTES, check_numbered, &first);
    CHECK_EQ(read.n_stacks, 100);
    CHECK_EQ(read.n_reports, 1);
    CHECK_EQ(read.last_report, FXT_E_DATA_AFTER_END);
    unmap(region, REGION_BYTES);
}

TEST(emit, a_store_in_halves_stores_both)
{
    uint64_t words[3] = {1, 2, 3};

    fxt_store_halves_(&words[1], 0x0123456789abcdef);
    CHECK_EQ(words[0], 1);
    CHECK_EQ(words[1], 0x0123456789abcdef);
    CHECK_EQ(words[2], 3);
}
