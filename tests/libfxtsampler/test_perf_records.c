/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in rings and in the backlog: their order, their ends, and what is full. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"
#include "libfxtsampler/perf/perf_backlog.h"
#include "libfxtsampler/perf/perf_merge.h"
#include "libfxtsampler/perf/perf_sample.h"

/* ---- Rings made by hand ------------------------------------------------------------ */

enum { N_RINGS = 3, RING_BYTES = 4096 };

static struct perf_event_mmap_page pages[N_RINGS];
static _Alignas(8) unsigned char data[N_RINGS][RING_BYTES];
static unsigned char scratch[N_RINGS][PERF_RECORD_BYTES_MAX];
static struct perf_ring rings[N_RINGS];
static uint64_t next_times[N_RINGS];

/* The CPUs' rings, empty, their next record at an offset. */
static void make_rings(uint64_t offset)
{
    for (unsigned i = 0; i < N_RINGS; i++) {
        memset(&pages[i], 0, sizeof(pages[i]));
        pages[i].data_head = pages[i].data_tail = offset;
        rings[i] = (struct perf_ring){
            .page = &pages[i],
            .data = data[i],
            .size = RING_BYTES,
            .scratch = scratch[i],
        };
    }
}

static void put_word(unsigned cpu, uint64_t word)
{
    memcpy(data[cpu] + pages[cpu].data_head % RING_BYTES, &word, sizeof(word));
    pages[cpu].data_head += sizeof(word);
}

/* A record of an event, whose time comes last but for an id. */
static void put_record(unsigned cpu, uint64_t time, unsigned n_words)
{
    struct perf_event_header header = {.type = PERF_RECORD_COMM,
                                       .size = (uint16_t)((n_words + 3) * 8)};
    uint64_t word;

    memcpy(&word, &header, sizeof(word));
    put_word(cpu, word);
    for (unsigned i = 0; i < n_words; i++)
        put_word(cpu, time * 1000 + i);
    put_word(cpu, time);
    put_word(cpu, 1);
}

/* ---- What is taken ----------------------------------------------------------------- */

struct taken {
    char text[512];
    /* So many are taken, and then no more. */
    unsigned room;
    /* Drop this record here, and put another one into the first ring. */
    uint64_t out_at;
};

static uint64_t time_of(const struct perf_event_header *record)
{
    uint64_t time;

    memcpy(&time, (const unsigned char *)record + record->size - 16, sizeof(time));
    return time;
}

static enum perf_taken take(void *context, uint32_t cpu,
                            const struct perf_event_header *record)
{
    struct taken *taken = context;
    uint64_t time = time_of(record);
    uint64_t word;
    size_t used = strlen(taken->text);

    if (taken->room-- == 0)
        return PERF_LEFT;
    snprintf(taken->text + used, sizeof(taken->text) - used, " %u:%u", (unsigned)cpu,
             (unsigned)time);
    for (unsigned i = 0; i + 3 < record->size / 8u; i++) {
        memcpy(&word, (const unsigned char *)record + 8 * (i + 1), sizeof(word));
        CHECK(word == time * 1000 + i, "word %u of the record of %u", i, (unsigned)time);
    }
    if (taken->out_at != time)
        return PERF_TAKEN;
    perf_ring_drop(&rings[cpu], record);
    put_record(0, time + 1, 0);
    return PERF_TAKEN_OUT;
}

static void check_merged(struct taken taken, uint64_t before, const char *expected)
{
    perf_merge(rings, next_times, N_RINGS, before, take, &taken);
    CHECK(strcmp(taken.text, expected) == 0, "%s, not %s", taken.text, expected);
}

static const struct taken any = {.room = 1000};

/* ---- Merging ----------------------------------------------------------------------- */

