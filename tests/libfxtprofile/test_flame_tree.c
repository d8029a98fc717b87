/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames of a flame graph: what stands where, and how wide. */
#include <inttypes.h>

#include "build_profile.h"
#include "libfxtprofile/output/flame/flame_tree.h"
#include "libfxtprofile/profile/locate.h"
#include "tests/support/pooled.h"

/* Ends the adding, and folds without roots: a frame of PC 0x10 is called "0x10". */
static void fold(struct profile_builder *b, struct profile *p, struct fold *fold)
{
    static const struct output_settings no_roots = {.n_roots = 0};
    struct symbolizer symbolizer = {.n = 0};
    struct modules modules = {.n_modules = 0};

    modules_finish(&modules);
    profile_builder_sort(b);
    profile_locate(b, &modules, &symbolizer);
    profile_builder_finish(b, p);
    fold_profile(fold, p, &no_roots);
}

/* The tree as text, a line for each frame: its depth as spaces, then start+count name. */
static char *draw(const struct flame_tree *tree, const struct fold *fold)
{
    struct text text = {NULL, 0, 0};

    for (size_t i = 0; i < tree->n_frames; i++) {
        const struct flame_frame *f = &tree->frames[i];
        struct string name = {"all", 3};

        if (f->name != FLAME_ALL)
            name = string_table_get(&fold->names, f->name);
        text_printf(&text, "%*s%" PRIu64 "+%" PRIu64 " %.*s\n", (int)f->depth, "",
                    f->start, f->count, (int)name.size, name.data);
    }
    text_char(&text, '\0');
    return text.data;
}

/* Asserts the frames and the number of those left out. */
static void assert_tree(struct profile_builder *b, bool reverse, uint64_t min_count,
                        const char *expected, uint64_t n_left_out, uint32_t n_levels)
{
    struct flame_tree tree;
    struct profile p;
    struct fold f;
    char *picture;

    fold(b, &p, &f);
    flame_tree_build(&tree, &f, NULL, reverse, min_count);
    picture = draw(&tree, &f);
    cr_assert_str_eq(picture, expected);
    cr_assert_eq(tree.n_left_out, n_left_out);
    cr_assert_eq(tree.n_levels, n_levels);
}

/* The stacks, root first: 1;2 x3, 1 x4, 1;3;4 x5, 5;2 x6, 1;2;6 x1 */
static void add_stacks(struct profile_builder *b)
{
    start_profile(b);
    add_sample(b, 1, 1, 0, PCS(0x2, 0x5), 6);
    add_sample(b, 1, 1, 0, PCS(0x6, 0x2, 0x1), 1);
    add_sample(b, 1, 1, 0, PCS(0x1), 4);
    add_sample(b, 1, 1, 0, PCS(0x4, 0x3, 0x1), 5);
    add_sample(b, 1, 1, 0, PCS(0x2, 0x1), 3);
}

POOLED_TEST(flame_tree, a_frame_is_as_wide_as_the_stacks_that_go_through_it)
{
    struct profile_builder b;

    add_stacks(&b);
    assert_tree(&b, false, 0,
                "0+19 all\n"
                " 0+13 0x1\n"
                "  4+4 0x2\n"
                "   7+1 0x6\n"
                "  8+5 0x3\n"
                "   8+5 0x4\n"
                " 13+6 0x5\n"
                "  13+6 0x2\n",
                0, 4);
}

POOLED_TEST(flame_tree, reversed_stacks_stand_on_their_leaves)
{
    struct profile_builder b;

    add_stacks(&b);
    assert_tree(&b, true, 0,
                "0+19 all\n"
                " 0+4 0x1\n"
                " 4+9 0x2\n"
                "  4+3 0x1\n"
                "  7+6 0x5\n"
                " 13+5 0x4\n"
                "  13+5 0x3\n"
                "   13+5 0x1\n"
                " 18+1 0x6\n"
                "  18+1 0x2\n"
                "   18+1 0x1\n",
                0, 4);
}

