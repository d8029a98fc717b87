/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks, and their order: that of their lines' bytes, whatever their names. */
#include <stdlib.h>

#include "build_profile.h"
#include "libfxtprofile/output/fold.h"
#include "libfxtprofile/profile/locate.h"
#include "tests/support/pick.h"
#include "tests/support/pooled.h"

/* The line of a stack. */
static char *line_of(const struct fold *fold, const struct fold_stack *stack)
{
    struct text text = {NULL, 0, 0};

    for (uint32_t i = 0; i < fold_depth(fold, stack); i++) {
        struct string name = string_table_get(&fold->names, fold_name(fold, stack, i));

        if (i > 0)
            text_char(&text, ';');
        text_add(&text, name.data, name.size);
    }
    text_char(&text, ' ');
    text_u64(&text, stack->count);
    text_char(&text, '\0');
    return text.data;
}

static int order_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* A random stack after the others, which may be there already. Some names belong to two
 * frames. */
static void add_stack(struct fold *fold, struct profile *p, uint32_t n_names,
                      uint32_t depth)
{
    uint32_t number = (uint32_t)fold->n_stacks++;
    uint32_t n = 1 + (uint32_t)pick(depth);
    uint32_t *frames = arena_add(&p->frames, n);

    for (uint32_t j = 0; j < n; j++)
        frames[j] = (uint32_t)pick(n_names + n_names / 2);
    p->stacks[number] = (struct profile_stack){frames, n, 0, 0};
    fold->rows[number] =
        (struct sort_row){1 + pick(120), number, (uint32_t)pick(fold->n_root_sets)};
}

/* The names of a stack, as bytes. The caller frees. */
static uint32_t *names_of(const struct fold *fold, const struct fold_stack *stack)
{
    uint32_t *names =
        (uint32_t *)memory_allocate(fold_depth(fold, stack) * sizeof(*names));

    for (uint32_t i = 0; i < fold_depth(fold, stack); i++)
        names[i] = fold_name(fold, stack, i);
    return names;
}

/* As many sets of roots as it takes for all to be different, some more than one name
 * long. */
static void add_roots(struct fold *fold, uint32_t n_names, uint32_t n_roots)
{
    fold->n_roots = n_roots;
    fold->n_root_sets = n_roots > 0 ? n_names : 1;
    fold->root_names = (uint32_t *)memory_allocate(fold->n_root_sets * n_roots *
                                                   sizeof(*fold->root_names));
    for (uint32_t i = 0; i < fold->n_root_sets * n_roots; i++)
        fold->root_names[i] = i % n_roots > 0 ? (uint32_t)pick(n_names) : i / n_roots;
}

/* Random stacks of these names: the lines in the order of fold_sort are those of the
 * different stacks, with the sums of their counts, in the order of their bytes. */
static void check_with_roots(const char *const *names, uint32_t n_names, size_t n_stacks,
                             uint32_t depth, uint32_t n_roots)
{
    struct profile p = {.n_threads = 1 + n_roots};
    struct fold fold = {.profile = &p, .n_frame_names = n_names + n_names / 2};
    uint32_t *frame_names =
        (uint32_t *)memory_allocate(fold.n_frame_names * sizeof(*frame_names));
    struct string_table seen = {.n = 0};
    struct fold_stack *sums =
        (struct fold_stack *)memory_allocate(n_stacks * sizeof(*sums));
    char **expected = (char **)memory_allocate(n_stacks * sizeof(*expected));

    for (uint32_t i = 0; i < fold.n_frame_names; i++)
        frame_names[i] = i % n_names;
    fold.frame_names = frame_names;
    add_roots(&fold, n_names, n_roots);
    p.stacks = (struct profile_stack *)memory_allocate(n_stacks * sizeof(*p.stacks));
    fold.rows = (struct sort_row *)memory_allocate(n_stacks * sizeof(*fold.rows));
    for (uint32_t i = 0; i < n_names; i++)
        string_table_add(&fold.names, names[i], strlen(names[i]));
    for (size_t i = 0; i < n_stacks; i++) {
        struct fold_stack stack;
        uint32_t *numbers;
        uint64_t count;
        uint32_t number;

        add_stack(&fold, &p, n_names, depth);
        stack = fold_stack_at(&fold, i);
        numbers = names_of(&fold, &stack);
        number = string_table_add(&seen, (const char *)numbers,
                                  fold_depth(&fold, &stack) * sizeof(*numbers));
        count = sums[number].count;
        sums[number] = stack;
        sums[number].count += count;
    }
    for (size_t i = 0; i < seen.n; i++)
        expected[i] = line_of(&fold, &sums[i]);
    qsort(expected, seen.n, sizeof(*expected), order_texts);
    fold_sort(&fold);
    cr_assert_eq(fold.n_stacks, seen.n);
    for (size_t i = 0; i < fold.n_stacks; i++) {
        struct fold_stack stack = fold_stack_at(&fold, i);

        cr_assert_str_eq(line_of(&fold, &stack), expected[i]);
    }
}

