/* SPDX-License-Identifier: BSD-2-Clause */
/* Records to a profile, through the reader, from words written by hand. */
#include <fxt/reader.h>

#include "tests/support/pooled.h"
#include "build_profile.h"
#include "libfxtprofile/import/collect.h"

/* Everything that a test collects into. */
struct setup {
    struct profile_builder builder;
    struct modules modules;
    struct blob_store blobs;
    struct collect collect;
};

static struct setup s;

static void start(void)
{
    start_profile(&s.builder);
    s.collect.builder = &s.builder;
    s.collect.modules = &s.modules;
    s.collect.blobs = &s.blobs;
    s.collect.values[0] = 1;
}

TestSuite(collect, .init = start);

static int take_record(void *context, const struct fxt_record *record)
{
    collect_record((struct collect *)context, record);
    return 0;
}

/* Reads words as one stream; PROFILE_NO_CPU for an archive. */
static void read_words(uint32_t cpu, const uint64_t *words, size_t n)
{
    struct fxt_reader_options options = {
        .size = sizeof(options), .on_record = take_record, .context = &s.collect};
    struct fxt_chunk chunk = {words, n * sizeof(*words), 0};
    struct fxt_reader *reader;

    options.stream = cpu == PROFILE_NO_CPU ? FXT_STREAM_ARCHIVE : FXT_STREAM_REGION;
    options.byte_order = FXT_BYTE_ORDER_HOST;
    cr_assert_eq(fxt_reader_create(&options, &reader), FXT_OK);
    collect_start(&s.collect, cpu, cpu == PROFILE_NO_CPU);
    fxt_reader_read(reader, &chunk);
    cr_assert_eq(fxt_reader_finish(reader, &chunk), FXT_OK);
    collect_end(&s.collect);
    fxt_reader_destroy(reader);
}

#define READ(cpu, words) read_words(cpu, words, N_WORDS(words))

/* The two ways to write a sample of process 1045, thread 2077, with three PCs. */
#define OLD_SAMPLE(time) 0x9f, 0, time, 1045, 2077, 24, 0x10, 0x20, 0x30
#define NEW_SAMPLE(time) 0x3002007a, time, 1045, 2077, 0x10, 0x20, 0x30

/* CPU 3 dropped 17 records of 9248 bytes. */
#define DROPS 0x0029002800240074, 1000, 0, 3, 0x00000011002a0012, 0x00002420002b0012, 2000

#define MAGIC 0x0016547846040010

/* Provider info for provider 1 with a name of four bytes. */
#define PROVIDER(name) 0x0040000000110020, name

POOLED_TEST(collect, both_generations_of_samples_are_the_same_samples)
{
    const uint64_t words[] = {OLD_SAMPLE(100), NEW_SAMPLE(200), 0, 0};

    READ(7, words);
    profile_builder_sort(&s.builder);
    cr_assert_eq(s.collect.tally.n_samples, 2);
    cr_assert_eq(s.builder.profile.n_samples, 1);
    cr_assert_eq(s.builder.profile.values[0], 2);
    cr_assert_eq(s.builder.profile.labels[0].process, 1045);
    cr_assert_eq(s.builder.profile.labels[0].thread, 2077);
    cr_assert_eq(s.builder.profile.labels[0].cpu, 7);
    cr_assert_eq(s.builder.n_stack_frames, 3);
    cr_assert_eq(profile_builder_pc(&s.builder, &s.builder.profile.stacks[0], 0), 0x10);
}

POOLED_TEST(collect, drops_are_counted_for_their_cpu)
{
    const uint64_t words[] = {DROPS, NEW_SAMPLE(200), DROPS};

    READ(0, words);
    cr_assert_eq(s.collect.tally.n_samples, 1);
    cr_assert_eq(s.collect.tally.drops.records, 34);
    cr_assert_eq(s.collect.tally.drops.bytes, 18496);
    cr_assert_eq(s.collect.tally.n_cpus, 4);
    cr_assert_eq(s.collect.tally.drops_by_cpu[3].records, 34);
    cr_assert_eq(s.collect.tally.drops_by_cpu[2].records, 0);
}

