/* SPDX-License-Identifier: BSD-2-Clause */
/* How stacks ended, as the public library has it. */
#include "make_archive.h"

#include <fxt/emit.h>

enum { N_WORDS_MAX = 4096 };

/* A region of samples, each of one PC, with these ends. */
static void emit_ends(uint64_t *words, const uint32_t *ends, size_t n)
{
    struct fxt_emit emit;

    memset(words, 0, N_WORDS_MAX * sizeof(*words));
    fxt_emit_init(&emit, words, N_WORDS_MAX * sizeof(*words));
    for (size_t i = 0; i < n; i++) {
        uint64_t pc = 0x1000;

        cr_assert(fxt_emit_stack(&emit, i, 7, 8, &pc, 1, (enum fxt_stack_end)ends[i]));
    }
}

static struct fxt_profile *profile_of_ends(const uint32_t *ends, size_t n,
                                           bool shows_cuts)
{
    static uint64_t words[N_WORDS_MAX];
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .show_cuts = shows_cuts};
    struct fxt_profile_builder *builder = make_builder(&options);

    emit_ends(words, ends, n);
    cr_assert_eq(fxt_profile_builder_add_memory(builder, NULL, words, sizeof(words)),
                 FXT_OK);
    return finish(builder);
}

static const uint32_t some_ends[] = {FXT_STACK_END_OUTERMOST,  FXT_STACK_END_UNKNOWN,
                                     FXT_STACK_END_OUTERMOST,  FXT_STACK_END_NO_TABLE,
                                     FXT_STACK_END_UNKNOWN,    FXT_STACK_END_NO_STACK,
                                     FXT_STACK_END_DEPTH,      FXT_STACK_END_OUTERMOST,
                                     FXT_STACK_END_DEPTH,      UINT32_MAX,
                                     FXT_STACK_END_NOT_SAMPLED};

enum { N_SOME_ENDS = sizeof(some_ends) / sizeof(some_ends[0]) };

Test(stack_ends, stacks_that_differ_in_how_they_ended_are_different_samples)
{
    struct fxt_profile *profile = profile_of_ends(some_ends, N_SOME_ENDS, false);
    struct fxt_profile_sample sample;
    int64_t counts[16] = {0};

    cr_assert_eq(fxt_profile_n_samples(profile), 7);
    for (size_t i = 0; fxt_profile_get_sample(profile, i, &sample) == FXT_OK; i++) {
        uint32_t end = fxt_profile_stack_end(profile, sample.stack);

        cr_assert_lt(end, 16);
        counts[end] += sample.values[0];
    }
    cr_assert_eq(counts[FXT_STACK_END_OUTERMOST], 3);
    cr_assert_eq(counts[FXT_STACK_END_UNKNOWN], 2);
    cr_assert_eq(counts[FXT_STACK_END_DEPTH], 2);
    cr_assert_eq(counts[FXT_STACK_END_NO_TABLE], 1);
    cr_assert_eq(counts[FXT_STACK_END_NO_STACK], 1);
    cr_assert_eq(counts[FXT_STACK_END_NOT_SAMPLED], 1);
    cr_assert_eq(counts[15], 1);
    cr_assert_eq(fxt_profile_stack_end(profile, SIZE_MAX), FXT_STACK_END_UNKNOWN);
    fxt_profile_destroy(profile);
}

Test(stack_ends, cuts_are_counted_the_most_frequent_first)
{
    struct fxt_profile *profile = profile_of_ends(some_ends, N_SOME_ENDS, false);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile_cut cut;

    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_eq(statistics.n_samples, N_SOME_ENDS);
    cr_assert_eq(statistics.n_maybe_cut, 2);
    cr_assert_eq(statistics.n_stack_ends, 7);
    cr_assert_eq(statistics.n_whole_stacks, 3);
    cr_assert_eq(fxt_profile_n_cuts(profile), 3);
    cr_assert_eq(fxt_profile_get_cut(profile, 0, &cut), FXT_OK);
    cr_assert(cut.end == FXT_STACK_END_DEPTH && cut.n_samples == 2);
    cr_assert_eq(cut.file.size, 0);
    cr_assert_eq(fxt_profile_get_cut(profile, 1, &cut), FXT_OK);
    cr_assert(cut.end == FXT_STACK_END_NO_TABLE && cut.n_samples == 1);
    cr_assert_eq(fxt_profile_get_cut(profile, 3, &cut), FXT_E_INVALID);
    cr_assert_eq(cut.n_samples, 0);
    fxt_profile_destroy(profile);
}

static bool has_comment(const struct fxt_profile *profile, const char *start)
{
    for (size_t i = 0; i < fxt_profile_n_comments(profile); i++) {
        if (strncmp(fxt_profile_comment(profile, i), start, strlen(start)) == 0)
            return true;
    }
    return false;
}

