/* SPDX-License-Identifier: BSD-2-Clause */
/* See modules.h: keeping what is announced, and finding it again. */
#include "modules.h"

#include <stdlib.h>

#include "overlaps.h"

/* ---- Modules ----------------------------------------------------------------------- */

static uint32_t add_build_id(struct modules *m, const struct fxt_profiler *record)
{
    const char *bytes = (const char *)record->build_id.data;
    struct text hex = {NULL, 0, 0};
    uint32_t number;

    if (!record->build_id_is_hex) {
        text_hex_bytes(&hex, bytes, (size_t)record->build_id.size);
    } else {
        for (uint64_t i = 0; i < record->build_id.size; i++)
            text_char(&hex, bytes[i] >= 'A' && bytes[i] <= 'F' ? (char)(bytes[i] | 0x20)
                                                               : bytes[i]);
    }
    number = string_table_add(&m->build_ids, hex.data, hex.size);
    text_free(&hex);
    return number;
}

static uint32_t find_module(struct modules *m, struct module module)
{
    uint64_t hash = hash_word(hash_word(hash_start(), module.name), module.build_id);
    struct table_probe probe = table_probe(&m->module_table, hash);
    uint32_t number;

    while (table_next(&m->module_table, &probe, &number)) {
        if (m->modules[number].name == module.name &&
            m->modules[number].build_id == module.build_id)
            return number;
    }
    table_add(&m->module_table, hash, m->n_modules);
    m->modules = (struct module *)memory_grow(m->modules, m->n_modules,
                                              &m->module_capacity, sizeof(*m->modules));
    m->modules[m->n_modules] = module;
    return (uint32_t)m->n_modules++;
}

/* ---- Announcements ----------------------------------------------------------------- */

void modules_start_stream(struct modules *m)
{
    m->n_announcements = 0;
    table_free(&m->announcement_table);
}

static uint64_t hash_announcement(uint64_t process, uint32_t id)
{
    return hash_word(hash_word(hash_start(), process), id);
}

static struct announcement *find_announcement(const struct modules *m, uint64_t process,
                                              uint32_t id)
{
    struct table_probe probe =
        table_probe(&m->announcement_table, hash_announcement(process, id));
    uint32_t number;

    while (table_next(&m->announcement_table, &probe, &number)) {
        if (m->announcements[number].process == process &&
            m->announcements[number].id == id)
            return &m->announcements[number];
    }
    return NULL;
}

void modules_announce(struct modules *m, const struct fxt_profiler *record)
{
    uint64_t process = record->thread.process;
    struct announcement *known = find_announcement(m, process, record->module_id);
    struct module module;
    uint32_t number;

    module.name = string_table_add(&m->names, record->name.data, record->name.size);
    module.build_id = add_build_id(m, record);
    number = find_module(m, module);
    if (known != NULL) {
        known->module = number;
        return;
    }
    table_add(&m->announcement_table, hash_announcement(process, record->module_id),
              m->n_announcements);
    m->announcements = (struct announcement *)memory_grow(
        m->announcements, m->n_announcements, &m->announcement_capacity,
        sizeof(*m->announcements));
    m->announcements[m->n_announcements++] =
        (struct announcement){process, record->module_id, number};
}

/* ---- Mappings ---------------------------------------------------------------------- */

bool modules_map(struct modules *m, const struct fxt_profiler *record, uint64_t time_ns)
{
    const struct announcement *known =
        find_announcement(m, record->thread.process, record->module_id);
    uint64_t length = record->length;

    if (known == NULL || length == 0 || m->n_mappings == UINT32_MAX)
        return false;
    if (length > UINT64_MAX - record->start)
        length = UINT64_MAX - record->start;
    m->mappings = (struct mapping *)memory_grow(
        m->mappings, m->n_mappings, &m->mapping_capacity, sizeof(*m->mappings));
    m->mappings[m->n_mappings] = (struct mapping){
        .process = record->thread.process,
        .start = record->start,
        .limit = record->start + length,
        .vaddr = record->vaddr,
        .module = known->module,
        .flags = record->flags,
        .time_ns = time_ns,
        .sequence = (uint32_t)m->n_mappings,
    };
    m->n_mappings++;
    return true;
}

void modules_finish(struct modules *m)
{
    struct mapping *flat;
    size_t n;

    mapping_times_build(&m->times, m->mappings, m->n_mappings);
    overlaps_resolve(m->mappings, m->n_mappings, &flat, &n);
    memory_release(m->mappings);
    m->mappings = flat;
    m->n_mappings = n;
    m->mapping_capacity = n;
}

static bool starts_after(const struct mapping *mapping, uint64_t process,
                         uint64_t address)
{
    if (mapping->process != process)
        return mapping->process > process;
    return mapping->start > address;
}

const struct mapping *modules_find(const struct modules *m, uint64_t process,
                                   uint64_t address)
{
    size_t low = 0;
    size_t high = m->n_mappings;

    /* The mapping, if there is one, is the last that does not start after the address. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (starts_after(&m->mappings[middle], process, address))
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || m->mappings[low - 1].process != process ||
        m->mappings[low - 1].limit <= address)
        return NULL;
    return &m->mappings[low - 1];
}

const struct mapping *modules_find_in(const struct modules *m, uint64_t process,
                                      uint32_t epoch, uint64_t address)
{
    return epoch > 0 ? mapping_times_find(&m->times, process, epoch, address)
                     : modules_find(m, process, address);
}

struct string modules_name(const struct modules *m, const struct mapping *mapping)
{
    return string_table_get(&m->names, m->modules[mapping->module].name);
}

struct string modules_build_id(const struct modules *m, const struct mapping *mapping)
{
    return string_table_get(&m->build_ids, m->modules[mapping->module].build_id);
}

void modules_free(struct modules *m)
{
    memory_release(m->modules);
    memory_release(m->announcements);
    memory_release(m->mappings);
    mapping_times_free(&m->times);
    table_free(&m->module_table);
    table_free(&m->announcement_table);
    string_table_free(&m->names);
    string_table_free(&m->build_ids);
}
