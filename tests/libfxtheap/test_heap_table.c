/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of libfxtheap: what is put into it is found in it, by several threads at a
 * time and under the eyes of a reader. */
#include "tests/support/harness.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfxtheap/shared/look.h"
#include "libfxtheap/slots.h"
#include "libfxtheap/stacks.h"
#include "libfxtheap/table.h"

static const struct heap_stack_state no_state;

static char directory[] = "/tmp/test_heap_XXXXXX";

static struct table *make_table(uint64_t n_slots, uint64_t sample_bytes)
{
    struct table_options options = {.directory = directory,
                                    .n_slots = n_slots,
                                    .sample_bytes = sample_bytes,
                                    .depth = 8};
    struct table *table = calloc(1, table_struct_size(&options));

    CHECK(mkdtemp(directory) != NULL, "no directory");
    CHECK(table != NULL && table_create(table, &options), "no table: %s",
          strerror(errno));
    return table;
}

static void free_table(struct table *table)
{
    table_unlink(table);
    table_unmap(table);
    free(table);
    CHECK(rmdir(directory) == 0, "something was left: %s", strerror(errno));
    memset(directory + sizeof(directory) - 7, 'X', 6);
}

static bool put(struct table *table, uint64_t address, uint64_t size)
{
    struct block block = {address, size, 1, 0, 0};

    return slots_insert(table, &block);
}

static uint64_t count_blocks(const struct table *table, uint64_t n_slots)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < n_slots; i++)
        n += table_is_granted(table, &table->slots[i]) &&
             heap_key_address(table->slots[i].key) != 0;
    return n;
}

/* ---- One thread -------------------------------------------------------------------- */

TEST(heap_table, the_file_is_its_owners_alone_and_is_sparse)
{
    struct table *table = make_table(1 << 20, 0);
    struct stat status = {0};

    CHECK(stat(table->path, &status) == 0, "%s", table->path);
    CHECK((status.st_mode & 0777) == 0600, "%o", (unsigned)status.st_mode);
    CHECK((uint64_t)status.st_size == table->header->file_size, "size");
    CHECK(status.st_blocks * 512 < 1 << 20, "%lld blocks", (long long)status.st_blocks);
    CHECK(table->header->process == (uint64_t)getpid(), "process");
    free_table(table);
}

TEST(heap_table, what_is_put_is_found_until_it_is_removed)
{
    struct table *table = make_table(1 << 16, 0);

    for (uint64_t i = 1; i <= 20000; i++)
        CHECK(put(table, i * 48, i), "%llu", (unsigned long long)i);
    for (uint64_t i = 1; i <= 20000; i++) {
        struct heap_slot_v1 *slot = slots_find(table, i * 48);

        CHECK(slot != NULL && slot->size == i, "%llu", (unsigned long long)i);
        CHECK(slots_find(table, i * 48 + 8) == NULL, "%llu", (unsigned long long)i);
        if (i % 2 == 0)
            slots_remove(table, slot, 0);
    }
    CHECK(count_blocks(table, 1 << 16) == 10000, "half of them");
    for (uint64_t i = 1; i <= 20000; i++)
        CHECK((slots_find(table, i * 48) != NULL) == (i % 2 != 0), "%llu",
              (unsigned long long)i);
    free_table(table);
}

TEST(heap_table, blocks_of_pages_have_room_too)
{
    struct table *table = make_table(1 << 14, 0);

    for (uint64_t i = 1; i <= 8000; i++)
        CHECK(put(table, i * 4096 + 16, i), "only %llu", (unsigned long long)i);
    free_table(table);
}

TEST(heap_table, all_slots_can_be_used_and_then_it_says_no)
{
    struct table *table = make_table(1 << 14, 0);
    uint64_t n = 0;

    while (put(table, (n + 1) * 64, n))
        n++;
    CHECK(n == 1 << 14, "%llu", (unsigned long long)n);
    CHECK(slots_find(table, (n + 1) * 64) == NULL, "it was reported as lost");
    slots_remove(table, slots_find(table, 64), 7);
    CHECK(put(table, 32, 1), "one is free again");
    CHECK(!put(table, 16, 1), "and only one");
    free_table(table);
}

