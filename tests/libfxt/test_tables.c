/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings and threads by index, and the memory they take. */
#include "tests/support/harness.h"

#include <string.h>

#include "tests/support/random.h"
#include "libfxt/reader/tables.h"

static struct memory memory_of(uint64_t limit)
{
    return memory_make(NULL, NULL, limit);
}

static bool set(struct tables *t, struct memory *m, uint32_t index, const char *text)
{
    return tables_set_string(t, m, index, text, (uint32_t)strlen(text), false);
}

static bool holds(const struct tables *t, uint32_t index, const char *text)
{
    struct fxt_string string = {NULL, 0, 0};

    return tables_get_string(t, index, &string) && string.size == strlen(text) &&
           memcmp(string.data, text, string.size) == 0;
}

static bool has(const struct tables *t, uint32_t index)
{
    struct fxt_string string = {NULL, 0, 0};
    bool has = tables_get_string(t, index, &string);

    CHECK(has == (string.data != NULL), "found without data");
    CHECK(has || string.size == 0, "a size of nothing");
    return has;
}

TEST(tables, string_table_are_copies_and_the_newest_wins)
{
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    char text[] = "first";

    CHECK(!has(&t, 1) && !has(&t, FXT_STRING_INDEX_MAX), "something is there");
    CHECK(set(&t, &m, 1, text) && set(&t, &m, FXT_STRING_INDEX_MAX, "last"), "");
    text[0] = 'F';
    CHECK(holds(&t, 1, "first") && holds(&t, FXT_STRING_INDEX_MAX, "last"), "");
    CHECK(!has(&t, 2) && !has(&t, FXT_STRING_INDEX_MAX - 1), "neighbours");
    CHECK(set(&t, &m, 1, "a much longer text than the one before"), "");
    CHECK(holds(&t, 1, "a much longer text than the one before"), "");
    CHECK(set(&t, &m, 1, "short") && holds(&t, 1, "short"), "");
    tables_forget_string(&t, 1);
    CHECK(!has(&t, 1) && holds(&t, FXT_STRING_INDEX_MAX, "last"), "");
    tables_forget_string(&t, 0x100);
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
}

TEST(tables, an_empty_string_is_there_and_needs_no_memory_of_the_input)
{
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    struct fxt_string string = {NULL, 0, 0};
    const char *input = "x";

    CHECK(tables_set_string(&t, &m, 7, input, 0, false), "");
    CHECK(tables_get_string(&t, 7, &string) && string.size == 0, "");
    CHECK(string.data != input, "it points into the input");
    tables_free(&t, &m);
}

TEST(tables, borrowed_strings_are_the_input_itself)
{
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    struct fxt_string string = {NULL, 0, 0};
    const char *input = "borrowed";

    CHECK(tables_set_string(&t, &m, 7, input, 8, true), "");
    CHECK(tables_get_string(&t, 7, &string), "");
    CHECK(string.data == input && string.size == 8, "");
    CHECK(set(&t, &m, 7, "a copy of more than sixteen bytes"), "");
    CHECK(holds(&t, 7, "a copy of more than sixteen bytes"), "");
    CHECK(tables_set_string(&t, &m, 7, input, 8, true) && holds(&t, 7, "borrowed"), "");
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
}

TEST(tables, threads_are_kept_and_forgotten)
{
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    struct fxt_thread thread = {0};

    CHECK(!tables_get_thread(&t, 255, &thread), "");
    tables_forget_thread(&t, 255);
    CHECK(tables_set_thread(&t, &m, 255, 7, 8), "");
    CHECK(tables_get_thread(&t, 255, &thread) && thread.known, "");
    CHECK(thread.process == 7 && thread.thread == 8, "");
    CHECK(tables_set_thread(&t, &m, 255, 9, 10), "");
    CHECK(tables_get_thread(&t, 255, &thread) && thread.process == 9, "");
    CHECK(!tables_get_thread(&t, 254, &thread) && !thread.known, "a neighbour");
    tables_forget_thread(&t, 255);
    CHECK(!tables_get_thread(&t, 255, &thread) && thread.process == 0, "");
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
}

TEST(tables, freed_tables_are_empty_and_can_be_filled_again)
{
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    struct fxt_thread thread = {0};

    for (uint32_t index = 1; index <= FXT_STRING_INDEX_MAX; index += 97)
        CHECK(set(&t, &m, index, "some text or other"), "");
    CHECK(tables_set_thread(&t, &m, 3, 7, 8), "");
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
    for (uint32_t index = 1; index <= FXT_STRING_INDEX_MAX; index++)
        CHECK(!has(&t, index), "%u", index);
    CHECK(!tables_get_thread(&t, 3, &thread), "");
    CHECK(set(&t, &m, 1, "again") && holds(&t, 1, "again"), "");
    tables_free(&t, &m);
}

TEST(tables, what_is_beyond_the_limit_is_forgotten_rather_than_old)
{
    struct memory m = memory_of(STRING_PAGE * sizeof(struct string_slot) + 32);
    struct tables t = {0};
    struct fxt_thread thread = {0};

    CHECK(set(&t, &m, 1, "sixteen bytes it") && set(&t, &m, 2, "here"), "");
    CHECK(!set(&t, &m, 1, "seventeen bytes it") && m.refusal == FXT_E_KEPT_LIMIT, "");
    CHECK(!has(&t, 1) && holds(&t, 2, "here"), "");
    CHECK(set(&t, &m, 1, "short") && holds(&t, 1, "short"), "");
    CHECK(!set(&t, &m, 0x200, "another page") && !has(&t, 0x200), "");
    CHECK(!tables_set_thread(&t, &m, 1, 2, 3), "");
    CHECK(!tables_get_thread(&t, 1, &thread), "");
    CHECK(m.used <= m.limit, "%llu", (unsigned long long)m.used);
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
}

/* What the tables should hold, the plain way: the size, of which the text follows. */
static void fill(char *text, uint32_t size, uint32_t seed)
{
    for (uint32_t i = 0; i < size; i++)
        text[i] = (char)(seed + i);
}

TEST(tables, any_order_of_registrations_is_remembered)
{
    enum { INDICES = 600, STEPS = 20000 };
    static uint32_t sizes[INDICES], seeds[INDICES];
    static char text[FXT_STRING_SIZE_MAX];
    struct memory m = memory_of(UINT64_MAX);
    struct tables t = {0};
    uint64_t random = 3;

    for (int step = 0; step < STEPS; step++) {
        uint32_t index = 1 + (uint32_t)(random_next(&random) % (INDICES - 1));
        struct fxt_string string = {NULL, 0, 0};

        CHECK(tables_get_string(&t, index, &string) == (sizes[index] > 0), "%u", index);
        fill(text, sizes[index], seeds[index]);
        CHECK(string.size == sizes[index], "%u", index);
        CHECK(string.size == 0 || memcmp(string.data, text, string.size) == 0, "%u",
              index);
        sizes[index] = 1 + (uint32_t)(random_next(&random) % 300);
        seeds[index] = (uint32_t)step;
        fill(text, sizes[index], seeds[index]);
        CHECK(tables_set_string(&t, &m, index, text, sizes[index], false), "");
    }
    tables_free(&t, &m);
    CHECK(m.used == 0, "%llu bytes are left", (unsigned long long)m.used);
}
