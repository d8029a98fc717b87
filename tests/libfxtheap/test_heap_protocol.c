/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All orders in which a reader can see a slot of a heap's table, which another process
 * writes. The writer's own code runs here, and each of its stores makes the next state
 * of the slot; the reader's twelve loads may come at any states, as long as none is older
 * than that of the look before, and within a look in any order.
 */
#include "tests/support/harness.h"

#include <stdint.h>
#include <string.h>

#include "libfxtheap/shared/look.h"

enum { STATES_MAX = 16, WORDS = 4, LOADS = 3 * WORDS };

/* A slot by names, and by numbers. */
union view {
    struct heap_slot_v1 slot;
    uint64_t words[WORDS];
};

static union view states[STATES_MAX];
static int n_states;

static void note_state(const struct heap_slot_v1 *slot)
{
    CHECK(n_states < STATES_MAX, "too many states");
    states[n_states++].slot = *slot;
}

static struct heap_slot_v1 *watched;

#define SLOT_STORE(at, value) (*(at) = (value), note_state(watched))
#define SLOT_PUBLISH(at, value) SLOT_STORE(at, value)

#include "libfxtheap/slots.c"

bool table_ask(struct table *table, const void *at, uint64_t size)
{
    (void)table;
    (void)at;
    (void)size;
    return true;
}

/* ---- A table of one piece ---------------------------------------------------------- */

static struct {
    _Alignas(TABLE_GRANT_BYTES) unsigned char header[TABLE_GRANT_BYTES];
    struct heap_slot_v1 slots[TABLE_GRANT_SLOTS];
} memory;

static union {
    struct table table;
    unsigned char bytes[sizeof(struct table) + 2];
} own;

static struct table *make_table(void)
{
    block_index_free(&own.table.blocks);
    memset(&memory, 0, sizeof(memory));
    memset(&own, 0, sizeof(own));
    own.table.header = (struct heap_header_v1 *)(void *)&memory;
    own.table.slots = memory.slots;
    own.table.n_slots = TABLE_GRANT_SLOTS;
    memset(own.table.granted, 1, 2);
    return &own.table;
}

/* ---- The writer -------------------------------------------------------------------- */

/* Both come to be in the first slot. */
enum { FIRST_ADDRESS = 0x10000, SECOND_ADDRESS = FIRST_ADDRESS + 8 };

static uint64_t next_time = 1;

static void insert(struct table *table, uint64_t address, uint64_t size)
{
    struct block block = {address, size, next_time, (uint32_t)(next_time + 100),
                          (uint32_t)(next_time + 200)};

    next_time++;
    CHECK(slots_insert(table, &block), "no room");
}

static void free_block(struct table *table, uint64_t address)
{
    bool is_moving = (watched->key & HEAP_KEY_MOVING) != 0;

    CHECK(slots_find(table, address) == (is_moving ? NULL : watched), "another slot");
    slots_remove(table, watched, 3);
}

/* Each step is a letter: i and j insert at either address, f and g free, r resizes, m and
 * n begin and end a move. */
static void write_steps(const char *steps)
{
    struct table *table = make_table();
    uint64_t size = 10;

    watched = &table->slots[0];
    n_states = 0;
    note_state(watched);
    for (; *steps != '\0'; steps++) {
        size += 7;
        switch (*steps) {
        case 'i':
            insert(table, FIRST_ADDRESS, size);
            break;
        case 'j':
            insert(table, SECOND_ADDRESS, size);
            break;
        case 'f':
            free_block(table, FIRST_ADDRESS);
            break;
        case 'g':
            free_block(table, SECOND_ADDRESS);
            break;
        case 'r':
            slots_resize(watched, size);
            break;
        case 'm':
            slots_begin_move(watched);
            break;
        default:
            slots_end_move(watched);
            break;
        }
    }
}

/* What each state shows: the key without MOVING, if there is a block, else 0. */
static uint64_t shown[STATES_MAX];

