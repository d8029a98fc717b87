/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_entry.h. */
#include "process_entry.h"

#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/memory.h"

/* ---- Names ------------------------------------------------------------------------- */

const char *process_entry_name(const struct process_entry *entry)
{
    return entry != NULL && entry->n_names > 0 ? entry->names[entry->n_names - 1].name
                                               : NULL;
}

void process_entry_add_name(struct process_entry *entry, const char *name,
                            uint64_t since_ns)
{
    const char *last = process_entry_name(entry);

    if (last != NULL && strcmp(last, name) == 0)
        return;
    if (last != NULL && entry->names[entry->n_names - 1].since_ns == since_ns)
        memory_release(entry->names[--entry->n_names].name);
    if (entry->n_names_written > entry->n_names)
        entry->n_names_written = entry->n_names;
    MEMORY_ADD(entry->names, entry->n_names, entry->name_capacity,
               (struct process_name){memory_copy_string(name), since_ns});
}

/* ---- Mappings ---------------------------------------------------------------------- */

static bool is_same_mapping(const struct process_mapping *a,
                            const struct process_mapping *b)
{
    return a->start == b->start && a->length == b->length && a->offset == b->offset &&
           a->file == b->file;
}

static void remove_mapping(struct process_entry *process, size_t i)
{
    memmove(&process->mappings[i], &process->mappings[i + 1],
            (process->n_mappings - i - 1) * sizeof(process->mappings[0]));
    process->n_mappings--;
    process->n_mappings_written -= i < process->n_mappings_written;
    process->n_old_mappings -= i < process->n_old_mappings;
}

static bool overlaps(const struct process_mapping *a, const struct process_mapping *b)
{
    return a->start < b->start ? b->start - a->start < a->length
                               : a->start - b->start < b->length;
}

/* Whether a mapping is still there, for all that is known: no later one overlaps it. */
static bool is_on_top(const struct process_entry *process, size_t i)
{
    for (size_t j = i + 1; j < process->n_mappings; j++) {
        if (overlaps(&process->mappings[i], &process->mappings[j]))
            return false;
    }
    return i >= process->n_old_mappings;
}

/* Since when a mapping is there again that has others above it: if it is from /proc,
 * where the others are from the kernel's events, since some time before now. */
static uint64_t time_again(const struct process_entry *process,
                           const struct process_mapping *mapping)
{
    for (size_t i = 0; mapping->since_ns == 0 && i < process->n_mappings; i++) {
        if (process->mappings[i].since_ns > 0 && overlaps(&process->mappings[i], mapping))
            return clock_ns(CLOCK_MONOTONIC);
    }
    return mapping->since_ns;
}

/* A mapping that is still there takes an earlier time from which on it was there. */
static void take_again(struct process_entry *process, size_t i, uint64_t since_ns)
{
    struct process_mapping *mapping = &process->mappings[i];

    if (since_ns > 0 && since_ns < mapping->since_ns && i >= process->n_mappings_written)
        mapping->since_ns = since_ns;
}

/* Readers take the latest of mappings that overlap: one that is known already, below
 * others, is added again. Samples of before need the earlier one, too, unless it was
 * written, or has the same time. */
void process_entry_map(struct process_entry *process, struct process_mapping mapping)
{
    bool is_again = false;

    for (size_t i = process->n_mappings; i-- > 0;) {
        if (!is_same_mapping(&process->mappings[i], &mapping))
            continue;
        if (!is_again && is_on_top(process, i)) {
            take_again(process, i, mapping.since_ns);
            return;
        }
        if (!is_again)
            mapping.since_ns = time_again(process, &mapping);
        is_again = true;
        if (i < process->n_mappings_written ||
            process->mappings[i].since_ns == mapping.since_ns)
            remove_mapping(process, i);
    }
    MEMORY_ADD(process->mappings, process->n_mappings, process->mapping_capacity,
               mapping);
}

void process_entry_drop_first(struct process_entry *process, size_t n)
{
    process->n_mappings -= n;
    process->n_mappings_written -=
        process->n_mappings_written < n ? process->n_mappings_written : n;
    process->n_old_mappings -= process->n_old_mappings < n ? process->n_old_mappings : n;
    if (n > 0)
        memmove(process->mappings, process->mappings + n,
                process->n_mappings * sizeof(process->mappings[0]));
}

/* Whether another mapping has been at all addresses of one since before some time. */
static bool is_replaced(const struct process_entry *process, size_t i, uint64_t before_ns)
{
    const struct process_mapping *a = &process->mappings[i];

    for (size_t j = i + 1; j < process->n_mappings; j++) {
        const struct process_mapping *b = &process->mappings[j];

        if (a->since_ns <= b->since_ns && b->since_ns < before_ns &&
            a->start >= b->start && a->start - b->start < b->length &&
            a->length <= b->length - (a->start - b->start))
            return true;
    }
    return false;
}

void process_entry_drop_replaced(struct process_entry *process, uint64_t before_ns)
{
    for (size_t i = process->n_mappings; i-- > 0;) {
        if (is_replaced(process, i, before_ns))
            remove_mapping(process, i);
    }
}

/* What it had mapped is needed for samples of before. Those of before an earlier exec
 * that were written are not needed any more. */
void process_entry_take_exec(struct process_entry *process, uint64_t time_ns)
{
    if (process->n_old_mappings <= process->n_mappings_written)
        process_entry_drop_first(process, process->n_old_mappings);
    process->n_old_mappings = process->n_mappings;
    process->exec_ns = time_ns;
}

/* ---- The end ----------------------------------------------------------------------- */

void process_entry_free(struct process_entry *entry)
{
    for (size_t i = 0; i < entry->n_names; i++)
        memory_release(entry->names[i].name);
    memory_release(entry->names);
    memory_release(entry->mappings);
    jit_files_free(entry->jit_files);
}