/* What the file and the index take together. */
static uint64_t bytes_of(const struct table *table)
{
    struct stat status = {0};

    CHECK(stat(table->path, &status) == 0, "%s", table->path);
    return (uint64_t)status.st_blocks * 512 + block_index_size(&table->blocks);
}

/* Whatever the distance of the blocks: from 8 bytes to a quarter of a gigabyte. */
TEST(heap_table, a_block_takes_no_more_than_64_bytes)
{
    static const uint64_t distances[] = {8, 16, 32, 4096, 60000, 1 << 21, 1 << 28};

    for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
        struct table *table = make_table(1 << 22, 0);

        for (uint64_t n = 1; n <= 700000; n++) {
            CHECK(put(table, n * distances[i] % HEAP_ADDRESS_END, n), "%llu",
                  (unsigned long long)n);
            CHECK(n % 997 != 0 || bytes_of(table) <= 64 * n + (1 << 20),
                  "%llu blocks take %llu bytes", (unsigned long long)n,
                  (unsigned long long)bytes_of(table));
        }
        free_table(table);
    }
}

/* A million come and go, and never more than a thousand are there. */
TEST(heap_table, freed_slots_are_used_again)
{
    struct table *table = make_table(1 << 20, 0);
    uint64_t before = 0;

    for (uint64_t n = 1; n <= 1000000; n++) {
        struct block block = {n * 32, n, n, 0, (uint32_t)(n * 7)};

        CHECK(slots_insert(table, &block), "%llu", (unsigned long long)n);
        if (n > 1000)
            slots_remove(table, slots_find(table, (n - 1000) * 32), (uint32_t)(n * 5));
        if (n == 10000)
            before = bytes_of(table);
    }
    CHECK(table->slots_used <= 1001, "%llu slots", (unsigned long long)table->slots_used);
    CHECK(bytes_of(table) == before, "it grew from %llu bytes",
          (unsigned long long)before);
    free_table(table);
}

TEST(heap_table, addresses_that_no_key_can_hold_are_refused)
{
    struct table *table = make_table(1 << 14, 0);

    CHECK(!put(table, HEAP_ADDRESS_END, 1), "too high");
    CHECK(!put(table, 0x1001, 1), "not aligned");
    CHECK(slots_find(table, 0) == NULL, "zero");
    CHECK(slots_find(table, HEAP_ADDRESS_END) == NULL, "too high");
    CHECK(put(table, HEAP_ADDRESS_END - 8, 1), "the last one");
    CHECK(slots_find(table, HEAP_ADDRESS_END - 8) != NULL, "the last one");
    free_table(table);
}

TEST(heap_table, a_size_that_files_may_not_have_is_an_error_and_no_signal)
{
    struct table_options options = {.directory = "/tmp", .n_slots = 1 << 14, .depth = 8};
    struct table *table = calloc(1, table_struct_size(&options));
    struct rlimit old = {0};
    struct rlimit limit;

    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0, "limit");
    limit = old;
    limit.rlim_cur = 1 << 20;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0, "limit");
    CHECK(!table_create(table, &options) && errno == EFBIG, "%s", strerror(errno));
    setrlimit(RLIMIT_FSIZE, &old);
    free(table);
}

TEST(heap_table, a_directory_that_is_not_there_is_an_error)
{
    struct table_options options = {
        .directory = "/tmp/there/is/no/such", .n_slots = 1 << 14, .depth = 8};
    struct table *table = calloc(1, table_struct_size(&options));

    CHECK(!table_create(table, &options) && errno == ENOENT, "%s", strerror(errno));
    free(table);
}

/* ---- Stacks ------------------------------------------------------------------------ */

