/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings, with both sides in one thread. What happens while both run is in
 * test_ring_live.c. */
#include <fxt/emit_records.h>
#include <fxt/ring.h>

#include <string.h>

#include "drained.h"
#include "emitted.h"
#include "tests/support/random.h"

enum { CONTROL = FXT_RING_CONTROL_BYTES, MOST_RING_BYTES = 1 << 16 };

/* The smallest ring of words, for a sample of one PC. */
enum { ONE_PC = FXT_EMIT_SAMPLE_WORDS_ + 1 };

/* A ring of `n_words` in memory that ends at an inaccessible page. */
struct made_ring {
    unsigned char *memory;
    void *at;
    uint64_t size;
    struct fxt_emit emit;
    struct fxt_ring ring;
};

static void make_ring(struct made_ring *made, uint64_t n_words)
{
    made->size = CONTROL + n_words * 8;
    made->memory = (unsigned char *)map_before_guard(MOST_RING_BYTES);
    memset(made->memory, 0xff, MOST_RING_BYTES);
    made->at = made->memory + MOST_RING_BYTES - made->size;
    CHECK_TRUE(fxt_emit_init_ring(&made->emit, made->at, made->size, 3));
    CHECK_TRUE(fxt_ring_open(&made->ring, made->at, made->size));
}

static void free_ring(struct made_ring *made)
{
    unmap(made->memory, MOST_RING_BYTES);
}

static uint64_t drain(struct made_ring *made, struct drained *drained, uint64_t max_bytes)
{
    static unsigned char buffer[MOST_RING_BYTES];
    uint64_t n = fxt_ring_read(&made->ring, buffer, max_bytes);

    CHECK_TRUE(n <= max_bytes);
    drained_put(drained, buffer, n);
    return n;
}

/* ---- Starting ---------------------------------------------------------------------- */

TEST(ring, what_can_be_no_ring_is_refused_and_counts_what_it_drops)
{
    static _Alignas(128) unsigned char memory[1024];
    const struct {
        void *memory;
        uint64_t size;
    } impossible[] = {{NULL, 1024},          {memory + 4, 512}, {memory, 0},
                      {memory, 8},           {memory, CONTROL}, {memory, CONTROL + 8},
                      {memory, CONTROL + 15}};

    memset(memory, 0xff, sizeof(memory));
    for (size_t i = 0; i < sizeof(impossible) / sizeof(*impossible); i++) {
        struct fxt_emit emit;
        struct fxt_ring ring;
        const uint64_t unset = 0;
        const uint64_t *words = &unset;

        CHECK_TRUE(
            !fxt_emit_init_ring(&emit, impossible[i].memory, impossible[i].size, 1));
        CHECK_TRUE(!emit_numbered(&emit, 0));
        CHECK_EQ(emit.dropped_records, 1);
        CHECK_TRUE(!fxt_emit_drops(&emit));
        /* Nor is there one to be opened. */
        CHECK_TRUE(!fxt_ring_open(&ring, impossible[i].memory, impossible[i].size));
        CHECK_EQ(fxt_ring_peek(&ring, &words), 0);
        CHECK_TRUE(words == ring.words);
        CHECK_EQ(fxt_ring_read(&ring, memory, sizeof(memory)), 0);
        fxt_ring_consume(&ring, 5);
    }
    for (size_t i = 0; i < sizeof(memory); i++)
        CHECK_EQ(memory[i], 0xff);
}

TEST(ring, a_control_is_as_large_as_documented)
{
    CHECK_EQ(sizeof(struct fxt_ring_control), FXT_RING_CONTROL_BYTES);
}

TEST(ring, a_ring_is_empty_at_first)
{
    struct made_ring made;
    const uint64_t *words;

    make_ring(&made, 64);
    CHECK_EQ(fxt_ring_peek(&made.ring, &words), 0);
    CHECK_EQ(fxt_ring_read(&made.ring, made.memory, 100), 0);
    fxt_ring_consume(&made.ring, 10);
    CHECK_EQ(fxt_ring_peek(&made.ring, &words), 0);
    free_ring(&made);
}

/* ---- In and out -------------------------------------------------------------------- */