/* They stay in what they stand on: nothing moves and nothing gets narrower. */
POOLED_TEST(flame_tree, narrow_frames_are_left_out_and_counted)
{
    struct profile_builder b;

    add_stacks(&b);
    assert_tree(&b, false, 5,
                "0+19 all\n"
                " 0+13 0x1\n"
                "  8+5 0x3\n"
                "   8+5 0x4\n"
                " 13+6 0x5\n"
                "  13+6 0x2\n",
                2, 4);
    add_stacks(&b);
    assert_tree(&b, false, 6, "0+19 all\n 0+13 0x1\n 13+6 0x5\n  13+6 0x2\n", 4, 3);
    add_stacks(&b);
    assert_tree(&b, false, 20, "0+19 all\n", 7, 1);
}

POOLED_TEST(flame_tree, frames_side_by_side_are_in_the_order_of_their_bytes)
{
    struct profile_builder b;

    start_profile(&b);
    add_sample(&b, 1, 1, 0, PCS(0x9, 0x1), 1);
    add_sample(&b, 1, 1, 0, PCS(0x10, 0x1), 1);
    add_sample(&b, 1, 1, 0, PCS(0xa, 0x1), 1);
    add_sample(&b, 1, 1, 0, PCS(0x100, 0x1), 1);
    assert_tree(&b, false, 0,
                "0+4 all\n 0+4 0x1\n  0+1 0x10\n  1+1 0x100\n  2+1 0x9\n  3+1 0xa\n", 0,
                3);
}

POOLED_TEST(flame_tree, a_function_that_calls_itself_stands_on_itself)
{
    struct profile_builder b;

    start_profile(&b);
    add_sample(&b, 1, 1, 0, PCS(0x1, 0x1, 0x1), 2);
    add_sample(&b, 1, 1, 0, PCS(0x1), 1);
    assert_tree(&b, false, 0, "0+3 all\n 0+3 0x1\n  1+2 0x1\n   1+2 0x1\n", 0, 4);
}

POOLED_TEST(flame_tree, no_samples_make_one_frame_of_no_width)
{
    struct profile_builder b;

    start_profile(&b);
    assert_tree(&b, false, 0, "0+0 all\n", 0, 1);
}

POOLED_TEST(flame_tree, sums_stay_at_their_largest_value)
{
    struct profile_builder b;

    start_profile(&b);
    for (uint64_t pc = 1; pc <= 4; pc++)
        add_sample(&b, 1, 1, 0, PCS(pc), INT64_MAX);
    assert_tree(&b, false, 1,
                "0+18446744073709551615 all\n"
                " 0+9223372036854775807 0x1\n"
                " 9223372036854775807+9223372036854775807 0x2\n"
                " 18446744073709551614+1 0x3\n",
                1, 2);
}

POOLED_TEST(flame_tree, a_stack_of_any_depth_is_laid_down)
{
    enum { DEPTH = 200000 };
    uint64_t *pcs = memory_reserve(DEPTH * sizeof(*pcs));
    struct flame_tree tree;
    struct profile_builder b;
    struct profile p;
    struct fold f;

    for (uint64_t i = 0; i < DEPTH; i++)
        pcs[i] = i % 2 + 1;
    start_profile(&b);
    add_sample(&b, 1, 1, 0, &(struct fxt_words){pcs, DEPTH, false}, 7);
    fold(&b, &p, &f);
    flame_tree_build(&tree, &f, NULL, false, 0);
    cr_assert_eq(tree.n_frames, DEPTH + 1);
    cr_assert_eq(tree.n_levels, DEPTH + 1);
    for (size_t i = 0; i <= DEPTH; i++) {
        cr_assert_eq(tree.frames[i].depth, i);
        cr_assert_eq(tree.frames[i].count, 7);
    }
}
