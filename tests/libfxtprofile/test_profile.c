/* SPDX-License-Identifier: BSD-2-Clause */
/* Adding samples to a profile: what is merged, and in what order it stands at the end. */
#include <stdio.h>

#include "tests/support/pooled.h"
#include "build_profile.h"
#include "libfxtprofile/import/sampler_pcs.h"
#include "libfxtprofile/profile/locate.h"

static int64_t total_of(const struct profile *p, uint32_t type)
{
    int64_t total = 0;

    for (size_t i = 0; i < p->n_samples; i++)
        total = profile_add_up(total, p->values[i * p->n_types + type]);
    return total;
}

static struct profile_builder p;

static void start(void)
{
    start_profile(&p);
}

TestSuite(profile, .init = start);

POOLED_TEST(profile, equal_samples_are_merged_and_their_values_added)
{
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x20), 5);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 1);
    cr_assert_eq(p.profile.n_stacks, 1);
    cr_assert_eq(p.n_stack_frames, 2);
    cr_assert_eq(p.profile.values[0], 7);
    cr_assert_eq(total_of(&p.profile, 0), 7);
}

POOLED_TEST(profile, samples_differ_by_every_label_and_by_every_pc)
{
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x20), 1);
    add_sample(&p, 9, 2, 0, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 9, 0, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 2, 9, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 2, PROFILE_NO_CPU, PCS(0x10, 0x20), 1);
    add_sample(&p, 1, 2, 0, PCS(0x11, 0x20), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x21), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x20, 0x20), 1);
    add_sample(&p, 1, 2, 0, PCS(0x20, 0x10), 1);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 10);
    cr_assert_eq(total_of(&p.profile, 0), 10);
}

POOLED_TEST(profile, pcs_of_the_other_byte_order_are_the_same_pcs)
{
    const uint64_t flipped[] = {FXT_SWAP64(0x10), FXT_SWAP64(0xffffffff80001234)};
    struct fxt_words words = {flipped, 2, true};

    add_sample(&p, 1, 2, 0, PCS(0x10, 0xffffffff80001234), 1);
    add_sample(&p, 1, 2, 0, &words, 1);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 1);
    cr_assert_eq(profile_builder_pc(&p, &p.profile.stacks[0], 1), 0xffffffff80001234);
}

POOLED_TEST(profile, pcs_may_stand_at_any_address)
{
    unsigned char bytes[3 * 8 + 1];
    const uint64_t pcs[] = {1, 2, 3};
    struct fxt_words words = {bytes + 1, 3, false};

    memcpy(bytes + 1, pcs, sizeof(pcs));
    add_sample(&p, 1, 2, 0, &words, 1);
    profile_builder_sort(&p);
    cr_assert_eq(profile_builder_pc(&p, &p.profile.stacks[0], 2), 3);
}

POOLED_TEST(profile, sums_stay_at_the_largest_number)
{
    add_sample(&p, 1, 2, 0, PCS(1), INT64_MAX - 1);
    add_sample(&p, 1, 2, 0, PCS(1), 1);
    add_sample(&p, 1, 2, 0, PCS(1), 1);
    add_sample(&p, 1, 3, 0, PCS(1), 1);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.values[0], INT64_MAX);
    cr_assert_eq(total_of(&p.profile, 0), INT64_MAX);
}

POOLED_TEST(profile, every_type_has_its_own_values)
{
    struct profile_labels labels = {.process = 1, .thread = 2, .cpu = 3};
    const int64_t values[] = {1, 1000};

    profile_builder_add_type(&p, "cpu", "nanoseconds");
    for (int i = 0; i < 100; i++) {
        profile_builder_add(&p, &labels, PCS(1), values);
        profile_builder_add(&p, &labels, PCS((uint64_t)i), values);
    }
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 100);
    cr_assert_eq(total_of(&p.profile, 0), 200);
    cr_assert_eq(total_of(&p.profile, 1), 200000);
    cr_assert_eq(p.profile.values[2], 101, "the second sample is that of PC 1");
    cr_assert_eq(p.profile.values[3], 101000);
}

POOLED_TEST(profile, one_stack_may_be_seen_any_number_of_times)
{
    for (int i = 0; i < 200000; i++) {
        add_sample(&p, 1, 2, 0, PCS(1), 1);
        if (i % 1000 == 0)
            add_sample(&p, 1, 2, 0, PCS(1), 3);
    }
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 1);
    cr_assert_eq(p.profile.values[0], 200600);
}