POOLED_TEST(collect, a_stack_as_deep_as_the_sampler_goes_may_be_cut)
{
    uint64_t words[4 + 64] = {0};

    words[0] = 10 | (uint64_t)N_WORDS(words) << 4 | 2 << 16 | (uint64_t)64 << 28;
    words[2] = 1045;
    words[3] = 2077;
    READ(0, words);
    cr_assert_eq(s.collect.tally.n_samples, 1);
    cr_assert_eq(s.collect.tally.n_maybe_cut, 1);
}

POOLED_TEST(collect, what_has_no_pcs_is_counted_and_left_out)
{
    /* A backtrace without PCs; a sampler's blob without PCs; one of five bytes. */
    const uint64_t words[] = {0x2004a, 1,    1045, 2077, 0x6f, 0,    1, 1045, 2077,
                              0,       0x7f, 0,    1,    1045, 2077, 5, 0};

    READ(0, words);
    cr_assert_eq(s.collect.tally.n_without_pcs, 3);
    cr_assert_eq(s.collect.tally.n_samples, 0);
    cr_assert_eq(s.builder.profile.n_samples, 0);
}

POOLED_TEST(collect, a_raw_stack_is_kept_until_it_can_be_unwound)
{
    /* A large blob of category cpu_profiler, named stack_sample, with eight bytes. */
    const uint64_t words[] = {0xbf,
                              0x800c800c,
                              0x666f72705f757063,
                              0x72656c69,
                              0x61735f6b63617473,
                              0x656c706d,
                              100,
                              1045,
                              2077,
                              8,
                              42};
    struct symbolizer symbolizer = {.n = 0};

    READ(0, words);
    cr_assert_eq(s.blobs.n, 1);
    cr_assert_eq(s.blobs.blobs[0].size, 8);
    cr_assert_eq(s.collect.tally.n_samples, 0);
    modules_finish(&s.modules);
    collect_finish(&s.collect, &symbolizer);
    cr_assert_eq(s.collect.tally.blobs.n_unknown_machine, 1);
    cr_assert_eq(s.builder.profile.n_samples, 0);
}

POOLED_TEST(collect, a_provider_named_after_a_cpu_says_whose_samples_these_are)
{
    /* "cpu5", "cpu-", and back to the first provider. */
    const uint64_t words[] = {MAGIC,         NEW_SAMPLE(1),      PROVIDER(0x35757063),
                              NEW_SAMPLE(2), 0x0040000000210020, 0x2d757063,
                              NEW_SAMPLE(3), 0x0000000000120010, NEW_SAMPLE(4)};

    READ(PROFILE_NO_CPU, words);
    profile_builder_sort(&s.builder);
    cr_assert_eq(s.builder.profile.n_samples, 2);
    cr_assert_eq(s.builder.profile.labels[s.builder.profile.samples[0].labels].cpu, 5);
    cr_assert_eq(s.builder.profile.values[0], 2);
    cr_assert_eq(s.builder.profile.labels[s.builder.profile.samples[1].labels].cpu,
                 PROFILE_NO_CPU);
    cr_assert_eq(s.builder.profile.values[1], 2);
}

POOLED_TEST(collect, samples_of_unwanted_cpus_are_counted_and_left_out)
{
    const uint64_t words[] = {NEW_SAMPLE(1), DROPS};
    const uint64_t archive[] = {MAGIC, NEW_SAMPLE(1)};
    struct cpu_set cpus = {NULL, 0};

    cr_assert(parse_cpu_list("1", &cpus));
    s.collect.cpus = &cpus;
    READ(0, words);
    cr_assert_eq(s.collect.tally.n_other_cpu, 1);
    cr_assert_eq(s.collect.tally.drops.records, 0);
    READ(1, words);
    cr_assert_eq(s.collect.tally.n_samples, 1);
    cr_assert_eq(s.collect.tally.drops.records, 17);
    READ(PROFILE_NO_CPU, archive);
    cr_assert_eq(s.collect.tally.n_no_cpu, 1);
    cr_assert_eq(s.collect.tally.n_other_cpu, 1);
    cr_assert_eq(s.collect.tally.n_samples, 1);
}