TEST(heap_table, a_stack_is_stored_once)
{
    struct table *table = make_table(1 << 14, 0);
    uint64_t pcs[] = {11, 22, 33, 44};
    uint32_t numbers[4];
    bool is_new;

    for (uint64_t n = 1; n <= 4; n++) {
        numbers[n - 1] = stacks_add(table, &no_state, pcs, n, &is_new);
        CHECK(numbers[n - 1] != 0 && is_new, "%d", (int)n);
    }
    for (uint64_t n = 1; n <= 4; n++)
        CHECK(stacks_add(table, &no_state, pcs, n, &is_new) == numbers[n - 1] && !is_new,
              "%d", (int)n);
    free_table(table);
}

TEST(heap_table, stacks_that_have_no_room_are_number_0)
{
    struct table *table = make_table(1 << 14, 0);
    bool is_new;
    uint32_t n = 0;

    table->header->n_pool_words = 1000;
    for (uint64_t pc = 1; stacks_add(table, &no_state, &pc, 1, &is_new) != 0; pc++)
        n++;
    CHECK(n == 999 / (HEAP_STATE_WORDS + HEAP_COUNT_WORDS + HEAP_STACK_HEAD_WORDS + 1),
          "%u", n);
    free_table(table);
}

enum { STACKS_MANY = 400000 };

static uint32_t add_stack(struct table *table, uint64_t i, bool *is_new)
{
    uint64_t pcs[] = {0x400000 + i * 16, 0x500000};

    return stacks_add(table, &no_state, pcs, 2, is_new);
}

TEST(heap_table, the_index_of_stacks_grows)
{
    struct table *table = make_table(1 << 14, 0);
    uint32_t *numbers = calloc(STACKS_MANY, sizeof(*numbers));
    struct stat status = {0};
    bool is_new;

    CHECK(numbers != NULL, "no memory");
    for (uint64_t i = 0; i < STACKS_MANY; i++) {
        numbers[i] = add_stack(table, i, &is_new);
        CHECK(numbers[i] != 0 && is_new, "%llu", (unsigned long long)i);
        if (i == 1000)
            CHECK(stat(table->path, &status) == 0 && status.st_blocks * 512 < 1 << 18,
                  "few stacks take %lld bytes", (long long)status.st_blocks * 512);
    }
    for (uint64_t i = 0; i < STACKS_MANY; i++)
        CHECK(add_stack(table, i, &is_new) == numbers[i] && !is_new, "%llu",
              (unsigned long long)i);
    free(numbers);
    free_table(table);
}

TEST(heap_table, an_index_that_is_full_is_reported)
{
    struct table *table = make_table(1 << 14, 0);
    uint64_t used;
    bool is_new;
    uint64_t n = 0;

    table->n_levels = 2;
    while (add_stack(table, n, &is_new) != 0)
        n++;
    CHECK(n > 1 << 14 && n < table_level_start(2), "%llu", (unsigned long long)n);
    used = table->header->pool_used;
    CHECK(add_stack(table, n, &is_new) == 0, "there is no room");
    CHECK(table->header->pool_used == used, "what has no entry takes no memory");
    CHECK(add_stack(table, 0, &is_new) != 0 && !is_new, "the first is there");
    free_table(table);
}

/* ---- Several threads --------------------------------------------------------------- */

enum { WRITERS = 3, ADDRESSES = 64, ROUNDS = 30000 };

struct writer {
    struct table *table;
    unsigned number;
    uint32_t stack;
};

static bool writers_done;

/* A block's words agree with each other: its time has its address, its size its time, but
 * for what a resize has added, and its owner both. */
static uint64_t time_of(uint64_t address, uint64_t round)
{
    return address << 24 | round;
}

#define RESIZED (UINT64_C(1) << 46)

static struct block block_of(uint64_t address, uint64_t round)
{
    uint64_t time = time_of(address, round);

    return (struct block){address, time % 1000003, time, (uint32_t)(time * 31),
                          (uint32_t)(time * 17)};
}