POOLED_TEST(profile, one_stack_may_have_any_number_of_labels)
{
    enum { THREADS = 70000 };

    for (uint64_t i = 0; i < 2 * THREADS; i++) {
        add_sample(&p, 1, i % THREADS, 0, PCS(1), 1);
        add_sample(&p, 1, i % THREADS, 0, PCS(i % THREADS), 1);
    }
    profile_builder_sort(&p);
    /* One of the stacks with a PC of their thread's is the one that they all have. */
    cr_assert_eq(p.profile.n_samples, 2 * THREADS - 1);
    cr_assert_eq(p.profile.n_stacks, THREADS);
    cr_assert_eq(total_of(&p.profile, 0), 4 * THREADS);
    for (size_t i = 0; i < p.profile.n_samples; i++) {
        uint64_t thread = p.profile.labels[p.profile.samples[i].labels].thread;

        cr_assert_eq(p.profile.values[i], thread == 1 ? 4 : 2);
    }
}

/* Adds 1000 samples of few kinds, from `first` on, every `step`-th of them. */
static void add_many(struct profile_builder *builder, unsigned first, unsigned step)
{
    for (unsigned i = 0; i < 1000; i++) {
        unsigned k = (first + i * step) % 1000;

        add_sample(builder, k % 3, k % 5, k % 2, PCS(k % 7, k % 11, 3), 1 + k);
    }
}

POOLED_TEST(profile, the_order_of_the_input_does_not_matter)
{
    struct profile_builder b;

    start_profile(&b);
    add_many(&p, 0, 1);
    add_many(&b, 517, 7);
    profile_builder_sort(&p);
    profile_builder_sort(&b);
    cr_assert_eq(p.profile.n_samples, b.profile.n_samples);
    for (size_t i = 0; i < p.profile.n_samples; i++) {
        const struct profile_stack *s = &p.profile.stacks[p.profile.samples[i].stack];
        const struct profile_stack *t = &b.profile.stacks[b.profile.samples[i].stack];
        const struct profile_labels *l = &p.profile.labels[p.profile.samples[i].labels];
        const struct profile_labels *m = &b.profile.labels[b.profile.samples[i].labels];

        cr_assert_eq(p.profile.values[i], b.profile.values[i]);
        cr_assert_eq(s->n, t->n);
        for (uint32_t j = 0; j < s->n; j++)
            cr_assert_eq(profile_builder_pc(&p, s, j), profile_builder_pc(&b, t, j));
        cr_assert(l->process == m->process && l->thread == m->thread && l->cpu == m->cpu);
    }
}

POOLED_TEST(profile, samples_are_sorted_by_labels_and_then_by_pcs)
{
    add_sample(&p, 2, 1, 0, PCS(1), 6);
    add_sample(&p, 1, 2, 0, PCS(1), 5);
    add_sample(&p, 1, 1, 1, PCS(1), 4);
    add_sample(&p, 1, 1, 0, PCS(2), 3);
    add_sample(&p, 1, 1, 0, PCS(1, 1), 2);
    add_sample(&p, 1, 1, 0, PCS(1), 1);
    profile_builder_sort(&p);
    for (size_t i = 0; i < 6; i++)
        cr_assert_eq(p.profile.values[i], (int64_t)i + 1, "sample %zu", i);
}

POOLED_TEST(profile, memory_grows_with_the_stacks_and_not_with_the_samples)
{
    for (int i = 0; i < 100000; i++)
        add_sample(&p, 1, 2, 0, PCS((uint64_t)i % 4, 1, 2, 3), 1);
    cr_assert_eq(p.profile.n_stacks, 4);
    cr_assert_leq(p.pcs.capacity, 32);
    cr_assert_leq(p.sample_capacity, 16);
}

