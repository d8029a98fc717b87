/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks in the order of their lines' bytes, whatever their names. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "fold_order.h"

static uint64_t state = 88172645463325252;

static uint64_t pick(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* The line of a stack. The caller frees. */
static char *line_of(const struct fold_stack *stack)
{
    struct text text = {NULL, 0, 0};

    for (uint32_t i = 0; i < stack->n; i++) {
        struct string name =
            strings_get(&stack->fold->names, stack->fold->frames[stack->first + i]);

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

/* Random stacks of these names, a stack at most once: the lines in the order of fold_sort
 * are the lines in the order of their bytes. */
static void check(const char *const *names, uint32_t n_names, size_t n_stacks,
                  uint32_t depth)
{
    struct fold fold = {.n_stacks = 0};
    struct strings seen = {.n = 0};
    char **expected = (char **)must_allocate(n_stacks * sizeof(*expected));

    fold.frames = (uint32_t *)must_allocate(n_stacks * depth * sizeof(*fold.frames));
    fold.stacks = (struct fold_stack *)must_allocate(n_stacks * sizeof(*fold.stacks));
    for (uint32_t i = 0; i < n_names; i++)
        strings_add(&fold.names, names[i], strlen(names[i]));
    for (size_t i = 0; i < n_stacks; i++) {
        size_t first = fold.n_frames;
        uint32_t n = 1 + (uint32_t)pick(depth);

        for (uint32_t j = 0; j < n; j++)
            fold.frames[first + j] = (uint32_t)pick(n_names);
        if (strings_add(&seen, (const char *)(fold.frames + first),
                        n * sizeof(*fold.frames)) < fold.n_stacks)
            continue;
        fold.n_frames += n;
        fold.stacks[fold.n_stacks] = (struct fold_stack){&fold, first, n, 1 + pick(120)};
        expected[fold.n_stacks] = line_of(&fold.stacks[fold.n_stacks]);
        fold.n_stacks++;
    }
    qsort(expected, fold.n_stacks, sizeof(*expected), order_texts);
    fold_sort(&fold);
    for (size_t i = 0; i < fold.n_stacks; i++) {
        char *line = line_of(&fold.stacks[i]);

        cr_assert_str_eq(line, expected[i]);
        free(line);
        free(expected[i]);
    }
    free(expected);
    strings_free(&seen);
    fold_free(&fold);
}

Test(fold_order, names_that_start_alike)
{
    const char *const names[] = {"a", "aa", "ab", "b", "a.b", "a+0x1", "a/", "A", "\xff"};

    for (size_t n = 0; n < 300; n++)
        check(names, 9, n, 3);
    check(names, 9, 20000, 12);
}

Test(fold_order, a_space_sorts_as_the_one_before_a_count)
{
    const char *const names[] = {"a", "a (b)", "a b", "a  b", "a\"", "a !", "a :x", "b"};

    for (size_t n = 0; n < 300; n++)
        check(names, 8, n, 3);
    check(names, 8, 5000, 6);
}

Test(fold_order, a_name_may_go_on_as_a_count_does)
{
    const char *const names[] = {"a", "a 1", "a 10", "a 1b", "a 9", "a 0", "a 1 1", "b"};

    for (size_t n = 0; n < 300; n++)
        check(names, 8, n, 3);
    check(names, 8, 5000, 6);
}

Test(fold_order, long_stacks_that_differ_at_their_end_are_no_trouble)
{
    const char *const names[] = {"a"};

    check(names, 1, 3000, 3000);
}
