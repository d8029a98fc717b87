/* SPDX-License-Identifier: BSD-2-Clause */
/* See source.h. */
#include "source.h"

#include <string.h>

#include "common/base/memory.h"

/* ---- Records that others refer to -------------------------------------------------- */

/* A record whose size was not trusted is taken up to its last field. */
uint64_t registration_header(const struct fxt_record *record)
{
    bool is_large = record->type == FXT_RECORD_LARGE;
    uint64_t field =
        is_large ? FXT_PUT(LARGE_WORDS, UINT64_MAX) : FXT_PUT(RECORD_WORDS, UINT64_MAX);
    uint64_t n_words = record->size / FXT_WORD_BYTES;
    uint64_t header =
        (record->header & ~field) |
        (is_large ? FXT_PUT(LARGE_WORDS, n_words) : FXT_PUT(RECORD_WORDS, n_words));

    return record->swapped ? FXT_SWAP64(header) : header;
}

/* Copies the bytes of a record; its first word says what its size is, even where the
 * reader has taken less of it. The caller is its user. */
static struct registration *make_registration(const struct fxt_record *record,
                                              uint64_t serial)
{
    struct registration *made =
        (struct registration *)memory_reserve(sizeof(*made) + (size_t)record->size);
    uint64_t header = registration_header(record);

    memset(made, 0, sizeof(*made));
    made->serial = serial;
    made->n_users = 1;
    made->size = (uint32_t)record->size;
    memcpy(made->bytes, record->data, (size_t)record->size);
    memcpy(made->bytes, &header, sizeof(header));
    return made;
}

void registration_release(struct registration *registration)
{
    if (registration != NULL && --registration->n_users == 0)
        memory_release(registration);
}

/* Whether a record has the same bytes. */
static bool is_registration(const struct registration *registration,
                            const struct fxt_record *record)
{
    return registration != NULL && registration->size == record->size &&
           memcmp(registration->bytes, record->data, (size_t)record->size) == 0;
}

/* ---- Providers --------------------------------------------------------------------- */

struct trace_source *sources_add(struct trace_sources *sources, uint32_t id)
{
    uint64_t hash = hash_word(hash_start(), id);
    struct table_probe probe = table_probe(&sources->table, hash);
    struct trace_source *source;
    uint32_t number;

    while (table_next(&sources->table, &probe, &number)) {
        if (sources->sources[number]->id == id) {
            sources->latest = sources->sources[number];
            return sources->latest;
        }
    }
    source = (struct trace_source *)memory_allocate(sizeof(*source));
    source->id = id;
    table_add(&sources->table, hash, sources->n);
    MEMORY_ADD(sources->sources, sources->n, sources->capacity, source);
    sources->latest = source;
    return source;
}

/* ---- Registrations ----------------------------------------------------------------- */

static void set_slot(struct trace_sources *sources, struct slot *slot,
                     const struct fxt_record *record)
{
    if (is_registration(slot->known, record))
        return;
    if (slot->known != NULL)
        sources->n_bytes -= slot->known->size;
    registration_release(slot->known);
    slot->known = NULL;
    if (record->size > SOURCES_MAX_BYTES - sources->n_bytes) {
        sources->n_lost++;
        return;
    }
    sources->n_bytes += record->size;
    slot->known = make_registration(record, ++sources->n_serials);
}

static struct slot *string_slot(struct trace_source *source, uint32_t index)
{
    struct slot **page;

    if (source->strings == NULL)
        source->strings =
            (struct slot **)memory_allocate(SLOT_PAGES * sizeof(*source->strings));
    page = &source->strings[index / SLOT_PAGE];
    if (*page == NULL)
        *page = (struct slot *)memory_allocate(SLOT_PAGE * sizeof(**page));
    return &(*page)[index % SLOT_PAGE];
}

static struct slot *thread_slot(struct trace_source *source, uint32_t index)
{
    if (source->threads == NULL)
        source->threads =
            (struct slot *)memory_allocate(THREAD_SLOTS * sizeof(*source->threads));
    return &source->threads[index];
}

struct slot *sources_take_registration(struct trace_sources *sources,
                                       const struct fxt_record *record)
{
    struct slot *slot = NULL;

    switch (record->type) {
    case FXT_RECORD_METADATA:
        if (record->kind == FXT_METADATA_PROVIDER_INFO)
            slot = &sources_find(sources, record->metadata.provider_id)->info;
        break;
    case FXT_RECORD_INITIALIZATION:
        slot = &sources_find(sources, record->provider->id)->initialization;
        break;
    case FXT_RECORD_STRING:
        if (record->string.index > 0)
            slot = string_slot(sources_find(sources, record->provider->id),
                               record->string.index);
        break;
    case FXT_RECORD_THREAD:
        if (record->thread.index > 0)
            slot = thread_slot(sources_find(sources, record->provider->id),
                               record->thread.index);
        break;
    default:
        break;
    }
    if (slot != NULL)
        set_slot(sources, slot, record);
    return slot;
}

static void free_page(struct slot *slots, size_t n)
{
    for (size_t i = 0; slots != NULL && i < n; i++)
        registration_release(slots[i].known);
    memory_release(slots);
}

static void free_source(struct trace_source *source)
{
    registration_release(source->info.known);
    registration_release(source->initialization.known);
    free_page(source->threads, THREAD_SLOTS);
    for (size_t page = 0; source->strings != NULL && page < SLOT_PAGES; page++)
        free_page(source->strings[page], SLOT_PAGE);
    memory_release(source->strings);
    clock_windows_free(&source->windows);
    memory_release(source);
}

void sources_free(struct trace_sources *sources)
{
    for (size_t i = 0; i < sources->n; i++)
        free_source(sources->sources[i]);
    memory_release(sources->sources);
    table_free(&sources->table);
}