POOLED_TEST(profile, a_sample_of_no_process_goes_to_that_of_its_thread)
{
    add_sample(&p, 0, 2077, 0, PCS(1, 2), 3);
    add_sample(&p, 1045, 2077, 0, PCS(1, 2), 4);
    add_sample(&p, 0, 2078, 0, PCS(1, 2), 5);
    koid_names_add_process(&p.profile.koid_names, 2077, 1045);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 2);
    cr_assert_eq(p.profile.labels[p.profile.samples[0].labels].process, 0,
                 "nothing is known about 2078");
    cr_assert_eq(p.profile.values[0], 5);
    cr_assert_eq(p.profile.labels[p.profile.samples[1].labels].process, 1045);
    cr_assert_neq(p.profile.samples[0].stack, p.profile.samples[1].stack,
                  "a stack is of one process");
    cr_assert_eq(p.profile.values[1], 7);
}

POOLED_TEST(profile, an_empty_profile_has_an_order_too)
{
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 0);
}

POOLED_TEST(profile, a_finished_profile_has_pcs_if_they_were_to_be_kept)
{
    struct symbolizer symbolizer = {.n = 0};
    struct modules modules = {.n_modules = 0};
    struct profile finished;

    p.keeps_pcs = true;
    add_sample(&p, 1, 2, 0, PCS(0x20, 0x30), 1);
    add_sample(&p, 1, 2, 0, PCS(0x10, 0x30), 1);
    modules_finish(&modules);
    profile_builder_sort(&p);
    profile_locate(&p, &modules, &symbolizer);
    profile_builder_finish(&p, &finished);
    cr_assert_eq(finished.n_samples, 2);
    cr_assert_eq(profile_pc(&finished, &finished.stacks[finished.samples[0].stack], 0),
                 0x10);
    cr_assert_eq(profile_pc(&finished, &finished.stacks[finished.samples[1].stack], 0),
                 0x20);
    cr_assert_eq(profile_pc(&finished, &finished.stacks[finished.samples[1].stack], 1),
                 0x30);
}

/* ---- Names of processes and threads ---- */

static struct koid_names names;

static void assert_name(enum koid_names_kind kind, uint64_t koid, const char *name)
{
    struct string found = koid_names_name(&names, (struct koid_names_id){kind, koid, 0});

    cr_assert_eq(found.size, strlen(name));
    cr_assert_arr_eq(found.data, name, found.size);
}

/* A name with a separate time, or after a sample. */
static void add_name_at(uint64_t koid, const char *name, enum koid_names_since since,
                        uint64_t time_ns)
{
    koid_names_add_name(&names, KOID_THREAD, koid, string_from(name),
                        (struct koid_names_moment){since, time_ns});
}

static void assert_name_at(uint64_t koid, uint64_t time_ns, uint64_t n_given,
                           const char *name)
{
    struct string found = koid_names_name(
        &names, (struct koid_names_id){
                    KOID_THREAD, koid,
                    koid_names_name_at(&names, KOID_THREAD, koid, time_ns, n_given)});

    cr_assert_eq(found.size, strlen(name), "%llu: %.*s", (unsigned long long)time_ns,
                 (int)found.size, found.data);
    cr_assert_arr_eq(found.data, name, found.size);
}

POOLED_TEST(koid_names, a_process_and_a_thread_of_one_koid_have_their_own_names)
{
    name_object(&names, KOID_PROCESS, 7, "server");
    name_object(&names, KOID_THREAD, 7, "accept loop");
    name_object(&names, KOID_THREAD, 8, "worker");
    koid_names_add_process(&names, 7, 7);
    koid_names_finish(&names);
    cr_assert(!names.has_changes);
    assert_name(KOID_PROCESS, 7, "server");
    assert_name(KOID_THREAD, 7, "accept loop");
    assert_name(KOID_PROCESS, 8, "");
    cr_assert_eq(koid_names_process(&names, 7), 7);
}

POOLED_TEST(koid_names, the_newest_name_wins_from_its_time_on)
{
    add_name_at(7, "a long one", NAME_SINCE_AFTER, 5);
    add_name_at(7, "b", NAME_SINCE_AFTER, 20);
    add_name_at(7, "b", NAME_SINCE_AFTER, 25);
    add_name_at(7, "c", NAME_SINCE_TIME, 30);
    add_name_at(7, "b", NAME_SINCE_AFTER, 40);
    koid_names_end_stream(&names, 10);
    koid_names_finish(&names);
    cr_assert(names.has_changes);
    assert_name_at(7, 0, 0, "a long one");
    assert_name_at(7, 19, UINT64_MAX, "a long one");
    assert_name_at(7, 21, 0, "b");
    assert_name_at(7, 29, 0, "b");
    assert_name_at(7, 30, 0, "c");
    assert_name_at(7, 40, 0, "c");
    assert_name_at(7, 41, 0, "b");
    cr_assert_eq(koid_names_name_at(&names, KOID_THREAD, 7, 21, 0), 0, "as the last one");
    cr_assert_eq(koid_names_name_at(&names, KOID_THREAD, 7, 41, 0), 0);
    assert_name(KOID_THREAD, 7, "b");
}

