/* SPDX-License-Identifier: BSD-2-Clause */
/* See table.h. */
#include "table.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static void put_entry(struct table *table, uint32_t hash, uint32_t entry)
{
    size_t at = hash & (table->n_slots - 1);

    while (table->slots[at].entry != 0)
        at = (at + 1) & (table->n_slots - 1);
    table->slots[at] = (struct table_slot){hash, entry};
}

static void grow_table(struct table *table)
{
    struct table old = *table;

    table->n_slots = old.n_slots > 0 ? old.n_slots * 2 : 16;
    table->slots = memory_allocate(table->n_slots * sizeof(*table->slots));
    for (size_t i = 0; i < old.n_slots; i++) {
        if (old.slots[i].entry != 0)
            put_entry(table, old.slots[i].hash, old.slots[i].entry);
    }
    memory_release(old.slots);
}

void table_too_many(void)
{
    memory_fail("more different things than can be counted");
}

void table_add(struct table *table, uint64_t hash, uint64_t number)
{
    if (number > TABLE_MAX)
        table_too_many();
    if (table->n_used >= table->n_slots / 8 * 5)
        grow_table(table);
    put_entry(table, table_hash(hash), (uint32_t)number + 1);
    table->n_used++;
}

void table_free(struct table *table)
{
    memory_release(table->slots);
    *table = (struct table){NULL, 0, 0};
}

/* 0 until it is made. */
static uint64_t start;

static void make_start(void)
{
    uint64_t made = 0;

    /* Where there is no entropy, it is always the same. */
    if (getentropy(&made, sizeof(made)) != 0 || made == 0)
        made = 0x243f6a8885a308d3;
    FXT_STORE_RELEASE(&start, made);
}

uint64_t hash_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t made = FXT_LOAD_ACQUIRE(&start);

    /* For each record, a call would be too much. */
    if (FXT_LIKELY(made != 0))
        return made;
    pthread_once(&once, make_start);
    return start;
}

uint64_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t hash = hash_word(hash_start(), size);
    uint64_t word;

    for (; size >= sizeof(word); size -= sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = hash_word(hash, word);
        bytes += sizeof(word);
    }
    word = 0;
    if (size > 0)
        memcpy(&word, bytes, size);
    return hash_word(hash, word);
}
