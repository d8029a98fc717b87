/* SPDX-License-Identifier: BSD-2-Clause */
/* See intern.h. */
#include "intern.h"

#include <stddef.h>
#include <string.h>

#include "encode_header.h"

/* ---- Hashes: the same on every machine, since they have a say in what is written ----
 */

static uint64_t mix_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

static uint64_t load_8(const char *data)
{
    uint64_t word;

    FXT_COPY(&word, data, sizeof(word));
    return FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64(word) : word;
}

static uint64_t load_4(const char *data)
{
    uint32_t half;

    FXT_COPY(&half, data, sizeof(half));
    return FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64((uint64_t)half << 32) : half;
}

/* All of one to seven bytes, some of them twice. */
static uint64_t load_few(const char *data, uint32_t size)
{
    if (size >= 4)
        return load_4(data) | load_4(data + size - 4) << 32;
    return (unsigned char)data[0] | (uint64_t)(unsigned char)data[size / 2] << 8 |
           (uint64_t)(unsigned char)data[size - 1] << 16;
}

/* Never 0. The last word overlaps the one before it, since a copy of any number of bytes
 * would cost as much as all the rest. */
static uint32_t hash_string(const struct fxt_string *s)
{
    uint64_t hash = s->size;
    const char *last;

    if (s->size < sizeof(hash))
        return (uint32_t)mix_hash(mix_hash(hash, load_few(s->data, s->size)), 0) | 1;
    last = s->data + s->size - sizeof(hash);
    for (const char *at = s->data; at < last; at += sizeof(hash))
        hash = mix_hash(hash, load_8(at));
    return (uint32_t)mix_hash(mix_hash(hash, load_8(last)), 0) | 1;
}

static uint32_t hash_thread(uint64_t process, uint64_t thread)
{
    return (uint32_t)mix_hash(mix_hash(mix_hash(0, process), thread), 0);
}

/* ---- Providers --------------------------------------------------------------------- */

void intern_init(struct intern *in, struct memory *memory)
{
    *in = (struct intern){.memory = memory};
}

static struct intern_provider *find_provider(struct intern *in, uint32_t id)
{
    for (uint32_t i = 0; i < in->n_providers; i++) {
        if (in->providers[i].id == id)
            return &in->providers[i];
    }
    return NULL;
}

/* The provider that was not selected for the longest time, or NULL if there is none. */
static struct intern_provider *oldest_provider(struct intern *in)
{
    struct intern_provider *oldest = NULL;

    for (uint32_t i = 0; i < in->n_providers; i++) {
        if (oldest == NULL || in->providers[i].selected < oldest->selected)
            oldest = &in->providers[i];
    }
    return oldest;
}

static void clear_tables(struct intern_tables *t)
{
    intern_table_clear(&t->strings);
    intern_table_clear(&t->threads);
    memset(t->seen, 0, sizeof(t->seen));
}

static void forget_entries(struct intern *in, struct intern_provider *p)
{
    if (in->one_table)
        p->salt = 0;
    else
        clear_tables(p->tables);
}

/* A salt that no entry of the shared tables has. When there is no other, all entries are
 * forgotten, and all providers start again. */
static uint32_t new_salt(struct intern *in)
{
    if (in->n_salts == UINT32_MAX >> 1) {
        clear_tables(in->providers[0].tables);
        for (uint32_t i = 0; i < in->n_providers; i++)
            in->providers[i].salt = 0;
        in->n_salts = 0;
    }
    return ++in->n_salts << 1;
}

/* The tables of one more provider, or NULL if there is no memory. */
static struct intern_tables *make_tables(struct intern *in)
{
    struct intern_tables *t;

    if (in->one_table && in->n_providers > 0)
        return in->providers[0].tables;
    t = (struct intern_tables *)memory_zeroed(in->memory, sizeof(*t));
    if (t == NULL)
        return NULL;
    t->strings.max_slots = FXT_STRING_INDEX_MAX + 1;
    t->threads.max_slots = FXT_THREAD_INDEX_MAX + 1;
    return t;
}

/* A provider without entries: a new one or, if there is no room, the oldest; or NULL. */
static struct intern_provider *add_provider(struct intern *in)
{
    struct intern_tables *tables = NULL;
    struct intern_provider *p;

    if (in->n_providers < INTERN_PROVIDERS)
        tables = make_tables(in);
    if (tables != NULL) {
        p = &in->providers[in->n_providers++];
        p->tables = tables;
        return p;
    }
    p = oldest_provider(in);
    if (p != NULL)
        forget_entries(in, p);
    return p;
}

static struct intern_tables *find_current(struct intern *in)
{
    struct intern_provider *p = find_provider(in, in->id);

    if (p == NULL)
        p = add_provider(in);
    if (p == NULL)
        return NULL;
    if (in->one_table && p->salt == 0)
        p->salt = new_salt(in);
    p->id = in->id;
    p->selected = ++in->n_selected;
    in->current = p->tables;
    in->current->salt = p->salt;
    return in->current;
}

/* The tables to work with, made if need be, or NULL. */
static inline struct intern_tables *current_tables(struct intern *in)
{
    return FXT_LIKELY(in->current != NULL) ? in->current : find_current(in);
}

void intern_select(struct intern *in, uint32_t id, bool forget)
{
    struct intern_provider *p = find_provider(in, id);

    if (forget && p != NULL)
        forget_entries(in, p);
    in->id = id;
    in->current = NULL;
}