POOLED_TEST(koid_names, where_times_are_equal_the_order_of_the_stream_decides)
{
    add_name_at(7, "one", NAME_SINCE_START, 0);
    add_name_at(7, "two", NAME_SINCE_AFTER, 9);
    add_name_at(7, "three", NAME_SINCE_AFTER, 9);
    koid_names_end_stream(&names, 9);
    koid_names_finish(&names);
    assert_name_at(7, 9, 0, "one");
    assert_name_at(7, 9, 1, "one");
    assert_name_at(7, 9, 2, "two");
    assert_name_at(7, 9, 3, "three");
    assert_name(KOID_THREAD, 7, "three");
}

POOLED_TEST(koid_names, a_name_that_replaces_another_one_makes_that_the_older_one)
{
    add_name_at(7, "before", NAME_SINCE_START, 0);
    add_name_at(7, "after", NAME_SINCE_TIME, 3);
    koid_names_end_stream(&names, 10);
    koid_names_finish(&names);
    assert_name(KOID_THREAD, 7, "after");
}

/* Three streams, of which two begin at one time, in every order. */
POOLED_TEST(koid_names, the_order_of_streams_does_not_matter)
{
    static const struct {
        const char *first;
        const char *second;
        uint64_t start_ns;
    } streams[] = {{"a", "bb", 10}, {"ccc", "d", 20}, {"eeee", "f", 10}};
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        for (int j = 0; j < 3; j++) {
            int k = orders[i][j];

            add_name_at(7, streams[k].first, NAME_SINCE_START, 0);
            add_name_at(7, streams[k].second, NAME_SINCE_START, 0);
            koid_names_end_stream(&names, streams[k].start_ns);
        }
        koid_names_finish(&names);
        assert_name_at(7, 15, 0, "bb");
        assert_name(KOID_THREAD, 7, "d");
        names = (struct koid_names){.n = 0};
    }
}

POOLED_TEST(koid_names, a_name_is_any_bytes)
{
    struct string name;

    koid_names_add_name(&names, KOID_THREAD, 7, (struct string){"a\0b", 3},
                        (struct koid_names_moment){NAME_SINCE_START, 0});
    koid_names_finish(&names);
    name = koid_names_name(&names, (struct koid_names_id){KOID_THREAD, 7, 0});
    cr_assert_eq(name.size, 3);
    cr_assert_eq(name.data[2], 'b');
}

POOLED_TEST(koid_names, many_koids_keep_their_names)
{
    char name[32];

    for (uint64_t i = 0; i < 10000; i++) {
        snprintf(name, sizeof(name), "p%llu", (unsigned long long)i);
        name_object(&names, KOID_THREAD, i << 40, name);
        koid_names_add_process(&names, i << 40, i);
    }
    koid_names_finish(&names);
    for (uint64_t i = 0; i < 10000; i++) {
        snprintf(name, sizeof(name), "p%llu", (unsigned long long)i);
        assert_name(KOID_THREAD, i << 40, name);
        cr_assert_eq(koid_names_process(&names, i << 40), i);
    }
}

POOLED_TEST(koid_names, a_koid_without_a_name_is_described_by_its_kind)
{
    struct text text = {NULL, 0, 0};

    name_object(&names, KOID_PROCESS, 7, "shell");
    koid_names_finish(&names);
    koid_names_describe(&names, (struct koid_names_id){KOID_PROCESS, 7, 0}, &text);
    text_char(&text, ' ');
    koid_names_describe(&names, (struct koid_names_id){KOID_THREAD, UINT64_MAX, 0},
                        &text);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data, "shell[7] thread[18446744073709551615]");
}