TEST(ring, what_is_shown_stays_until_it_is_consumed)
{
    struct made_ring made;
    const uint64_t *words;
    const uint64_t *again;
    uint64_t pcs[] = {1, 2, 3};

    make_ring(&made, 64);
    for (uint64_t i = 0; i < 3; i++)
        CHECK_TRUE(fxt_emit_sample(&made.emit, i, 1, 2, pcs, 3));
    CHECK_EQ(fxt_ring_peek(&made.ring, &words), 27);
    CHECK_EQ(fxt_ring_peek(&made.ring, &again), 27);
    CHECK_TRUE(words == again);
    CHECK_EQ(words[2], 0);
    fxt_ring_consume(&made.ring, 9);
    CHECK_EQ(fxt_ring_peek(&made.ring, &words), 18);
    CHECK_EQ(words[2], 1);
    /* More than there is is all there is. */
    fxt_ring_consume(&made.ring, UINT64_MAX);
    CHECK_EQ(fxt_ring_peek(&made.ring, &words), 0);
    free_ring(&made);
}

TEST(ring, a_buffer_that_is_too_small_for_a_record_gets_none_of_it)
{
    struct made_ring made;
    uint64_t buffer[20];
    uint64_t pcs[] = {1, 2, 3};

    make_ring(&made, 64);
    for (uint64_t i = 0; i < 3; i++)
        CHECK_TRUE(fxt_emit_sample(&made.emit, i, 1, 2, pcs, 3));
    CHECK_EQ(fxt_ring_read(&made.ring, buffer, 0), 0);
    CHECK_EQ(fxt_ring_read(&made.ring, buffer, 71), 0);
    CHECK_EQ(fxt_ring_read(&made.ring, buffer, 72), 72);
    CHECK_EQ(fxt_ring_read(&made.ring, buffer, 143), 72);
    CHECK_EQ(buffer[2], 1);
    CHECK_EQ(fxt_ring_read(&made.ring, (unsigned char *)buffer + 1, 73), 72);
    CHECK_EQ(made.ring.faults, 0);
    free_ring(&made);
}

TEST(ring, the_next_consumer_continues_where_the_last_one_stopped)
{
    struct made_ring made;
    struct drained drained;
    uint64_t n = 0;

    make_ring(&made, 500);
    drained_start(&drained, 3);
    for (int round = 0; round < 200; round++) {
        emit_numbered(&made.emit, n++);
        drain(&made, &drained, 600);
        CHECK_TRUE(fxt_ring_open(&made.ring, made.at, made.size));
    }
    while (drain(&made, &drained, MOST_RING_BYTES) > 0)
        continue;
    drained_finish(&drained, n, &made.emit);
    free_ring(&made);
}

/* Rings of every size and every rhythm: no number is lost without being said. */
TEST(ring, all_that_is_emitted_is_drained_or_said_to_be_dropped)
{
    uint64_t state = 1;

    for (uint64_t n_words = 2; n_words < 700; n_words += n_words < 200 ? 1 : 29) {
        struct made_ring made;
        struct drained drained;
        uint64_t n = 0;

        make_ring(&made, n_words);
        drained_start(&drained, 3);
        while (n < 300) {
            for (uint64_t i = random_next(&state) % 8; i > 0; i--)
                emit_numbered(&made.emit, n++);
            for (uint64_t i = random_next(&state) % 4; i > 0; i--)
                drain(&made, &drained, random_next(&state) % 4000);
        }
        while (drain(&made, &drained, MOST_RING_BYTES) > 0)
            continue;
        CHECK_EQ(made.ring.faults, 0);
        CHECK(n_words < 150 || drained.read.n_stacks > 100, "%llu of %llu words",
              (unsigned long long)drained.read.n_stacks, (unsigned long long)n_words);
        drained_finish(&drained, n, &made.emit);
        free_ring(&made);
    }
}

/* With the ring drained, a record that fits less than half of it is never dropped, and
 * one that fits at all goes in the second time, wherever the ring stands. */
TEST(ring, there_is_room_when_all_is_drained)
{
    enum { N_WORDS = 64 };
    uint64_t pcs[N_WORDS] = {0};

    for (uint64_t start = 0; start < N_WORDS - ONE_PC; start++) {
        for (uint64_t n = ONE_PC; n < N_WORDS; n++) {
            uint64_t buffer[N_WORDS];
            struct made_ring made;
            bool fits;

            make_ring(&made, N_WORDS);
            if (start >= ONE_PC)
                fxt_emit_sample(&made.emit, 1, 2, 3, pcs, start - ONE_PC + 1);
            fxt_ring_read(&made.ring, buffer, sizeof(buffer));
            fits = fxt_emit_sample(&made.emit, 1, 2, 3, pcs, n - ONE_PC + 1);
            if (n < N_WORDS / 2)
                CHECK(fits, "%llu words at %llu", (unsigned long long)n,
                      (unsigned long long)start);
            if (!fits) {
                /* What was dropped would take room, too. */
                made.emit.unreported_records = 0;
                CHECK_EQ(fxt_ring_read(&made.ring, buffer, sizeof(buffer)), 0);
                CHECK_TRUE(fxt_emit_sample(&made.emit, 1, 2, 3, pcs, n - ONE_PC + 1));
            }
            CHECK_EQ(fxt_ring_read(&made.ring, buffer, sizeof(buffer)), n * 8);
            free_ring(&made);
        }
    }
}