TEST(merge, records_of_all_rings_come_in_the_order_of_time)
{
    make_rings(0);
    put_record(0, 10, 1);
    put_record(0, 40, 0);
    put_record(1, 20, 5);
    put_record(1, 30, 2);
    put_record(2, 5, 0);
    check_merged(any, UINT64_MAX, " 2:5 0:10 1:20 1:30 0:40");
    check_merged(any, UINT64_MAX, "");
}

TEST(merge, records_of_the_same_time_come_in_the_order_of_cpus)
{
    make_rings(0);
    put_record(2, 10, 0);
    put_record(1, 10, 0);
    check_merged(any, UINT64_MAX, " 1:10 2:10");
}

TEST(merge, what_was_made_at_the_time_or_later_stays)
{
    make_rings(0);
    put_record(0, 10, 0);
    put_record(1, 20, 0);
    check_merged(any, 20, " 0:10");
    CHECK(pages[1].data_tail == 0, "it was dropped");
    check_merged(any, 21, " 1:20");
}

/* An interrupt may come between a record's time and its place in the ring. */
TEST(merge, records_out_of_order_in_a_ring_are_all_taken)
{
    make_rings(0);
    put_record(0, 30, 0);
    put_record(0, 10, 0);
    put_record(1, 20, 0);
    check_merged(any, UINT64_MAX, " 1:20 0:30 0:10");
}

TEST(merge, an_old_record_after_one_that_stays_stays_too)
{
    make_rings(0);
    put_record(0, 30, 0);
    put_record(0, 10, 0);
    check_merged(any, 20, "");
    check_merged(any, 31, " 0:30 0:10");
}

TEST(merge, nothing_is_dropped_where_there_is_no_room)
{
    make_rings(0);
    put_record(0, 10, 0);
    put_record(1, 20, 0);
    put_record(0, 30, 0);
    check_merged((struct taken){.room = 1}, UINT64_MAX, " 0:10");
    check_merged(any, UINT64_MAX, " 1:20 0:30");
}

TEST(merge, what_is_written_while_one_is_taken_out_comes_in_its_place)
{
    make_rings(0);
    put_record(1, 20, 0);
    put_record(1, 30, 0);
    check_merged((struct taken){.room = 1000, .out_at = 20}, UINT64_MAX,
                 " 1:20 0:21 1:30");
}

TEST(merge, a_record_goes_around_the_end_of_a_ring)
{
    for (unsigned at = RING_BYTES - 64; at <= RING_BYTES; at += 8) {
        make_rings(at);
        put_record(0, 10, 4);
        put_record(0, 20, 6);
        check_merged(any, UINT64_MAX, " 0:10 0:20");
        CHECK(pages[0].data_tail == pages[0].data_head, "%u are left",
              (unsigned)(pages[0].data_head - pages[0].data_tail));
    }
}

TEST(merge, a_full_ring_is_read_to_its_end)
{
    struct taken taken = any;

    make_rings(8);
    for (unsigned i = 0; i < RING_BYTES / 64; i++)
        put_record(0, 1 + i % 3, 5);
    perf_merge(rings, next_times, N_RINGS, UINT64_MAX, take, &taken);
    CHECK(1000 - taken.room == RING_BYTES / 64, "%u", 1000 - taken.room);
}

TEST(merge, an_inconsistent_record_ends_a_ring)
{
    static const uint16_t sizes[] = {0, 4, 12, 64};

    for (unsigned i = 0; i < 4; i++) {
        struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = sizes[i]};
        uint64_t word;

        make_rings(0);
        memcpy(&word, &header, sizeof(word));
        put_word(0, word);
        put_word(0, 1);
        put_record(1, 20, 0);
        check_merged(any, UINT64_MAX, " 1:20");
    }
}

TEST(merge, a_cpu_without_a_ring_is_passed_over)
{
    make_rings(0);
    put_record(2, 10, 0);
    rings[0] = rings[1] = (struct perf_ring){0};
    check_merged(any, UINT64_MAX, " 2:10");
}