/* Those found by frame pointers say nothing, except of some that they are cut. */
Test(stack_ends, stacks_whose_end_is_not_known_are_not_said_to_be_cut)
{
    static const uint32_t ends[] = {
        FXT_STACK_END_UNKNOWN,
        FXT_STACK_END_UNKNOWN,
        FXT_STACK_END_UNKNOWN,
        FXT_STACK_END_DEPTH,
    };
    struct fxt_profile *profile = profile_of_ends(some_ends, N_SOME_ENDS, false);

    cr_assert(has_comment(profile,
                          "44.4 % of stacks not whole; how 22.2 % of stacks ended is "
                          "not known; 22.2 % have more frames"));
    fxt_profile_destroy(profile);
    profile = profile_of_ends(ends, 4, false);
    cr_assert(has_comment(profile,
                          "25.0 % of stacks not whole; how 75.0 % of stacks ended is "
                          "not known; 25.0 % have more frames"));
    fxt_profile_destroy(profile);
    profile = profile_of_ends(ends, 3, false);
    cr_assert_eq(fxt_profile_n_comments(profile), 0);
    fxt_profile_destroy(profile);
}

/* The name of the root of a stack of `n` frames, which is no frame of the program's. */
static void require_root(const struct fxt_profile *profile, uint32_t number, size_t n,
                         const char *name)
{
    struct fxt_profile_stack stack;
    struct fxt_profile_location location;
    struct fxt_profile_line line;
    struct fxt_profile_function function;

    fxt_profile_get_stack(profile, number, &stack);
    cr_assert_eq(stack.n_locations, n);
    fxt_profile_get_location(profile, stack.locations[n - 1], &location);
    fxt_profile_get_line(profile, location.first_line, &line);
    fxt_profile_get_function(profile, line.function, &function);
    cr_assert_eq(function.name.size, strlen(name));
    cr_assert_eq(memcmp(function.name.data, name, strlen(name)), 0);
}

Test(stack_ends, a_stack_that_is_not_whole_may_have_a_root_that_says_why)
{
    struct fxt_profile *profile = profile_of_ends(some_ends, N_SOME_ENDS, true);
    struct fxt_profile_statistics statistics = {.size = sizeof(statistics)};
    struct fxt_profile_sample sample;

    for (size_t i = 0; fxt_profile_get_sample(profile, i, &sample) == FXT_OK; i++) {
        switch (fxt_profile_stack_end(profile, sample.stack)) {
        case FXT_STACK_END_UNKNOWN:
        case FXT_STACK_END_OUTERMOST:
            require_root(profile, sample.stack, 1, "0x1000");
            break;
        case FXT_STACK_END_NO_TABLE:
            require_root(profile, sample.stack, 2, "[cut: no unwind table]");
            break;
        case FXT_STACK_END_DEPTH:
            require_root(profile, sample.stack, 2, "[cut: depth limit]");
            break;
        case FXT_STACK_END_NO_STACK:
            require_root(profile, sample.stack, 2, "[cut: exec or exit]");
            break;
        case FXT_STACK_END_NOT_SAMPLED:
            require_root(profile, sample.stack, 1, "[not sampled]");
            break;
        default:
            require_root(profile, sample.stack, 2, "[cut: unknown reason]");
        }
    }
    fxt_profile_get_statistics(profile, &statistics);
    cr_assert_eq(statistics.n_frames, N_SOME_ENDS - 1);
    cr_assert_eq(statistics.n_named_frames, 0);
    fxt_profile_destroy(profile);
}

/* Samples in another order, so that they are found in another order. */
Test(stack_ends, the_profile_does_not_depend_on_the_order_of_ends)
{
    uint32_t reversed[N_SOME_ENDS];
    struct fxt_profile *profiles[2];

    for (size_t i = 0; i < N_SOME_ENDS; i++)
        reversed[i] = some_ends[N_SOME_ENDS - 1 - i];
    profiles[0] = profile_of_ends(some_ends, N_SOME_ENDS, false);
    profiles[1] = profile_of_ends(reversed, N_SOME_ENDS, false);
    for (size_t i = 0; i < 6; i++) {
        struct fxt_profile_sample a;
        struct fxt_profile_sample b;

        fxt_profile_get_sample(profiles[0], i, &a);
        fxt_profile_get_sample(profiles[1], i, &b);
        cr_assert_eq(a.values[0], b.values[0]);
        cr_assert_eq(fxt_profile_stack_end(profiles[0], a.stack),
                     fxt_profile_stack_end(profiles[1], b.stack));
    }
    fxt_profile_destroy(profiles[0]);
    fxt_profile_destroy(profiles[1]);
}