static void change(struct heap_slot_v1 *slot, uint64_t round)
{
    if (round % 3 == 0)
        slots_resize(slot, slot->size + RESIZED);
    if (round % 5 == 0) {
        slots_begin_move(slot);
        slots_end_move(slot);
    }
}

static void *write_blocks(void *context)
{
    struct writer *writer = context;
    uint64_t pcs[] = {1, 2, 3, 4};
    bool is_new;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t address =
            0x100000 + (round * 7919 % ADDRESSES * WRITERS + writer->number) * 16;
        struct heap_slot_v1 *slot = slots_find(writer->table, address);
        struct block block = block_of(address, round);

        if (slot != NULL) {
            change(slot, round);
            slots_remove(writer->table, slot, writer->number);
        }
        CHECK(slots_insert(writer->table, &block), "no room");
        writer->stack = stacks_add(writer->table, &no_state, pcs, 1 + round % 4, &is_new);
        stacks_count(writer->table, writer->stack, 1, 2);
        stacks_count_temporary(writer->table, writer->stack);
        stacks_count_realloc(writer->table, writer->stack, round % 8 < 4);
    }
    return NULL;
}

struct passing {
    struct table *table;
    unsigned number;
    uint64_t n;
};

enum { PASSED = 64 };

/* An address is in its place from when its block is in the table until it is freed. */
static uint64_t passed[PASSED];

static void *pass_blocks(void *context)
{
    struct passing *p = context;

    for (uint64_t i = 0; i < p->n; i++) {
        uint64_t address = (i * WRITERS + p->number + 1) * 16;
        struct block block = {address, i, 1, 0, p->number};
        uint64_t other;

        CHECK(slots_insert(p->table, &block), "no room");
        other = __atomic_exchange_n(&passed[i % PASSED], address, __ATOMIC_ACQ_REL);
        if (other != 0) {
            struct heap_slot_v1 *slot = slots_find(p->table, other);

            CHECK(slot != NULL && heap_key_address(slot->key) == other, "another block");
            if (i % 2 == 0)
                slots_remove(p->table, slot, p->number);
            else
                CHECK(slots_free(p->table, other, p->number) != SLOTS_NO_BLOCK,
                      "it is there");
        }
    }
    for (int i = 0; i < PASSED; i++) {
        uint64_t other = __atomic_exchange_n(&passed[i], 0, __ATOMIC_ACQ_REL);

        if (other != 0)
            CHECK(slots_free(p->table, other, p->number) != SLOTS_NO_BLOCK,
                  "it is there");
    }
    CHECK(slots_free(p->table, 8, p->number) == SLOTS_NO_BLOCK, "it is not there");
    return NULL;
}

/* As a copy of the file would be, but so that the thread sanitizer knows what it is. */
static void copy_slots(struct heap_slot_v1 *to, struct heap_slot_v1 *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i].key = __atomic_load_n(&from[i].key, __ATOMIC_ACQUIRE);
        to[i].time_ns = __atomic_load_n(&from[i].time_ns, __ATOMIC_ACQUIRE);
        to[i].size = __atomic_load_n(&from[i].size, __ATOMIC_ACQUIRE);
        to[i].owner = __atomic_load_n(&from[i].owner, __ATOMIC_ACQUIRE);
    }
}

static void check_block(const struct heap_slot_v1 *slot)
{
    uint64_t address = heap_key_address(slot->key);
    struct block block = block_of(address, slot->time_ns & ((1 << 24) - 1));

    CHECK(slot->time_ns >> 24 == address, "the time is another block's");
    CHECK(slot->size % RESIZED == block.size, "the size is another block's");
    CHECK(slot->owner == ((uint64_t)block.thread << 32 | block.stack),
          "the owner is another block's");
}

