/* SPDX-License-Identifier: BSD-2-Clause */
/* See fix_tables.h. */
#include "fix_tables.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* ---- What stays -------------------------------------------------------------------- */

static bool stays_name(const struct fix_tables *t, const struct fxt_string *string)
{
    return string->data != NULL && string->ref != 0 &&
           fix_tables_find_string(t, string->ref) == string->ref;
}

static bool stays_thread(const struct fix_tables *t, const struct fxt_thread *thread)
{
    return thread->known && thread->ref != FXT_THREAD_REF_INLINE &&
           fix_tables_find_thread(t, thread->ref) == thread->ref;
}

static bool stays_head(const struct fix_tables *t, const struct fxt_record *record)
{
    const struct fxt_event *e = &record->event;

    if (record->type == FXT_RECORD_SCHEDULING)
        return record->kind != FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH;
    return record->type == FXT_RECORD_EVENT && stays_thread(t, &e->thread) &&
           stays_name(t, &e->category) && stays_name(t, &e->name);
}

static bool stays_arg(const struct fix_tables *t, const struct fxt_arg *arg)
{
    return arg->type <= FXT_ARG_BLOB && stays_name(t, &arg->name) &&
           (arg->type != FXT_ARG_STRING || stays_name(t, &arg->value.string));
}

bool fix_stays(const struct fix_tables *t, const struct fxt_record *record)
{
    bool is_big_endian = record->swapped != FXT_HOST_IS_BIG_ENDIAN;

    if (record->unknown || is_big_endian ||
        record->provider->ticks_per_second != FXT_DEFAULT_TICKS_PER_SECOND ||
        !stays_head(t, record))
        return false;
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (!stays_arg(t, &record->args[i]))
            return false;
    }
    return true;
}

enum {
    STRINGS_MAX = FXT_STRING_REF_INLINE - 1,
    VALUES_MAX = STRINGS_MAX / 2,
    THREADS_MAX = 255,
    /* Providers of which the indices of the input are kept, in 64 KiB each. */
    WITH_INDICES_MAX = 256,
    /* All strings together. */
    STRING_BYTES_MAX = 64 << 20
};

/* ---- Providers --------------------------------------------------------------------- */

static void write_metadata(struct fix_tables *t, uint32_t kind, uint32_t id,
                           struct fxt_string name)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA, .kind = kind};

    record.metadata.provider_id = id;
    record.metadata.name = name;
    fxt_writer_write(t->writer, &record);
}

struct fix_provider *fix_tables_select(struct fix_tables *t, uint32_t id,
                                       struct fxt_string name)
{
    const struct fix_provider provider = {.id = id};
    size_t n_before = t->n_providers;
    size_t number = TABLE_PUT(&t->provider_table, t->providers, t->n_providers,
                              t->provider_capacity, &provider, id);

    if (number == n_before)
        write_metadata(t, FXT_METADATA_PROVIDER_INFO, id, name);
    else if (number != t->current)
        write_metadata(t, FXT_METADATA_PROVIDER_SECTION, id, name);
    t->current = number;
    return &t->providers[number];
}

/* ---- Strings and threads ----------------------------------------------------------- */

/* Whether the current provider has yet to register an index. */
static bool is_new(struct fix_tables *t, bool is_thread, uint16_t index)
{
    const struct fix_registration registration = {(uint32_t)t->current, index, is_thread};
    size_t n_before = t->n_registrations;

    return TABLE_PUT(&t->registration_table, t->registrations, t->n_registrations,
                     t->registration_capacity, &registration, provider, index,
                     is_thread) == n_before;
}

/* The index of an entry. A new one gets the index that is wanted, if that is free: then
 * the records that refer to it need no change. There are at most `max` entries. */
static uint16_t index_of(struct fix_numbering *n, uint32_t number, uint32_t wanted,
                         uint32_t max)
{
    if (n->indices == NULL) {
        n->indices = memory_allocate(max * sizeof(*n->indices));
        n->used = memory_allocate((max + 1) * sizeof(*n->used));
        n->used[0] = true;
    }
    if (n->indices[number] != 0)
        return n->indices[number];
    while (n->used[n->lowest])
        n->lowest++;
    if (wanted > max || n->used[wanted])
        wanted = n->lowest;
    n->used[wanted] = true;
    n->indices[number] = (uint16_t)wanted;
    return n->indices[number];
}

