/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_table.h. */
#include "process_table.h"

#include <string.h>
#include <time.h>

#include <fxt/format.h>

#include "common/base/clock.h"
#include "common/base/table_items.h"

/* ---- Entries ----------------------------------------------------------------------- */

static struct process_entry *find_entry(const struct process_list *list, pid_t id)
{
    struct process_entry key = {.id = id};
    uint32_t number = TABLE_FIND(&list->table, list->all, &key, id);

    return number != TABLE_NONE ? &list->all[number] : NULL;
}

static struct process_entry *find_or_add_entry(struct process_list *list, pid_t id)
{
    struct process_entry entry = {.id = id};
    uint32_t number =
        TABLE_PUT(&list->table, list->all, list->n, list->capacity, &entry, id);

    return &list->all[number];
}

struct process_entry *process_table_process(struct process_table *table, pid_t id)
{
    return find_or_add_entry(&table->processes, id);
}

struct process_entry *process_table_thread(struct process_table *table, pid_t id)
{
    return find_or_add_entry(&table->threads, id);
}

/* ---- Names ------------------------------------------------------------------------- */

void process_table_name_thread(struct process_table *table, pid_t process, pid_t thread,
                               const char *name, uint64_t since_ns)
{
    struct process_entry *entry = process_table_thread(table, thread);

    entry->process = process;
    if (!entry->is_labelled)
        process_entry_add_name(entry, name, since_ns);
}

void process_table_label(struct process_table *table, pid_t process, pid_t thread,
                         const char *label, uint64_t since_ns)
{
    struct process_entry *entry = process_table_thread(table, thread);

    entry->process = process;
    entry->is_labelled = label != NULL;
    if (label != NULL)
        process_entry_add_name(entry, label, since_ns);
}

void process_table_name_process(struct process_table *table, pid_t process,
                                const char *name, uint64_t since_ns)
{
    process_entry_add_name(process_table_process(table, process), name, since_ns);
}

/* ---- Mappings ---------------------------------------------------------------------- */

static bool is_code(const struct file_mapping *mapping)
{
    return (mapping->flags & FXT_MAPPING_EXECUTE) != 0 && mapping->length > 0;
}

/* Whether symbols are found by its name. */
static bool is_of_file(const char *name)
{
    return (name[0] == '/' && name[1] != '/') || strcmp(name, "[vdso]") == 0;
}

void process_table_map(struct process_table *table, const struct file_mapping *mapping)
{
    struct process_mapping added = {mapping->start,    mapping->length, mapping->offset,
                                    mapping->since_ns, mapping->flags,  0};
    struct process_entry *process;

    if (!is_code(mapping))
        return;
    if (jit_files_concern(mapping->name)) {
        process = process_table_process(table, mapping->process);
        jit_files_take_mapping(jit_files_of(&process->jit_files, process->id), mapping);
    }
    if (!is_of_file(mapping->name) || jit_files_is_dump(mapping->name))
        return;
    added.file = mapped_files_add(&table->files, mapping);
    process_entry_map(process_table_process(table, mapping->process), added);
}

/* ---- What threads do ----------------------------------------------------------------
 */

void process_table_rename(struct process_table *table, pid_t process, pid_t thread,
                          const char *name, bool by_exec, uint64_t time_ns)
{
    bool is_first;

    if (by_exec) {
        struct process_entry *entry = process_table_process(table, process);

        entry->is_copy = false;
        process_entry_take_exec(entry, time_ns);
    }
    is_first = process == thread &&
               process_entry_name(find_entry(&table->processes, process)) == NULL;

    process_table_name_thread(table, process, thread, name, time_ns);
    if (by_exec || is_first)
        process_table_name_process(table, process, name, time_ns);
}

/* Entries move when one is added: the name is copied in between. */
static char *copy_name(const struct process_list *list, pid_t id)
{
    const char *name = process_entry_name(find_entry(list, id));

    return name != NULL ? memory_copy_string(name) : NULL;
}

static void inherit_names(struct process_table *table, struct process_fork fork,
                          uint64_t time_ns)
{
    char *name = copy_name(&table->threads, fork.parent_thread);

    if (name != NULL)
        process_table_name_thread(table, fork.process, fork.thread, name, time_ns);
    memory_release(name);
    if (fork.process == fork.parent)
        return;
    name = copy_name(&table->processes, fork.parent);
    if (name != NULL)
        process_table_name_process(table, fork.process, name, time_ns);
    memory_release(name);
}

void process_table_fork(struct process_table *table, struct process_fork fork,
                        uint64_t time_ns)
{
    const struct process_entry *parent;
    struct process_entry *child;

    inherit_names(table, fork, time_ns);
    if (fork.process == fork.parent)
        return;
    child = process_table_process(table, fork.process);
    parent = find_entry(&table->processes, fork.parent);
    for (size_t i = parent != NULL ? parent->n_old_mappings : 0;
         parent != NULL && i < parent->n_mappings; i++) {
        struct process_mapping mapping = parent->mappings[i];

        mapping.since_ns = time_ns;
        process_entry_map(child, mapping);
    }
}

/* A process that has no names, or no mappings, gets those of another one. */
static void complete_copy(struct process_table *table, struct process_entry *to,
                          pid_t original)
{
    const struct process_entry *from = find_entry(&table->processes, original);

    for (size_t i = 0; from != NULL && to->n_names == 0 && i < from->n_names; i++)
        process_entry_add_name(to, from->names[i].name, from->names[i].since_ns);
    if (from == NULL || to->n_mappings > 0)
        return;
    for (size_t i = 0; i < from->n_mappings; i++)
        process_entry_map(to, from->mappings[i]);
}

void process_table_complete_copies(struct process_table *table, pid_t original)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        struct process_entry *process = &table->processes.all[i];
        const char *name;

        if (!process->is_copy)
            continue;
        complete_copy(table, process, original);
        process->is_copy = false;
        name = process_entry_name(process);
        if (name != NULL &&
            process_entry_name(find_entry(&table->threads, process->id)) == NULL)
            process_table_name_thread(table, process->id, process->id, name, 0);
    }
}

/* ---- Names of compiled code ------------------------------------------------------- */

void process_table_expect_names(struct process_table *table, pid_t process)
{
    jit_files_of(&process_table_process(table, process)->jit_files, process);
}

void process_table_look_for_names(struct process_table *table, pid_t process,
                                  uint64_t pause_ns)
{
    struct process_entry *entry = find_entry(&table->processes, process);

    if (entry != NULL && entry->jit_files != NULL)
        jit_files_look(entry->jit_files, clock_ns(CLOCK_MONOTONIC), pause_ns);
}

void process_table_look_for_all_names(struct process_table *table)
{
    for (size_t i = 0; i < table->processes.n; i++)
        process_table_look_for_names(table, table->processes.all[i].id, 0);
}

/* ---- Archives ---------------------------------------------------------------------- */

static void start_list(struct process_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        struct process_entry *entry = &list->all[i];

        entry->is_sampled = false;
        entry->is_named = false;
        entry->is_described = false;
        entry->n_names_written = 0;
        entry->n_mappings_written = 0;
        entry->n_kernel_written = 0;
        entry->last_module = 0;
        if (entry->jit_files != NULL)
            jit_files_start_archive(entry->jit_files);
    }
}

void process_table_start_archive(struct process_table *table)
{
    start_list(&table->processes);
    start_list(&table->threads);
}
