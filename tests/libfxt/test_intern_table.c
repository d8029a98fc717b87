/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of indices alone: after any calls in any order, what means something is
 * in its chain once, and is found from both sides. */
#include "tests/support/harness.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "libfxt/writer/intern_table.h"
#include "tests/support/random.h"

enum { MOST = 64, N_HASHES = 24 };

static void check_chains(const struct intern_table *t, uint64_t step)
{
    bool seen[MOST] = {false};
    uint32_t n_seen = 0;
    uint32_t n_linked = 0;

    for (uint32_t chain = 0; chain < t->n_slots; chain++) {
        uint32_t previous = 0;

        for (uint32_t i = t->chains[chain]; i != 0; i = t->slots[i].next) {
            CHECK(i <= t->n && !seen[i], "step %d: %u is twice in a chain", (int)step, i);
            CHECK(t->slots[i].linked, "step %d: %u means nothing", (int)step, i);
            CHECK(t->slots[i].previous == previous, "step %d: %u, seen from the end",
                  (int)step, i);
            CHECK((t->slots[i].hash >> 1 & (t->n_slots - 1)) == chain,
                  "step %d: %u is in a wrong chain", (int)step, i);
            seen[i] = true;
            n_seen++;
            previous = i;
        }
    }
    for (uint32_t i = 1; i <= t->n; i++)
        n_linked += t->slots[i].linked;
    CHECK(n_seen == n_linked, "step %d: %u of %u are in a chain", (int)step, n_seen,
          n_linked);
}

static struct intern_key pick_key(uint64_t *state)
{
    return (struct intern_key){.hash = (uint32_t)(random_next(state) % N_HASHES) << 1};
}

/* A record takes a few indices; now and then it gives them all back. */
static void take_some(struct intern_table *t, struct memory *memory, uint32_t record,
                      uint64_t *state)
{
    uint32_t taken[8];
    uint64_t n = random_next(state) % 8;

    for (uint64_t i = 0; i < n; i++) {
        struct intern_key key = pick_key(state);

        taken[i] = intern_table_take(t, memory, record);
        CHECK(taken[i] != 0 && taken[i] <= t->n, "");
        CHECK(!t->slots[taken[i]].linked, "%u still means something", taken[i]);
        for (uint64_t j = 0; j < i; j++)
            CHECK(taken[j] != taken[i], "%u is taken twice by one record", taken[i]);
        intern_table_keep(t, taken[i], &key, record);
        CHECK(intern_table_find(t, &key, record) == taken[i], "the newest is not found");
    }
    if (random_next(state) % 4 == 0) {
        while (n > 0)
            intern_table_give_back(t, taken[--n]);
    }
}

TEST(intern_table, chains_are_right_after_any_calls)
{
    struct heap heap = {0};
    struct memory memory = memory_make(heap_resize, &heap, UINT64_MAX);
    struct intern_table t = {.max_slots = MOST};
    uint64_t state = 1;

    for (uint32_t step = 1; step <= 20000; step++) {
        struct intern_key key = pick_key(&state);

        take_some(&t, &memory, step, &state);
        if (random_next(&state) % 2 == 0)
            intern_table_find(&t, &key, step);
        if (random_next(&state) % 500 == 0)
            intern_table_clear(&t);
        check_chains(&t, step);
    }
    intern_table_free(&t, &memory);
    CHECK(heap.n_bytes == 0, "");
}

TEST(intern_table, one_record_can_use_up_all_indices)
{
    struct heap heap = {0};
    struct memory memory = memory_make(heap_resize, &heap, UINT64_MAX);
    struct intern_table t = {.max_slots = MOST};

    for (uint32_t i = 1; i < MOST; i++) {
        CHECK(intern_table_take(&t, &memory, 7) == i, "");
        intern_table_keep(&t, i, &(struct intern_key){.hash = 2 * i}, 7);
    }
    CHECK(intern_table_take(&t, &memory, 7) == 0, "there is none left");
    CHECK(intern_table_take(&t, &memory, 8) == 1, "for the next there is");
    intern_table_free(&t, &memory);
    CHECK(heap.n_bytes == 0, "");
}

/* Keys of one hash, each of which differs from the first in one thing. */
TEST(intern_table, equal_hashes_do_not_make_keys_equal)
{
    static char text[] = "12345678 and more 12345678";
    static char other[] = "12345678 but more 12345678";
    struct heap heap = {0};
    struct memory memory = memory_make(heap_resize, &heap, UINT64_MAX);
    struct intern_table t = {.max_slots = MOST};
    const struct intern_key keys[] = {
        {{1, 2}, text, sizeof(text) - 1, 8}, {{1, 2}, other, sizeof(other) - 1, 8},
        {{3, 2}, text, sizeof(text) - 1, 8}, {{1, 3}, text, sizeof(text) - 1, 8},
        {{1, 2}, text, sizeof(text) - 2, 8}, {{1, 2}, NULL, 16, 8},
    };
    uint32_t n = sizeof(keys) / sizeof(keys[0]);

    for (uint32_t i = 0; i < n; i++) {
        CHECK(intern_table_find(&t, &keys[i], i) == 0, "key %u is found", i);
        CHECK(intern_table_take(&t, &memory, i) == i + 1, "");
        /* The table only compares it. */
        t.slots[i + 1].data = i == 1 ? other : text;
        intern_table_keep(&t, i + 1, &keys[i], i);
    }
    for (uint32_t i = 0; i < n; i++)
        CHECK(intern_table_find(&t, &keys[i], n) == i + 1, "key %u", i);
    intern_table_free(&t, &memory);
    CHECK(heap.n_bytes == 0, "");
}