static uint64_t look(struct table *table, struct heap_slot_v1 *copies[3])
{
    uint64_t n_found = 0;

    for (uint64_t first = 0; first < table->n_slots; first += TABLE_GRANT_SLOTS) {
        struct heap_slot_v1 *slots = &table->slots[first];

        if (!table_is_granted(table, slots))
            continue;
        for (int i = 0; i < 3; i++)
            copy_slots(copies[i], slots, TABLE_GRANT_SLOTS);
        for (int i = 0; i < TABLE_GRANT_SLOTS; i++) {
            struct heap_slot_v1 slot;

            if (look_settle(&copies[0][i], &copies[1][i], &copies[2][i], &slot) !=
                LOOK_BLOCK)
                continue;
            check_block(&slot);
            n_found++;
        }
    }
    return n_found;
}

static void *read_blocks(void *context)
{
    struct table *table = context;
    struct heap_slot_v1 *copies[3];

    for (int i = 0; i < 3; i++)
        copies[i] = malloc(TABLE_GRANT_SLOTS * sizeof(*copies[i]));
    while (!__atomic_load_n(&writers_done, __ATOMIC_ACQUIRE))
        CHECK(look(table, copies) <= WRITERS * ADDRESSES, "more blocks than addresses");
    CHECK(look(table, copies) == WRITERS * ADDRESSES, "at the end all are there");
    for (int i = 0; i < 3; i++)
        free(copies[i]);
    return NULL;
}

TEST(heap_table, a_reader_sees_whole_blocks_while_threads_write)
{
    struct table *table = make_table(1 << 12, 0);
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    pthread_t reader;

    writers_done = false;
    pthread_create(&reader, NULL, read_blocks, table);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){table, i, 0};
        pthread_create(&threads[i], NULL, write_blocks, &writers[i]);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&writers_done, true, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    CHECK(writers[0].stack == writers[1].stack && writers[0].stack == writers[2].stack,
          "a stack has one number");
    free_table(table);
}

/* Blocks of one thread are freed by another, as in a queue, and readers look at them. */
TEST(heap_table, threads_may_free_the_blocks_of_others)
{
    enum { N = 200000, SHARE = N / WRITERS };
    struct table *table = make_table(1 << 18, 0);
    struct passing passing[WRITERS];
    pthread_t threads[WRITERS];

    for (unsigned i = 0; i < WRITERS; i++) {
        passing[i] = (struct passing){table, i, SHARE};
        pthread_create(&threads[i], NULL, pass_blocks, &passing[i]);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    CHECK(count_blocks(table, 1 << 18) == 0, "all were freed");
    CHECK(table->slots_used < 1000, "%llu slots", (unsigned long long)table->slots_used);
    CHECK(put(table, 64, 1) && count_blocks(table, 1 << 18) == 1, "it works as before");
    free_table(table);
}

/* All count the same four stacks, each equally often. */
TEST(heap_table, no_count_of_a_stack_is_lost)
{
    struct table *table = make_table(1 << 12, 0);
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    uint64_t objects = 0;
    uint64_t moved = 0;

    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){table, i, 0};
        pthread_create(&threads[i], NULL, write_blocks, &writers[i]);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    for (uint64_t i = 0; i < table->header->n_index; i++) {
        const struct heap_stack_v1 *stack;
        const struct heap_stack_counts *counts;

        if (!table_is_granted(table, &table->index[i]) || table->index[i] == 0)
            continue;
        stack = (const void *)&table->pool[(uint32_t)table->index[i]];
        counts = (const void *)((const uint64_t *)stack - HEAP_COUNT_WORDS);
        CHECK(stack->alloc_bytes == 2 * stack->alloc_objects, "bytes");
        CHECK(counts->temporary == stack->alloc_objects, "temporary blocks");
        CHECK(counts->moved + counts->resized == stack->alloc_objects, "reallocs");
        objects += stack->alloc_objects;
        moved += counts->moved;
    }
    CHECK(moved == (uint64_t)WRITERS * ROUNDS / 2, "%llu", (unsigned long long)moved);
    CHECK(objects == (uint64_t)WRITERS * ROUNDS, "%llu", (unsigned long long)objects);
    free_table(table);
}