/* ---- Drops ------------------------------------------------------------------------- */

/* Fills a ring, and drops three samples at times 10, 9 and 12. */
static void make_drops(struct made_ring *made)
{
    const uint64_t pcs[] = {1, 2};

    make_ring(made, 64);
    while (fxt_emit_sample(&made->emit, 10, 1, 2, pcs, 2))
        continue;
    fxt_emit_sample(&made->emit, 9, 1, 2, pcs, 2);
    fxt_emit_sample(&made->emit, 12, 1, 2, pcs, 1);
    CHECK_EQ(made->emit.dropped_records, 3);
    CHECK_EQ(made->emit.dropped_bytes, (8 + 8 + 7) * 8);
}

/* What is in the ring, in front of the end of a region. */
static void check_ring(struct made_ring *made, const char *expected)
{
    struct emitted e = emitted_start();

    fxt_ring_read(&made->ring, e.region, EMITTED_BYTES - 8);
    emitted_check(&e, expected);
}

#define DROPS(first, last, n, bytes)                                                     \
    " type=4 kind=4 timestamp=" #first " thread=0/3 category='kernel:meta'"              \
    " name='drop_stats' id=0 end=" #last " scope=0 arg='num_records' " n                 \
    " arg='num_bytes' " bytes "\n"

TEST(ring, what_was_dropped_is_reported_before_the_next_record)
{
    struct made_ring made;
    uint64_t buffer[64];

    make_drops(&made);
    CHECK_EQ(fxt_ring_read(&made.ring, buffer, sizeof(buffer)), 56 * 8);
    CHECK_TRUE(fxt_emit_initialization(&made.emit, 5));
    CHECK_EQ(made.emit.unreported_records, 0);
    CHECK_EQ(made.emit.dropped_records, 3);
    check_ring(&made, DROPS(9, 12, "type=2 value=3",
                            "type=2 value=184") " type=1 kind=0 rate=5 has_base=0 "
                                                "base_ticks=0 base_wall_ns=0\n");
    /* Once. */
    CHECK_TRUE(fxt_emit_drops(&made.emit));
    check_ring(&made, "");
    free_ring(&made);
}

TEST(ring, what_was_dropped_can_be_reported_at_the_end)
{
    struct made_ring made;
    uint64_t buffer[64];

    make_drops(&made);
    CHECK_TRUE(!fxt_emit_drops(&made.emit));
    CHECK_EQ(made.emit.unreported_records, 3);
    fxt_ring_read(&made.ring, buffer, sizeof(buffer));
    CHECK_TRUE(fxt_emit_drops(&made.emit));
    check_ring(&made, DROPS(9, 12, "type=2 value=3", "type=2 value=184"));
    free_ring(&made);
}

static int take_sample(void *context, const struct fxt_record *record)
{
    fxt_sample_from_record(record, (struct fxt_sample *)context);
    return 0;
}

/* What the only record in the ring is. */
static struct fxt_sample sample_in(struct made_ring *made)
{
    struct fxt_sample sample = {.kind = FXT_SAMPLE_NONE};
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = take_sample,
        .context = &sample,
        .stream = FXT_STREAM_REGION,
        .byte_order = FXT_BYTE_ORDER_HOST,
    };
    struct fxt_chunk chunk = {0};
    struct fxt_reader *reader;
    const uint64_t *words = NULL;

    chunk.size = fxt_ring_peek(&made->ring, &words) * 8;
    chunk.data = words;
    CHECK_EQ(fxt_reader_create(&options, &reader), FXT_OK);
    CHECK_EQ(fxt_reader_finish(reader, &chunk), FXT_OK);
    fxt_reader_destroy(reader);
    return sample;
}

