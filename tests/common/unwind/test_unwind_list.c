/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are searched for are those of the list of all. */
#include <stdio.h>
#include <unistd.h>

#include "tests/support/pooled.h"

#include "common/unwind/unwind_function_list.h"

static struct file *file;

static void read_at(struct unwind_function_index *index, const uint64_t *addresses,
                    size_t n, struct unwind_function_list *list)
{
    *list = (struct unwind_function_list){.n = 0};
    unwind_function_index_read(index, addresses, n, list);
}

/* This program's own. */
static struct unwind_function_list read_all(void)
{
    struct unwind_function_list list = {.n = 0};
    struct text why = {NULL, 0, 0};

    file = file_open("/proc/self/exe", &why);
    cr_assert_not_null(file);
    unwind_function_list_read(&list, file);
    if (list.n == 0)
        cr_skip_test("there are no tables for this machine");
    return list;
}

POOLED_TEST(unwind_list, each_address_has_the_function_that_it_has_among_all)
{
    struct unwind_function_list all = read_all();
    struct unwind_function_index index;

    unwind_function_index_open(&index, file);
    for (size_t i = 0; i < all.n; i++) {
        const struct unwind_listed *wanted = &all.items[i];
        const uint64_t addresses[] = {wanted->start, wanted->limit - 1};
        struct unwind_function_list some;

        read_at(&index, &addresses[i % 2], 1, &some);
        cr_assert(some.n == 1 || some.n == 2, "%zu: %zu", i, some.n);
        cr_assert_eq(some.items[0].start, wanted->start);
        cr_assert_eq(some.items[0].limit, wanted->limit);
        cr_assert_eq(some.items[0].is_part, wanted->is_part);
    }
    unwind_function_index_close(&index);
    file_close(file);
}

POOLED_TEST(unwind_list, several_addresses_in_any_order_have_a_list)
{
    struct unwind_function_list all = read_all();
    struct unwind_function_list some;
    struct unwind_function_index index;
    const uint64_t addresses[] = {UINT64_MAX, all.items[all.n - 1].start, 0,
                                  all.items[0].start, all.items[0].start};

    unwind_function_index_open(&index, file);
    read_at(&index, addresses, 5, &some);
    cr_assert_geq(some.n, all.n > 1 ? 2 : 1);
    cr_assert_eq(some.items[0].start, all.items[0].start);
    cr_assert_eq(some.items[some.n - 1].start, all.items[all.n - 1].start);
    unwind_function_index_close(&index);
    file_close(file);
}

/* Copies this program to a file without a name. */
static FILE *copy_program(void)
{
    FILE *copy = tmpfile();
    size_t size = (size_t)file_size(file);
    char *bytes = memory_reserve(size);

    cr_assert(copy != NULL && file_read(file, 0, bytes, size));
    cr_assert(fwrite(bytes, 1, size, copy) == size && fflush(copy) == 0);
    file_close(file);
    return copy;
}

POOLED_TEST(unwind_list, what_a_file_has_lost_since_it_was_opened_has_no_functions)
{
    struct unwind_function_list all = read_all();
    FILE *copy = copy_program();
    const char *name = text_format("/proc/self/fd/%d", fileno(copy));
    struct text why = {NULL, 0, 0};
    struct unwind_function_index index;
    struct unwind_function_list some;

    file = file_open(name, &why);
    cr_assert_not_null(file);
    unwind_function_index_open(&index, file);
    cr_assert_eq(ftruncate(fileno(copy), 4096), 0);
    read_at(&index, &all.items[all.n / 2].start, 1, &some);
    cr_assert_eq(some.n, 0);
    unwind_function_index_close(&index);
    file_close(file);
    fclose(copy);
}
