/* SPDX-License-Identifier: BSD-2-Clause */
/* See intern.h. */
#include "intern.h"

#include <stddef.h>
#include <string.h>

#include "encode_header.h"

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
        memory_free(memory, t->strings.slots[i].data, t->strings.slots[i].capacity);
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
static bool copy_text(struct interned *slot, struct memory *memory,
                      const struct intern_key *key)
{
    uint32_t capacity = 2 * INTERN_WORDS_SIZE;
    char *data;

    while (capacity < key->size)
        capacity *= 2;
    if (capacity > slot->capacity) {
        data = (char *)memory_resize(memory, slot->data, slot->capacity, capacity);
        if (data == NULL)
            return false;
        slot->data = data;
        slot->capacity = capacity;
    }
    memcpy(slot->data, key->data, key->size);
    return true;
}

/* The index for what has none yet, or 0. */
static uint32_t add_entry(struct intern *in, struct intern_table *t,
                          const struct intern_key *key)
{
    uint32_t index = intern_table_take(t, in->memory, in->record);

    if (index == 0)
        return 0;
    if (key->size > INTERN_WORDS_SIZE && !copy_text(&t->slots[index], in->memory, key)) {
        intern_table_give_back(t, index);
        return 0;
    }
    intern_table_keep(t, index, key, in->record);
    return index;
}

uint16_t intern_string(struct intern *in, const struct fxt_string *s, bool seldom,
                       struct word_writer *words)
{
    struct intern_tables *tables = current_tables(in);
    struct intern_key key;
    uint32_t index;

    if (tables == NULL)
        return 0;
    key = intern_string_key(s, tables->salt);
    index = intern_table_find(&tables->strings, &key, in->record);
    if (index != 0)
        return (uint16_t)index;
    if (seldom && !was_seen(tables, key.hash))
        return 0;
    index = add_entry(in, &tables->strings, &key);
    if (index == 0)
        return 0;
    in->new_strings[in->n_new_strings++] = (uint16_t)index;
    encode_string(words, index, s->data, s->size);
    return (uint16_t)index;
}

/* ---- Threads ----------------------------------------------------------------------- */

uint8_t intern_thread(struct intern *in, uint64_t process, uint64_t thread,
                      struct word_writer *words)
{
    struct intern_tables *tables = current_tables(in);
    struct intern_key key;
    uint32_t index;

    if (tables == NULL)
        return 0;
    key = intern_thread_key(process, thread, tables->salt);
    index = intern_table_find(&tables->threads, &key, in->record);
    if (index != 0)
        return (uint8_t)index;
    index = add_entry(in, &tables->threads, &key);
    if (index == 0)
        return 0;
    in->new_threads[in->n_new_threads++] = (uint16_t)index;
    encode_thread(words, index, process, thread);
    return (uint8_t)index;
}