/* ---- The backlog ------------------------------------------------------------------- */

static const struct perf_gap no_gap = {0, 0};
static _Alignas(8) unsigned char made[PERF_RECORD_BYTES_MAX];
static _Alignas(8) unsigned char back[PERF_RECORD_BYTES_MAX];

static const struct perf_event_header *make(uint64_t number, size_t size)
{
    struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = (uint16_t)size};

    memset(made, (int)(number % 251), size);
    memcpy(made, &header, sizeof(header));
    memcpy(made + 8, &number, sizeof(number));
    return (const struct perf_event_header *)(const void *)made;
}

static void check_taken(struct perf_backlog *backlog, uint64_t number, size_t size)
{
    uint32_t cpu = UINT32_MAX;

    CHECK(perf_backlog_take(backlog, &cpu, back), "%u is missing", (unsigned)number);
    CHECK(cpu == number % 7, "the CPU of %u is %u", (unsigned)number, (unsigned)cpu);
    make(number, size);
    CHECK(memcmp(back, made, size) == 0, "%u is another", (unsigned)number);
}

static void check_empty(struct perf_backlog *backlog)
{
    uint32_t cpu;

    CHECK(backlog->n == 0, "%zu are left", backlog->n);
    CHECK(!perf_backlog_take(backlog, &cpu, back), "there is one more");
    CHECK(backlog->bytes == NULL && backlog->capacity == 0, "it keeps its memory");
}

static size_t size_of(uint64_t number)
{
    return 16 + number * 136 % 65504 / 8 * 8;
}

TEST(backlog, records_come_out_as_they_went_in)
{
    struct perf_backlog backlog = {0};

    for (uint64_t i = 0; i < 5000; i++)
        CHECK(perf_backlog_add(&backlog, i % 7, make(i, size_of(i)), no_gap), "no room");
    for (uint64_t i = 0; i < 5000; i++)
        check_taken(&backlog, i, size_of(i));
    check_empty(&backlog);
}

/* While records are processed, more are put off. */
TEST(backlog, what_was_taken_makes_room)
{
    struct perf_backlog backlog = {0};
    uint64_t first = 0;

    for (uint64_t i = 0; i < 20000; i++) {
        CHECK(perf_backlog_add(&backlog, i % 7, make(i, size_of(i)), no_gap), "no room");
        if (i >= 30) {
            check_taken(&backlog, first, size_of(first));
            first++;
        }
    }
    CHECK(backlog.capacity <= 1 << 24, "%zu bytes for 30 records", backlog.capacity);
    for (; first < 20000; first++)
        check_taken(&backlog, first, size_of(first));
    check_empty(&backlog);
}

TEST(backlog, a_full_one_takes_no_more_until_there_is_room)
{
    struct perf_backlog backlog = {0};
    const size_t size = 65528;
    uint64_t n = 0;

    while (perf_backlog_add(&backlog, n % 7, make(n, size), no_gap))
        n++;
    CHECK(n == (1 << 28) / (size + 8), "%u records", (unsigned)n);
    CHECK(!perf_backlog_add(&backlog, 0, make(n, size), no_gap), "one more");
    for (uint64_t i = 0; i < n; i++)
        check_taken(&backlog, i, size);
    check_empty(&backlog);
    CHECK(perf_backlog_add(&backlog, 0, make(0, size), no_gap), "still full");
    perf_backlog_free(&backlog);
}

/* ---- Copies of stacks -------------------------------------------------------------- */

enum { STACK_BYTES = 1024, N_KERNEL = 2 };

static const struct perf_event_attr attr = {
    .sample_type = PERF_SAMPLE_FIELDS | PERF_SAMPLE_STACK_FIELDS,
    .sample_regs_user = 7,
    .sample_stack_user = STACK_BYTES,
};

