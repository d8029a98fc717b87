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
        if (in->providers[i]->id == id)
            return in->providers[i];
    }
    return NULL;
}

static void clear_provider(struct intern_provider *p)
{
    intern_table_clear(&p->strings);
    intern_table_clear(&p->threads);
    memset(p->seen, 0, sizeof(p->seen));
}

/* The provider that was not selected for the longest time, emptied; or NULL if there is
 * none. */
static struct intern_provider *oldest_provider(struct intern *in)
{
    struct intern_provider *oldest = NULL;

    for (uint32_t i = 0; i < in->n_providers; i++) {
        if (oldest == NULL || in->providers[i]->selected < oldest->selected)
            oldest = in->providers[i];
    }
    if (oldest != NULL)
        clear_provider(oldest);
    return oldest;
}

static struct intern_provider *add_provider(struct intern *in)
{
    struct intern_provider *p = NULL;

    if (in->n_providers < INTERN_PROVIDERS)
        p = (struct intern_provider *)memory_zeroed(in->memory, sizeof(*p));
    if (p == NULL)
        return oldest_provider(in);
    p->strings.max_slots = FXT_STRING_INDEX_MAX + 1;
    p->threads.max_slots = FXT_THREAD_INDEX_MAX + 1;
    in->providers[in->n_providers++] = p;
    return p;
}

/* ---- Providers that share tables --------------------------------------------------- */

static struct intern_sharer *find_sharer(struct intern *in, uint32_t id)
{
    for (uint32_t i = 0; i < in->n_sharers; i++) {
        if (in->sharers[i].id == id)
            return &in->sharers[i];
    }
    return NULL;
}

/* A place for another sharer: a free one, or that of the one not selected for the longest
 * time. */
static struct intern_sharer *add_sharer(struct intern *in)
{
    struct intern_sharer *oldest = &in->sharers[0];

    if (in->n_sharers < INTERN_PROVIDERS)
        return &in->sharers[in->n_sharers++];
    for (uint32_t i = 1; i < in->n_sharers; i++) {
        if (in->sharers[i].selected < oldest->selected)
            oldest = &in->sharers[i];
    }
    return oldest;
}

/* A provider without entries: its salt is new. When there is no other salt, all entries
 * are forgotten, and all providers start again. */
static struct intern_sharer *start_sharer(struct intern *in, struct intern_sharer *sharer)
{
    if (in->n_salts == UINT32_MAX >> 1) {
        clear_provider(in->providers[0]);
        in->n_sharers = 0;
        in->n_salts = 0;
        sharer = add_sharer(in);
    }
    sharer->id = in->id;
    sharer->salt = ++in->n_salts << 1;
    return sharer;
}

static struct intern_provider *share_tables(struct intern *in)
{
    struct intern_sharer *sharer = find_sharer(in, in->id);

    if (in->n_providers == 0)
        add_provider(in);
    if (in->n_providers == 0)
        return NULL;
    if (sharer == NULL)
        sharer = start_sharer(in, add_sharer(in));
    else if (sharer->salt == 0)
        sharer = start_sharer(in, sharer);
    sharer->selected = ++in->n_selected;
    in->providers[0]->salt = sharer->salt;
    return in->providers[0];
}

/* ---- The current provider ---------------------------------------------------------- */

static struct intern_provider *find_current(struct intern *in)
{
    if (in->one_table)
        return in->current = share_tables(in);
    in->current = find_provider(in, in->id);
    if (in->current == NULL)
        in->current = add_provider(in);
    if (in->current == NULL)
        return NULL;
    in->current->id = in->id;
    in->current->selected = ++in->n_selected;
    return in->current;
}

/* The tables to work with, made if need be, or NULL. */
static inline struct intern_provider *current_provider(struct intern *in)
{
    return FXT_LIKELY(in->current != NULL) ? in->current : find_current(in);
}

void intern_select(struct intern *in, uint32_t id, bool forget)
{
    struct intern_provider *p = in->one_table ? NULL : find_provider(in, id);
    struct intern_sharer *sharer = in->one_table ? find_sharer(in, id) : NULL;

    if (forget && p != NULL)
        clear_provider(p);
    if (forget && sharer != NULL)
        sharer->salt = 0;
    in->id = id;
    in->current = NULL;
}

static void free_provider(struct intern_provider *p, struct memory *memory)
{
    for (uint32_t i = 1; i < p->strings.n_slots; i++)
        memory_free(memory, p->strings.slots[i].string.data,
                    p->strings.slots[i].string.capacity);
    intern_table_free(&p->strings, memory);
    intern_table_free(&p->threads, memory);
    memory_free(memory, p, sizeof(*p));
}

void intern_free(struct intern *in)
{
    for (uint32_t i = 0; i < in->n_providers; i++)
        free_provider(in->providers[i], in->memory);
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
static bool was_seen(struct intern_provider *p, uint32_t hash)
{
    uint32_t *place = &p->seen[hash >> 1 & (INTERN_SEEN - 1)];
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
    struct intern_provider *p = current_provider(in);
    uint32_t hash, index;

    if (p == NULL)
        return 0;
    hash = hash_string(s) ^ p->salt;
    index = find_string(&p->strings, s, hash);
    if (index != 0) {
        intern_table_use(&p->strings, index, in->record);
        return (uint16_t)index;
    }
    if (seldom && !was_seen(p, hash))
        return 0;
    index = add_string(in, &p->strings, s, hash);
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
    struct intern_provider *p = current_provider(in);
    uint32_t hash, index;

    if (p == NULL)
        return 0;
    hash = hash_thread(process, thread) ^ p->salt;
    index = find_thread(&p->threads, process, thread, hash);
    if (index != 0) {
        intern_table_use(&p->threads, index, in->record);
        return (uint8_t)index;
    }
    index = intern_table_take(&p->threads, in->memory, in->record);
    if (index == 0)
        return 0;
    p->threads.slots[index].thread.process = process;
    p->threads.slots[index].thread.thread = thread;
    intern_table_keep(&p->threads, index, hash, in->record);
    in->new_threads[in->n_new_threads++] = (uint16_t)index;
    encode_thread(words, index, process, thread);
    return (uint8_t)index;
}