POOLED_TEST(collect, names_and_the_process_of_a_thread_come_from_kernel_objects)
{
    /* Thread 2077, "worker", of process 1045; process 1045, "sh"; port 9, "x". */
    const uint64_t words[] = {MAGIC,
                              0x0000018006020067,
                              2077,
                              0x000072656b726f77,
                              0x0000000080070038,
                              0x00737365636f7270,
                              1045,
                              0x0000008002010037,
                              1045,
                              0x6873,
                              0x0000008001060037,
                              9,
                              0x78};

    READ(PROFILE_NO_CPU, words);
    koid_names_finish(&s.builder.profile.koid_names);
    cr_assert_eq(koid_names_process(&s.builder.profile.koid_names, 2077), 1045);
    cr_assert_eq(koid_names_name(&s.builder.profile.koid_names,
                                 (struct koid_names_id){KOID_THREAD, 2077, 0})
                     .size,
                 6);
    cr_assert_eq(koid_names_name(&s.builder.profile.koid_names,
                                 (struct koid_names_id){KOID_PROCESS, 1045, 0})
                     .size,
                 2);
    cr_assert_eq(koid_names_name(&s.builder.profile.koid_names,
                                 (struct koid_names_id){KOID_PROCESS, 9, 0})
                     .size,
                 0, "a port is neither");
}

POOLED_TEST(collect, modules_and_mappings_are_kept_and_impossible_ones_counted)
{
    /* Module 5 of process 1045, "a.so"; a mapping of it; one of module 6. */
    const uint64_t words[] = {MAGIC,
                              0x000040005000005a,
                              1,
                              1045,
                              0,
                              0x6f732e61,
                              0x000050005001007a,
                              1,
                              1045,
                              0,
                              0x7000,
                              0x1000,
                              0x300,
                              0x000050006001007a,
                              1,
                              1045,
                              0,
                              0x9000,
                              0x1000,
                              0};

    READ(PROFILE_NO_CPU, words);
    modules_finish(&s.modules);
    cr_assert_eq(s.collect.tally.n_lost_mappings, 1);
    cr_assert_eq(s.modules.mapped.n, 1);
    cr_assert_not_null(modules_find(&s.modules, 1045, 0, 0x7fff));
}

/* ---- Time ---- */

POOLED_TEST(collect, time_is_from_the_first_sample_to_the_last_of_all_streams)
{
    const uint64_t first[] = {NEW_SAMPLE(500), NEW_SAMPLE(300)};
    const uint64_t second[] = {NEW_SAMPLE(400), NEW_SAMPLE(900)};

    READ(0, first);
    READ(1, second);
    cr_assert(s.collect.times.has_time);
    cr_assert_eq(s.collect.times.first_ns, 300);
    cr_assert_eq(s.collect.times.last_ns, 900);
    cr_assert_not(s.collect.times.has_start);
}

POOLED_TEST(collect, every_provider_has_its_own_clock)
{
    /* 1000 ticks a second, then for provider 1 a million. */
    const uint64_t words[] = {MAGIC,
                              0x21,
                              1000,
                              NEW_SAMPLE(2000),
                              PROVIDER(0x31757063),
                              0x21,
                              1000000,
                              NEW_SAMPLE(5000000),
                              NEW_SAMPLE(1000000)};

    READ(PROFILE_NO_CPU, words);
    cr_assert_eq(s.collect.times.first_ns, 1000000000);
    cr_assert_eq(s.collect.times.last_ns, 5000000000);
}

POOLED_TEST(collect, the_wall_clock_comes_from_a_recording_that_tells_it)
{
    /* 1000 ticks a second; at tick 5000 it was 1700000000 seconds and a bit. */
    const uint64_t words[] = {
        MAGIC, 0x41, 1000, 5000, 1700000000500000000, NEW_SAMPLE(7000), NEW_SAMPLE(4000)};

    READ(PROFILE_NO_CPU, words);
    cr_assert(s.collect.times.has_start);
    cr_assert_eq(s.collect.times.start_ns, 1699999999500000000);
    cr_assert_eq(s.collect.times.last_ns - s.collect.times.first_ns, 3000000000);
}
