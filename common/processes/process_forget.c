/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_forget.h. */
#include "process_forget.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "common/base/table_items.h"

/* ---- Names and mappings ------------------------------------------------------------ */

/* A name counts until the next one does. */
static void forget_names(struct process_entry *entry, uint64_t before_ns)
{
    size_t n = 0;

    while (n + 1 < entry->n_names && entry->names[n + 1].since_ns < before_ns)
        memory_release(entry->names[n++].name);
    if (n == 0)
        return;
    entry->n_names -= n;
    entry->n_names_written -= entry->n_names_written < n ? entry->n_names_written : n;
    memmove(entry->names, entry->names + n, entry->n_names * sizeof(entry->names[0]));
}

static void forget_old_mappings(struct process_entry *entry, uint64_t before_ns)
{
    if (entry->exec_ns < before_ns)
        process_entry_drop_first(entry, entry->n_old_mappings);
    process_entry_drop_replaced(entry, before_ns);
}

/* ---- Processes and threads --------------------------------------------------------- */

/* Threads have ids like processes. */
static bool is_there(pid_t id)
{
    return kill(id, 0) == 0 || errno != ESRCH;
}

static bool is_useless(struct process_entry *entry, uint64_t now_ns, uint64_t before_ns)
{
    if (is_there(entry->id)) {
        entry->ended_ns = 0;
        return false;
    }
    if (entry->ended_ns == 0)
        entry->ended_ns = now_ns;
    return entry->ended_ns < before_ns;
}

static void forget_entries(struct process_list *list, uint64_t now_ns, uint64_t before_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct process_entry *entry = &list->all[i];

        if (is_useless(entry, now_ns, before_ns)) {
            process_entry_free(entry);
            continue;
        }
        forget_names(entry, before_ns);
        forget_old_mappings(entry, before_ns);
        list->all[kept++] = *entry;
    }
    if (kept == list->n)
        return;
    list->n = kept;
    TABLE_REFILL(&list->table, list->all, kept, id);
}

/* ---- Files ------------------------------------------------------------------------- */

/* Not worth looking for with fewer. */
enum { FILES_MIN = 1024 };

static void mark_mapped(const struct process_table *table, bool *is_used)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        const struct process_entry *process = &table->processes.all[i];

        for (size_t j = 0; j < process->n_mappings; j++)
            is_used[process->mappings[j].file] = true;
    }
}

/* Removes what is not used, and stores where the others are in `places`. */
static void remove_files(struct mapped_files *files, const bool *is_used,
                         uint32_t *places)
{
    size_t kept = 0;

    for (size_t i = 0; i < files->n; i++) {
        if (is_used[i]) {
            places[i] = (uint32_t)kept;
            files->all[kept++] = files->all[i];
        } else {
            mapped_file_free(&files->all[i]);
        }
    }
    files->n = kept;
    table_free(&files->table);
    for (size_t i = 0; i < kept; i++)
        table_add(&files->table, mapped_file_hash(files->all[i].name), i);
}

static void renumber(struct process_table *table, struct stack_ends *ends,
                     const uint32_t *places)
{
    for (size_t i = 0; i < table->processes.n; i++) {
        struct process_entry *process = &table->processes.all[i];

        for (size_t j = 0; j < process->n_mappings; j++)
            process->mappings[j].file = places[process->mappings[j].file];
    }
    for (size_t i = 0; i < ends->n_places; i++) {
        if (ends->places[i].file != STACK_END_NO_FILE)
            ends->places[i].file = places[ends->places[i].file];
    }
}

/* In as many steps as there are files, once for each time that they have doubled. */
static void forget_files(struct process_table *table, struct stack_ends *ends)
{
    struct mapped_files *files = &table->files;
    uint32_t *places;
    bool *is_used;

    if (files->n < FILES_MIN || files->n / 2 < files->n_kept)
        return;
    is_used = memory_allocate(files->n * sizeof(*is_used));
    places = memory_allocate(files->n * sizeof(*places));
    mark_mapped(table, is_used);
    for (size_t i = 0; i < ends->n_places; i++) {
        if (ends->places[i].file != STACK_END_NO_FILE)
            is_used[ends->places[i].file] = true;
    }
    remove_files(files, is_used, places);
    renumber(table, ends, places);
    files->n_kept = files->n;
    memory_release(is_used);
    memory_release(places);
}

void process_table_forget(struct process_table *table, struct stack_ends *ends,
                          uint64_t now_ns, uint64_t before_ns)
{
    forget_entries(&table->processes, now_ns, before_ns);
    forget_entries(&table->threads, now_ns, before_ns);
    forget_files(table, ends);
}