/* A sample with two PCs of the kernel, three registers, and so much of a stack. */
static const struct perf_event_header *make_sample(uint64_t stack_size, uint64_t used)
{
    uint64_t head[] = {0,
                       0x11,
                       0x2200000021,
                       77,
                       5,
                       N_KERNEL + 1,
                       (uint64_t)PERF_CONTEXT_KERNEL,
                       0x33,
                       0x34,
                       PERF_SAMPLE_REGS_ABI_64,
                       0x41,
                       0x42,
                       0x43,
                       stack_size};
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
                                       .misc = PERF_RECORD_MISC_KERNEL};
    size_t size = sizeof(head);

    memcpy(made, head, sizeof(head));
    memset(made + size, 0xee, stack_size);
    for (uint64_t i = 0; i < used && i < stack_size; i++)
        made[size + i] = (unsigned char)(i % 13);
    size += stack_size;
    if (stack_size > 0) {
        memcpy(made + size, &used, sizeof(used));
        size += sizeof(used);
    }
    header.size = (uint16_t)size;
    memcpy(made, &header, sizeof(header));
    return (const struct perf_event_header *)(const void *)made;
}

static void check_sample(const struct perf_event_header *record, uint64_t stack_size,
                         uint64_t used)
{
    static struct perf_sample sample;

    CHECK(perf_sample_read(record, &attr, &sample), "not read");
    CHECK(sample.ip == 0x11 && sample.process == 0x21 && sample.thread == 0x22 &&
              sample.time == 77,
          "other fields");
    CHECK(sample.in_kernel && sample.n_kernel == N_KERNEL && sample.n_pcs == N_KERNEL,
          "another call chain");
    CHECK(sample.registers[8] == 0x42, "other registers");
    CHECK(sample.stack_size == stack_size && sample.stack_used == used,
          "%u of %u bytes of the stack", (unsigned)sample.stack_used,
          (unsigned)sample.stack_size);
    for (uint64_t i = 0; i < used; i++)
        CHECK(sample.stack[i] == i % 13, "byte %u", (unsigned)i);
}

TEST(backlog, what_is_unused_of_a_stack_is_left_out)
{
    static const uint64_t used[] = {0, 8, 13, STACK_BYTES - 8, STACK_BYTES};
    struct perf_backlog backlog = {0};
    uint32_t cpu;

    for (unsigned i = 0; i < 5; i++) {
        const struct perf_event_header *record = make_sample(STACK_BYTES, used[i]);
        struct perf_gap gap = perf_sample_unused(record, &attr);

        CHECK(gap.size == (STACK_BYTES - used[i]) / 8 * 8, "%zu bytes", gap.size);
        check_sample(record, STACK_BYTES, used[i]);
        CHECK(perf_backlog_add(&backlog, 3, record, gap), "no room");
        CHECK(perf_backlog_take(&backlog, &cpu, back) && cpu == 3, "nothing");
        record = (const struct perf_event_header *)(const void *)back;
        CHECK(record->size == 14 * 8 + (used[i] + 7) / 8 * 8 + 8, "%u bytes",
              (unsigned)record->size);
        check_sample(record, STACK_BYTES, used[i]);
    }
    perf_backlog_free(&backlog);
}

TEST(backlog, nothing_is_left_out_of_a_sample_without_a_stack_or_with_a_wrong_one)
{
    struct perf_event_attr without = {.sample_type = PERF_SAMPLE_FIELDS};
    static struct perf_sample sample;

    CHECK(perf_sample_unused(make_sample(0, 0), &attr).size == 0, "no stack");
    CHECK(perf_sample_unused(make_sample(STACK_BYTES, 8), &without).size == 0, "none");
    CHECK(perf_sample_unused(make_sample(STACK_BYTES, STACK_BYTES + 8), &attr).size == 0,
          "more than there is");
    CHECK(!perf_sample_read(make_sample(STACK_BYTES, STACK_BYTES + 8), &attr, &sample),
          "more than there is was read");
}