/* The profile of some samples, taken together from several parts. */
static void build_in_parts(struct profile_builder *builder, size_t n_parts)
{
    start_profile(builder);
    for (size_t part = 0; part < n_parts; part++) {
        struct profile_builder from;

        start_profile(&from);
        for (uint64_t i = part; i < 150000; i += n_parts) {
            add_sample(&from, i % 3, i % 5, (uint32_t)(i % 2),
                       PCS(i % 211, i % 97, i % 2), (int64_t)(1 + i % 4));
            profile_builder_set_end(&from, (uint32_t)(i / 100 % 3));
        }
        profile_builder_merge(builder, &from);
        profile_builder_free(&from);
    }
    profile_builder_sort(builder);
}

POOLED_TEST(profile, parts_taken_together_are_the_whole)
{
    struct profile_builder whole;

    build_in_parts(&whole, 1);
    for (size_t n_parts = 2; n_parts < 6; n_parts++) {
        struct profile_builder parts;

        build_in_parts(&parts, n_parts);
        cr_assert_eq(parts.profile.n_samples, whole.profile.n_samples);
        cr_assert_eq(parts.profile.n_stacks, whole.profile.n_stacks);
        cr_assert_arr_eq(parts.profile.values, whole.profile.values,
                         parts.profile.n_samples * sizeof(*parts.profile.values));
        for (size_t i = 0; i < parts.profile.n_samples; i++) {
            const struct profile_stack *a =
                &parts.profile.stacks[parts.profile.samples[i].stack];
            const struct profile_stack *b =
                &whole.profile.stacks[whole.profile.samples[i].stack];

            cr_assert_eq(a->n, b->n);
            cr_assert_eq(a->end, b->end);
            for (uint32_t j = 0; j < a->n; j++)
                cr_assert_eq(profile_builder_pc(&parts, a, j),
                             profile_builder_pc(&whole, b, j));
            cr_assert_eq(parts.profile.labels[parts.profile.samples[i].labels].thread,
                         whole.profile.labels[whole.profile.samples[i].labels].thread);
        }
        profile_builder_free(&parts);
    }
}

POOLED_TEST(profile, what_is_taken_adds_to_what_is_there_and_keeps_its_names)
{
    struct profile_builder from;

    profile_builder_add_comment(&p, "a comment");
    name_object(&p.profile.koid_names, KOID_PROCESS, 1, "one");
    koid_names_finish(&p.profile.koid_names);
    add_sample(&p, 1, 2, 0, PCS(0x10), 1);
    start_profile(&from);
    add_sample(&from, 1, 2, 0, PCS(0x10), 2);
    add_sample(&from, 1, 2, 0, PCS(0x20), 4);
    profile_builder_merge(&p, &from);
    profile_builder_sort(&p);
    cr_assert_eq(p.profile.n_samples, 2);
    cr_assert_eq(p.profile.values[0], 3);
    cr_assert_eq(p.profile.values[1], 4);
    cr_assert_eq(p.profile.n_comments, 1);
    cr_assert_eq(
        koid_names_name(&p.profile.koid_names, (struct koid_names_id){KOID_PROCESS, 1, 0})
            .size,
        3);
}

/* Of many stacks every second one, or one in 16, has the same caller twice. */
static bool looks_restorable(uint64_t n_stacks, uint64_t one_in, uint64_t which)
{
    struct profile_builder builder;
    bool looks;

    start_profile(&builder);
    for (uint64_t i = 0; i < n_stacks; i++)
        add_sample(&builder, 1, 2, 0,
                   PCS(i, 0x1000, i % one_in == which ? 0x1004 : 0x2000), 1);
    profile_builder_settle(&builder);
    looks = sampler_pcs_look_restorable(&builder);
    return looks;
}

POOLED_TEST(profile, callers_that_are_there_twice_are_seen_wherever_they_are)
{
    for (uint64_t n = 1000; n < 100000; n = n * 3 + 1) {
        cr_assert(looks_restorable(n, 2, 0), "%llu", (unsigned long long)n);
        cr_assert(looks_restorable(n, 2, 1), "%llu", (unsigned long long)n);
        cr_assert_not(looks_restorable(n, 16, 0), "%llu", (unsigned long long)n);
        cr_assert_not(looks_restorable(n, 16, 15), "%llu", (unsigned long long)n);
    }
    cr_assert_not(looks_restorable(15, 1, 0), "too few to say");
}