static void check(const char *const *names, uint32_t n_names, size_t n_stacks,
                  uint32_t depth)
{
    check_with_roots(names, n_names, n_stacks, depth, 0);
    check_with_roots(names, n_names, n_stacks, depth, 1);
    check_with_roots(names, n_names, n_stacks, depth, 2);
}

POOLED_TEST(fold_order, names_that_start_alike)
{
    const char *const names[] = {"a", "aa", "ab", "b", "a.b", "a+0x1", "a/", "A", "\xff"};

    for (size_t n = 0; n < 300; n++)
        check(names, 9, n, 3);
    check(names, 9, 20000, 12);
}

POOLED_TEST(fold_order, a_space_sorts_as_the_one_before_a_count)
{
    const char *const names[] = {"a", "a (b)", "a b", "a  b", "a\"", "a !", "a :x", "b"};

    for (size_t n = 0; n < 300; n++)
        check(names, 8, n, 3);
    check(names, 8, 5000, 6);
}

POOLED_TEST(fold_order, a_name_may_continue_as_a_count_does)
{
    const char *const names[] = {"a", "a 1", "a 10", "a 1b", "a 9", "a 0", "a 1 1", "b"};

    for (size_t n = 0; n < 300; n++)
        check(names, 8, n, 3);
    check(names, 8, 5000, 6);
}

POOLED_TEST(fold_order, long_stacks_that_differ_at_their_end_are_no_trouble)
{
    const char *const names[] = {"a"};

    check(names, 1, 3000, 3000);
}

/* A stack of 100 threads on two CPUs each, in both of two processes. */
static void build_threads(struct profile *p)
{
    struct profile_builder b;
    struct symbolizer symbolizer = {.n = 0};
    struct modules modules = {.n_modules = 0};

    start_profile(&b);
    b.is_any_order = true;
    for (uint64_t thread = 1; thread <= 100; thread++) {
        for (uint32_t cpu = 0; cpu < 2; cpu++) {
            add_sample(&b, 7, thread, cpu, PCS(0x10, 0x20, 0x30), 1);
            add_sample(&b, 8, thread, cpu, PCS(0x10, 0x20, 0x30), 2);
        }
    }
    modules_finish(&modules);
    profile_builder_sort(&b);
    profile_locate(&b, &modules, &symbolizer);
    profile_builder_finish(&b, p);
}

/* As many stacks before they are sorted, and then, of frames with these roots. */
static void assert_stacks(const struct output_settings *settings, size_t n_before,
                          size_t n)
{
    struct profile p;
    struct fold_stack stack;
    struct fold fold;
    uint64_t total = 0;

    build_threads(&p);
    cr_assert_eq(p.n_samples, 400);
    fold_profile(&fold, &p, settings);
    cr_assert_eq(fold.n_stacks, n_before);
    stack = fold_stack_at(&fold, 0);
    cr_assert_eq(fold_depth(&fold, &stack), settings->n_roots + 3);
    fold_sort(&fold);
    cr_assert_eq(fold.n_stacks, n);
    for (size_t i = 0; i < n; i++)
        total += fold_stack_at(&fold, i).count;
    cr_assert_eq(total, 600);
}

POOLED_TEST(fold, threads_that_roots_do_not_show_take_no_memory)
{
    const struct output_settings none = {.n_roots = 0};
    const struct output_settings by_process = {.n_roots = 1,
                                               .roots = {FXT_PROFILE_ROOT_PROCESS}};
    const struct output_settings by_thread = {.n_roots = 1,
                                              .roots = {FXT_PROFILE_ROOT_THREAD}};

    assert_stacks(&none, 2, 1);
    assert_stacks(&by_process, 2, 2);
    assert_stacks(&by_thread, 200, 100);
}