static void free_tables(struct intern_tables *t, struct memory *memory)
{
    for (uint32_t i = 1; i < t->strings.n_slots; i++)
        memory_free(memory, t->strings.slots[i].string.data,
                    t->strings.slots[i].string.capacity);
    intern_table_free(&t->strings, memory);
    intern_table_free(&t->threads, memory);
    memory_free(memory, t, sizeof(*t));
}

void intern_free(struct intern *in)
{
    uint32_t n_tables = in->one_table && in->n_providers > 0 ? 1 : in->n_providers;

    for (uint32_t i = 0; i < n_tables; i++)
        free_tables(in->providers[i].tables, in->memory);
    in->n_providers = 0;
}

/* ---- Records ----------------------------------------------------------------------- */

void intern_begin(struct intern *in)
{
    in->record++;
    in->n_new_strings = 0;
    in->n_new_threads = 0;
}

void intern_undo(struct intern *in)
{
    while (in->n_new_strings > 0)
        intern_table_give_back(&in->current->strings,
                               in->new_strings[--in->n_new_strings]);
    while (in->n_new_threads > 0)
        intern_table_give_back(&in->current->threads,
                               in->new_threads[--in->n_new_threads]);
}

/* ---- Strings ----------------------------------------------------------------------- */

static uint32_t find_string(struct intern_table *t, const struct fxt_string *s,
                            uint32_t hash)
{
    uint32_t index = intern_table_first(t, hash);

    for (int i = 0; index != 0 && i < INTERN_CHAIN_STEPS; i++) {
        const struct interned *slot = &t->slots[index];

        if (slot->hash == hash && slot->string.size == s->size &&
            memcmp(slot->string.data, s->data, s->size) == 0)
            return index;
        index = slot->next;
    }
    return 0;
}

/* Whether a string of this hash was looked up before, as far as is known. */
static bool was_seen(struct intern_tables *t, uint32_t hash)
{
    uint32_t *place = &t->seen[hash >> 1 & (INTERN_SEEN - 1)];
    bool seen = *place == hash;

    *place = hash;
    return seen;
}

/* Room is allocated in powers of two, so that it seldom moves when entries are
 * replaced. */
static bool copy_string(struct interned *slot, struct memory *memory,
                        const struct fxt_string *s)
{
    uint32_t capacity = slot->string.capacity > 0 ? slot->string.capacity : 16;
    char *data;

    while (capacity < s->size)
        capacity *= 2;
    if (capacity > slot->string.capacity) {
        data = (char *)memory_resize(memory, slot->string.data, slot->string.capacity,
                                     capacity);
        if (data == NULL)
            return false;
        slot->string.data = data;
        slot->string.capacity = capacity;
    }
    memcpy(slot->string.data, s->data, s->size);
    slot->string.size = s->size;
    return true;
}

static uint32_t add_string(struct intern *in, struct intern_table *t,
                           const struct fxt_string *s, uint32_t hash)
{
    uint32_t index = intern_table_take(t, in->memory, in->record);

    if (index == 0)
        return 0;
    if (!copy_string(&t->slots[index], in->memory, s)) {
        intern_table_give_back(t, index);
        return 0;
    }
    intern_table_keep(t, index, hash, in->record);
    in->new_strings[in->n_new_strings++] = (uint16_t)index;
    return index;
}

uint16_t intern_string(struct intern *in, const struct fxt_string *s, bool seldom,
                       struct word_writer *words)
{
    struct intern_tables *tables = current_tables(in);
    uint32_t hash, index;

    if (tables == NULL)
        return 0;
    hash = hash_string(s) ^ tables->salt;
    index = find_string(&tables->strings, s, hash);
    if (index != 0) {
        intern_table_use(&tables->strings, index, in->record);
        return (uint16_t)index;
    }
    if (seldom && !was_seen(tables, hash))
        return 0;
    index = add_string(in, &tables->strings, s, hash);
    if (index != 0)
        encode_string(words, index, s->data, s->size);
    return (uint16_t)index;
}

/* ---- Threads ----------------------------------------------------------------------- */

static uint32_t find_thread(struct intern_table *t, uint64_t process, uint64_t thread,
                            uint32_t hash)
{
    uint32_t index = intern_table_first(t, hash);

    for (int i = 0; index != 0 && i < INTERN_CHAIN_STEPS; i++) {
        const struct interned *slot = &t->slots[index];

        if (slot->thread.thread == thread && slot->thread.process == process &&
            slot->hash == hash)
            return index;
        index = slot->next;
    }
    return 0;
}

uint8_t intern_thread(struct intern *in, uint64_t process, uint64_t thread,
                      struct word_writer *words)
{
    struct intern_tables *tables = current_tables(in);
    uint32_t hash, index;

    if (tables == NULL)
        return 0;
    hash = hash_thread(process, thread) ^ tables->salt;
    index = find_thread(&tables->threads, process, thread, hash);
    if (index != 0) {
        intern_table_use(&tables->threads, index, in->record);
        return (uint8_t)index;
    }
    index = intern_table_take(&tables->threads, in->memory, in->record);
    if (index == 0)
        return 0;
    tables->threads.slots[index].thread.process = process;
    tables->threads.slots[index].thread.thread = thread;
    intern_table_keep(&tables->threads, index, hash, in->record);
    in->new_threads[in->n_new_threads++] = (uint16_t)index;
    encode_thread(words, index, process, thread);
    return (uint8_t)index;
}