/* What does not fit 32 bits takes 64, and is known as drops, too. */
TEST(ring, more_than_32_bits_of_drops_are_reported_in_full)
{
    for (int wide = 0; wide < 4; wide++) {
        uint64_t n = wide & 1 ? UINT64_MAX - 1 : UINT32_MAX;
        uint64_t bytes = wide & 2 ? (uint64_t)UINT32_MAX + 1 : 17;
        struct fxt_sample sample;
        struct made_ring made;
        uint64_t buffer[64];

        make_drops(&made);
        made.emit.unreported_records = n;
        made.emit.unreported_bytes = bytes;
        fxt_ring_read(&made.ring, buffer, sizeof(buffer));
        CHECK_TRUE(fxt_emit_drops(&made.emit));
        sample = sample_in(&made);
        CHECK_EQ(sample.kind, FXT_SAMPLE_DROPS);
        CHECK_EQ(sample.dropped_records, n);
        CHECK_EQ(sample.dropped_bytes, bytes);
        CHECK_EQ(sample.cpu, 3);
        free_ring(&made);
    }
}

TEST(ring, nothing_is_reported_where_nothing_was_dropped)
{
    struct made_ring made;
    struct emitted e = emitted_start();

    make_ring(&made, 64);
    CHECK_TRUE(fxt_emit_drops(&made.emit));
    check_ring(&made, "");
    CHECK_TRUE(fxt_emit_drops(&e.emit));
    emitted_check(&e, "");
    free_ring(&made);
}

/* A full region reports nothing more. */
TEST(ring, a_region_does_not_say_what_it_dropped)
{
    uint64_t region[8];
    struct fxt_emit emit;

    fxt_emit_init(&emit, region, sizeof(region));
    CHECK_TRUE(!emit_numbered(&emit, 1));
    CHECK_TRUE(!fxt_emit_drops(&emit));
    CHECK_EQ(emit.unreported_records, 1);
    CHECK_EQ(region[0], 0);
}

/* ---- A peer that is not to be trusted ---------------------------------------------- */

/* The consumer's word says anything at all; what is outside of the ring stays as it is.
 */
TEST(ring, a_hostile_consumer_costs_the_rings_data_at_most)
{
    uint64_t state = 2;
    struct made_ring made;
    uint64_t n_emitted = 0;

    make_ring(&made, 300);
    for (uint64_t n = 0; n < 100000; n++) {
        uint64_t choice = random_next(&state);

        if (choice % 3 == 0)
            made.emit.control->tail =
                (uint32_t)(choice & 4 ? choice >> 32 : (choice >> 32) % 310);
        n_emitted += emit_numbered(&made.emit, n);
        CHECK_TRUE(made.emit.pos < 300);
    }
    CHECK_TRUE(n_emitted > 0);
    CHECK_TRUE(made.emit.faults > 0);
    for (unsigned char *byte = made.memory; byte != made.at; byte++)
        CHECK_EQ(*byte, 0xff);
    free_ring(&made);
}

/* The producer's words and the records say anything at all. */
TEST(ring, a_hostile_producer_costs_the_rings_data_at_most)
{
    static uint64_t buffer[400];
    uint64_t state = 3;
    struct made_ring made;
    uint64_t n_bytes = 0;

    make_ring(&made, 300);
    for (int i = 0; i < 300; i++)
        made.emit.words[i] = random_next(&state);
    for (uint64_t n = 0; n < 100000; n++) {
        uint64_t choice = random_next(&state);
        uint32_t place = (uint32_t)(choice & 4 ? choice >> 32 : (choice >> 32) % 310);

        if (choice % 3 == 0)
            made.emit.control->head = place;
        if (choice % 3 == 1)
            made.emit.control->end = place;
        n_bytes += fxt_ring_read(&made.ring, buffer, choice >> 8 & 0x7ff);
        CHECK_TRUE(made.ring.tail < 300);
    }
    CHECK_TRUE(n_bytes > 0);
    CHECK_TRUE(made.ring.faults > 0);
    CHECK_TRUE(made.ring.skipped_bytes > 0);
    free_ring(&made);
}

TEST(ring, a_ring_with_nonsense_in_its_control_is_not_opened)
{
    struct made_ring made;

    make_ring(&made, 300);
    made.emit.control->tail = 300;
    CHECK_TRUE(!fxt_ring_open(&made.ring, made.at, made.size));
    made.emit.control->tail = 299;
    CHECK_TRUE(fxt_ring_open(&made.ring, made.at, made.size));
    free_ring(&made);
}
