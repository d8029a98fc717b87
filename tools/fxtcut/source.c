/* SPDX-License-Identifier: BSD-2-Clause */
/* See source.h. */
#include "source.h"

#include "common/base/memory.h"

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
    if (registration_is(slot->known, record))
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
    slot->known = registration_make(record, ++sources->n_serials);
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
