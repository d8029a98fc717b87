/* SPDX-License-Identifier: BSD-2-Clause */
/* The places of names are those of their text and what follows it. */
#include <stdlib.h>
#include <string.h>

#include "libfxtprofile/output/name_ranks.h"
#include "tests/support/pick.h"
#include "tests/support/pooled.h"

enum { TEXT_MAX = 128 };

/* A name and what follows it, and its place. */
struct row {
    char text[TEXT_MAX];
    uint32_t place;
};

static int order_rows(const void *left, const void *right)
{
    return strcmp(((const struct row *)left)->text, ((const struct row *)right)->text);
}

/* Some characters from an alphabet, after one of few beginnings. */
static void add_name(struct string_table *names, const char *alphabet, size_t longest)
{
    static const char *const beginnings[] = {"", "0xffffffff8",
                                             "std::vector<int>::", "0xffffffff80000"};
    struct text name = {NULL, 0, 0};
    size_t n = pick(longest + 1);

    text_str(&name, beginnings[pick(4)]);
    for (size_t i = 0; i < n; i++)
        text_char(&name, alphabet[pick(strlen(alphabet))]);
    while (name.size > 0 && name.data[name.size - 1] == ' ')
        name.size--;
    string_table_add(names, name.data, name.size);
}

/* Whether a name continues as another one and a count. */
static bool some_continue(const struct string_table *names)
{
    for (uint32_t i = 0; i < names->n; i++) {
        struct string a = string_table_get(names, i);

        for (uint32_t j = 0; j < names->n; j++) {
            struct string b = string_table_get(names, j);

            if (b.size > a.size + 1 && memcmp(a.data, b.data, a.size) == 0 &&
                b.data[a.size] == ' ' && strchr("0123456789", b.data[a.size + 1]))
                return true;
        }
    }
    return false;
}

static void set_row(struct row *row, struct string name, const char *tail, uint32_t place)
{
    memcpy(row->text, name.data, name.size);
    strcpy(row->text + name.size, tail);
    row->place = place;
}

static void check_names(const struct string_table *names)
{
    struct name_ranks ranks;
    bool is_order = name_ranks_make(&ranks, names);
    struct row *rows = (struct row *)memory_allocate(2 * names->n * sizeof(*rows));

    cr_assert_eq(is_order, !some_continue(names));
    for (uint32_t i = 0; i < names->n; i++) {
        set_row(&rows[2 * i], string_table_get(names, i), " 0", ranks.last[i]);
        set_row(&rows[2 * i + 1], string_table_get(names, i), ";", ranks.inner[i]);
    }
    qsort(rows, 2 * names->n, sizeof(*rows), order_rows);
    for (uint32_t i = 0; i < 2 * names->n; i++)
        cr_assert_eq(rows[i].place, i + 1, "%s", rows[i].text);
}

static void check(size_t n, const char *alphabet, size_t longest)
{
    struct string_table names = {.n = 0};

    for (size_t i = 0; i < n; i++)
        add_name(&names, alphabet, longest);
    check_names(&names);
}

POOLED_TEST(name_ranks, places_are_in_the_order_of_texts)
{
    for (size_t n = 1; n < 120; n++) {
        check(n, "ab", 6);
        check(n, "a 1", 5);
        check(n, "a 0", 5);
        check(n, "a !:\x7f\xff", 20);
    }
    check(1500, "0123456789abcdef", 7);
    check(1500, "0123456789abcdef", 30);
    check(1500, "ab ", 40);
}

POOLED_TEST(name_ranks, names_may_share_long_beginnings)
{
    check(1000, "a", 100);
    check(1000, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 100);
}

POOLED_TEST(name_ranks, names_may_leave_a_long_beginning_one_after_another)
{
    struct string_table names = {.n = 0};
    struct text name = {NULL, 0, 0};

    for (size_t i = 0; i < 100; i++)
        text_char(&name, 'a');
    for (size_t i = 0; i < 100; i++) {
        name.size = 100;
        text_printf(&name, "%zu", i);
        string_table_add(&names, name.data, name.size);
    }
    for (size_t n = 100; n-- > 0;) {
        name.size = n;
        text_char(&name, 'b');
        string_table_add(&names, name.data, name.size);
        memset(name.data, 'a', 100);
    }
    check_names(&names);
}