static void note_shown(void)
{
    for (int i = 0; i < n_states; i++) {
        uint64_t key = states[i].slot.key & ~HEAP_KEY_MOVING;

        shown[i] = heap_key_address(key) != 0 ? key : 0;
    }
}

/* ---- The reader -------------------------------------------------------------------- */

static int order[3][WORDS];
static union view looks[3];
static uint64_t n_checked;
static uint64_t n_found;

/* A block must be one that was there at some time between the first load and the last,
 * with a size that it had; and one that was there all the time must be found. */
static void judge(int first, int last)
{
    struct heap_slot_v1 block;
    enum look found = look_settle(&looks[0].slot, &looks[1].slot, &looks[2].slot, &block);
    bool is_always = shown[first] != 0;
    bool is_real = false;

    n_checked++;
    for (int i = first; i <= last; i++) {
        is_always = is_always && shown[i] == shown[first];
        is_real |= found == LOOK_BLOCK && shown[i] == (block.key & ~HEAP_KEY_MOVING) &&
                   states[i].slot.time_ns == block.time_ns &&
                   states[i].slot.size == block.size &&
                   states[i].slot.owner == block.owner;
    }
    n_found += found == LOOK_BLOCK;
    CHECK(found != LOOK_BLOCK || is_real, "no such block between %d and %d", first, last);
    CHECK(!is_always || found == LOOK_BLOCK, "a block was missed between %d and %d",
          first, last);
}

static void load(int n, int state, int first)
{
    if (n == LOADS) {
        judge(first, state);
        return;
    }
    for (int i = state; i < n_states; i++) {
        int word = order[n / WORDS][n % WORDS];

        looks[n / WORDS].words[word] = states[i].words[word];
        load(n + 1, i, n == 0 ? i : first);
    }
}

static void set_order(int look, int number)
{
    int left[WORDS] = {0, 1, 2, 3};

    for (int i = 0; i < WORDS; i++) {
        int n = WORDS - i;
        int at = number % n;

        number /= n;
        order[look][i] = left[at];
        memmove(&left[at], &left[at + 1], (size_t)(n - at - 1) * sizeof(left[0]));
    }
}

/* All orders of words in all looks would be many times too many: each look has many. */
static void read_in_all_orders(const char *steps)
{
    n_found = 0;
    write_steps(steps);
    note_shown();
    for (int number = 0; number < 24; number += 6) {
        set_order(0, number);
        set_order(1, (5 * number + 7) % 24);
        set_order(2, (11 * number + 13) % 24);
        load(0, 0, 0);
    }
    CHECK(n_found > 0, "no order shows a block");
}

TEST(heap_protocol, a_block_that_comes_is_whole)
{
    read_in_all_orders("i");
}

TEST(heap_protocol, a_block_that_comes_and_goes_is_whole)
{
    read_in_all_orders("if");
}

TEST(heap_protocol, an_address_that_comes_again_is_another_block)
{
    read_in_all_orders("ifi");
}

TEST(heap_protocol, a_slot_goes_from_one_address_to_another)
{
    read_in_all_orders("ifj");
}

TEST(heap_protocol, a_size_is_one_that_the_block_had)
{
    read_in_all_orders("irrrf");
}

TEST(heap_protocol, a_block_that_moves_is_there_until_it_has_moved)
{
    read_in_all_orders("imrnmf");
    read_in_all_orders("imnj");
}

TEST(heap_protocol, the_reader_that_looks_once_would_be_wrong)
{
    uint64_t n_torn = 0;

    write_steps("ifi");
    note_shown();
    for (int key = 0; key < n_states; key++) {
        for (int owner = key; owner < n_states; owner++)
            n_torn +=
                shown[key] != 0 && states[owner].slot.owner != states[key].slot.owner;
    }
    CHECK(n_torn > 0, "this test would find nothing");
}
