/* SPDX-License-Identifier: BSD-2-Clause */
/* See modules.h: keeping what is announced, and finding it again. */
#include "modules.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

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
    return TABLE_PUT(&m->module_table, m->modules, m->n_modules, m->module_capacity,
                     &module, name, build_id);
}

/* ---- Announcements ----------------------------------------------------------------- */

void modules_start_stream(struct modules *m)
{
    m->n_announcements = 0;
    table_free(&m->announcement_table);
}

static const struct announcement *find_announcement(const struct modules *m,
                                                    uint64_t process, uint32_t id)
{
    struct announcement key = {process, id, 0};
    uint32_t number =
        TABLE_FIND(&m->announcement_table, m->announcements, &key, process, id);

    return number != TABLE_NONE ? &m->announcements[number] : NULL;
}

void modules_announce(struct modules *m, const struct fxt_profiler *record)
{
    struct announcement announced = {record->thread.process, record->module_id, 0};
    uint32_t number;

    announced.module = find_module(
        m, (struct module){
               string_table_add(&m->names, record->name.data, record->name.size),
               add_build_id(m, record),
           });
    number = TABLE_PUT(&m->announcement_table, m->announcements, m->n_announcements,
                       m->announcement_capacity, &announced, process, id);
    m->announcements[number].module = announced.module;
}

/* ---- Mappings ---------------------------------------------------------------------- */

bool modules_map(struct modules *m, const struct fxt_profiler *record, uint64_t time_ns)
{
    const struct announcement *known =
        find_announcement(m, record->thread.process, record->module_id);

    return known != NULL && mapping_set_add(&m->mapped,
                                            (struct mapping){
                                                .process = record->thread.process,
                                                .start = record->start,
                                                .vaddr = record->vaddr,
                                                .module = known->module,
                                                .flags = record->flags,
                                                .time_ns = time_ns,
                                            },
                                            record->length);
}

/* ---- Looking up -------------------------------------------------------------------- */

void modules_finish(struct modules *m)
{
    mapping_set_finish(&m->mapped);
    mapping_set_finish(&m->functions);
    file_lines_finish(&m->lines);
    epochs_add(&m->epochs, &m->mapped.times);
    epochs_add(&m->epochs, &m->functions.times);
    epochs_finish(&m->epochs);
}

bool modules_have_processes(const struct modules *m)
{
    return m->mapped.n + m->functions.n > 0;
}

static const struct mapping *find_in(const struct modules *m,
                                     const struct mapping_set *set, uint64_t process,
                                     uint32_t epoch, uint64_t address)
{
    if (epoch == 0)
        return mapping_set_find(set, process, address);
    return mapping_set_find_at(set, process, m->epochs.all[epoch - 1].start_ns, address);
}

const struct mapping *modules_find(const struct modules *m, uint64_t process,
                                   uint32_t epoch, uint64_t address)
{
    return find_in(m, &m->mapped, process, epoch, address);
}

const struct mapping *modules_find_function(const struct modules *m, uint64_t process,
                                            uint32_t epoch, uint64_t address)
{
    const struct mapping *found = find_in(m, &m->functions, process, epoch, address);

    if (found != NULL)
        return found;
    return mapping_set_find(
        &m->functions, m->boots != NULL ? boots_kernel(m->boots, process) : 0, address);
}

/* ---- Lines ------------------------------------------------------------------------- */

/* A build id says what a file has, wherever and whenever; a name only in a boot. */
static struct file_key key_of(const struct modules *m, uint64_t process,
                              struct module module)
{
    if (string_table_get(&m->build_ids, module.build_id).size > 0)
        return (struct file_key){.has_build_id = true, .build_id = module.build_id};
    return (struct file_key){
        .name = module.name,
        .boot = m->boots != NULL ? boots_koid(m->boots, process).boot : 0,
    };
}

uint32_t modules_find_file(struct modules *m, uint64_t process, struct string name,
                           struct string build_id)
{
    struct module module = {
        .name = string_table_add(&m->names, name.data, name.size),
        .build_id = string_table_add(&m->build_ids, build_id.data, build_id.size),
    };

    return file_lines_file(&m->lines, key_of(m, process, module));
}

const struct file_address *modules_find_lines(const struct modules *m, uint64_t process,
                                              const struct mapping *mapping,
                                              uint64_t address)
{
    if (m->lines.n_addresses == 0)
        return NULL;
    return file_lines_find(&m->lines, key_of(m, process, m->modules[mapping->module]),
                           address - mapping->start + mapping->vaddr);
}

/* ---- Names ------------------------------------------------------------------------- */

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
    memory_release(m->function_list);
    memory_release(m->sources);
    mapping_set_free(&m->mapped);
    mapping_set_free(&m->functions);
    file_lines_free(&m->lines);
    epochs_free(&m->epochs);
    table_free(&m->module_table);
    table_free(&m->announcement_table);
    table_free(&m->function_table);
    table_free(&m->source_table);
    string_table_free(&m->names);
    string_table_free(&m->function_names);
    string_table_free(&m->build_ids);
}