/* Where `max` strings are in the table, no other is added. */
static struct fxt_string find_string(struct fix_tables *t, struct fxt_string string,
                                     size_t max)
{
    struct fxt_record record = {.type = FXT_RECORD_STRING};
    uint16_t wanted = string.ref;
    uint32_t number;

    string.ref = FXT_STRING_REF_INLINE;
    if (string.size == 0)
        return string;
    /* Where the table is full, what is in it can still be found. */
    if (t->strings.strings.n < max &&
        t->strings.strings.bytes.size <= STRING_BYTES_MAX - string.size)
        number = name_cache_add(&t->strings, string.data, string.size);
    else if (!string_table_find(&t->strings.strings, string.data, string.size, &number))
        return string;
    string.ref = index_of(&t->string_numbering, number, wanted, STRINGS_MAX);
    if (is_new(t, false, string.ref)) {
        record.string.index = string.ref;
        record.string.value = string;
        fxt_writer_write(t->writer, &record);
    }
    return string;
}

struct fxt_string fix_tables_string(struct fix_tables *t, struct fxt_string string)
{
    return find_string(t, string, STRINGS_MAX);
}

struct fxt_string fix_tables_value(struct fix_tables *t, struct fxt_string value)
{
    return find_string(t, value, VALUES_MAX);
}

struct fxt_thread fix_tables_thread(struct fix_tables *t, struct fxt_thread thread)
{
    const struct fix_thread key = {thread.process, thread.thread};
    struct fxt_record record = {.type = FXT_RECORD_THREAD};
    uint32_t number =
        t->n_threads < THREADS_MAX
            ? TABLE_PUT(&t->thread_table, t->threads, t->n_threads, t->thread_capacity,
                        &key, process, thread)
            : TABLE_FIND(&t->thread_table, t->threads, &key, process, thread);

    if (number == TABLE_NONE)
        return fxt_thread_from(thread.process, thread.thread);
    thread.ref = (uint8_t)index_of(&t->thread_numbering, number, thread.ref, THREADS_MAX);
    thread.known = true;
    if (is_new(t, true, thread.ref)) {
        record.thread.index = thread.ref;
        record.thread.process = thread.process;
        record.thread.thread = thread.thread;
        fxt_writer_write(t->writer, &record);
    }
    return thread;
}

/* ---- Indices of the input ---------------------------------------------------------- */

/* NULL if there are none, and none are needed, or there are too many. */
static struct fix_indices *indices_of(struct fix_tables *t, bool is_needed)
{
    struct fix_provider *provider = &t->providers[t->current];

    if (provider->indices == NULL && is_needed && t->n_with_indices < WITH_INDICES_MAX) {
        provider->indices = memory_allocate(sizeof(*provider->indices));
        t->n_with_indices++;
    }
    return provider->indices;
}

void fix_tables_keep_string(struct fix_tables *t, uint32_t index, uint16_t known)
{
    struct fix_indices *indices = indices_of(t, known != 0);

    if (indices != NULL && index > 0 && index < FXT_STRING_REF_INLINE)
        indices->strings[index] = known;
}

void fix_tables_keep_thread(struct fix_tables *t, uint32_t index, uint8_t known)
{
    struct fix_indices *indices = indices_of(t, known != 0);

    if (indices != NULL && index > 0 && index <= FXT_THREAD_INDEX_MAX)
        indices->threads[index] = known;
}

static void free_numbering(struct fix_numbering *n)
{
    memory_release(n->indices);
    memory_release(n->used);
}

void fix_tables_free(struct fix_tables *t)
{
    free_numbering(&t->string_numbering);
    free_numbering(&t->thread_numbering);
    string_table_free(&t->strings.strings);
    memory_release(t->threads);
    table_free(&t->thread_table);
    for (size_t i = 0; i < t->n_providers; i++)
        memory_release(t->providers[i].indices);
    memory_release(t->providers);
    table_free(&t->provider_table);
    memory_release(t->registrations);
    table_free(&t->registration_table);
}
