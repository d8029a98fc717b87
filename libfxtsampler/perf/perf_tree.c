/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_tree.h. */
#include "perf_tree.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "common/processes/proc_stat.h"

/* ---- Slots ------------------------------------------------------------------------- */

static size_t slot_of(const struct perf_tree *tree, pid_t id)
{
    size_t slot = ((uint32_t)id * UINT32_C(2654435769)) & (tree->n_slots - 1);

    while (tree->slots[slot].id != 0 && tree->slots[slot].id != id)
        slot = (slot + 1) & (tree->n_slots - 1);
    return slot;
}

static struct perf_tree_entry *find(const struct perf_tree *tree, pid_t id)
{
    size_t slot;

    if (tree->n_slots == 0)
        return NULL;
    slot = slot_of(tree, id);
    return tree->slots[slot].id == id ? &tree->slots[slot] : NULL;
}

static bool is_used(const struct perf_tree_entry *entry)
{
    return entry->is_process || entry->is_thread || entry->n_threads > 0;
}

/* Entries that are no longer used are left out. */
static bool make_room(struct perf_tree *tree)
{
    struct perf_tree grown = {NULL, 64, 0};
    size_t n = 0;

    if (tree->n_used < tree->n_slots / 2)
        return true;
    for (size_t i = 0; i < tree->n_slots; i++)
        n += is_used(&tree->slots[i]);
    while (grown.n_slots < 4 * n)
        grown.n_slots *= 2;
    grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < tree->n_slots; i++) {
        if (!is_used(&tree->slots[i]))
            continue;
        grown.slots[slot_of(&grown, tree->slots[i].id)] = tree->slots[i];
        grown.n_used++;
    }
    free(tree->slots);
    *tree = grown;
    return true;
}

static struct perf_tree_entry *find_or_add(struct perf_tree *tree, pid_t id)
{
    struct perf_tree_entry *entry = find(tree, id);

    if (entry != NULL || !make_room(tree))
        return entry;
    entry = &tree->slots[slot_of(tree, id)];
    entry->id = id;
    tree->n_used++;
    return entry;
}

void perf_tree_free(struct perf_tree *tree)
{
    free(tree->slots);
    *tree = (struct perf_tree){0};
}

/* ---- Targets ----------------------------------------------------------------------- */

bool perf_tree_add_process(struct perf_tree *tree, pid_t process)
{
    struct perf_tree_entry *entry = find_or_add(tree, process);

    if (entry == NULL)
        return false;
    entry->is_process = true;
    entry->has_no_leader = false;
    return true;
}

bool perf_tree_add_thread(struct perf_tree *tree, pid_t process, pid_t thread)
{
    struct perf_tree_entry *entry = find_or_add(tree, process);

    if (entry == NULL)
        return false;
    entry->n_threads++;
    entry = find_or_add(tree, thread);
    if (entry == NULL) {
        find(tree, process)->n_threads--;
        return false;
    }
    entry->is_thread = true;
    return true;
}

void perf_tree_remove_process(struct perf_tree *tree, pid_t process)
{
    struct perf_tree_entry *entry = find(tree, process);

    if (entry != NULL)
        entry->is_process = false;
}

void perf_tree_remove_thread(struct perf_tree *tree, pid_t process, pid_t thread)
{
    struct perf_tree_entry *entry = find(tree, thread);

    if (entry == NULL || !entry->is_thread)
        return;
    entry->is_thread = false;
    entry = find(tree, process);
    if (entry != NULL && entry->n_threads > 0)
        entry->n_threads--;
}

bool perf_tree_has_process(const struct perf_tree *tree, pid_t process)
{
    const struct perf_tree_entry *entry = find(tree, process);

    return entry != NULL && entry->is_process;
}

bool perf_tree_has(const struct perf_tree *tree, pid_t process, pid_t thread)
{
    const struct perf_tree_entry *entry = find(tree, process);

    if (entry == NULL)
        return false;
    if (entry->is_process || entry->n_threads == 0)
        return entry->is_process;
    entry = find(tree, thread);
    return entry != NULL && entry->is_thread;
}

bool perf_tree_observes(const struct perf_tree *tree, pid_t process)
{
    const struct perf_tree_entry *entry = find(tree, process);

    return entry != NULL && (entry->is_process || entry->n_threads > 0);
}

/* ---- What the kernel reports ------------------------------------------------------- */

bool perf_tree_fork(struct perf_tree *tree, const struct fxt_sampler_event *fork)
{
    struct perf_tree_entry *child;

    if (fork->process == fork->parent)
        return true;
    if (perf_tree_has_process(tree, fork->parent))
        return perf_tree_add_process(tree, fork->process);
    child = find(tree, fork->process);
    if (child != NULL)
        child->is_process = false;
    return true;
}

void perf_tree_exit(struct perf_tree *tree, pid_t process, pid_t thread)
{
    struct perf_tree_entry *entry = find(tree, process);

    if (entry != NULL && process == thread)
        entry->has_no_leader = true;
    perf_tree_remove_thread(tree, process, thread);
}

/* ---- /proc ------------------------------------------------------------------------- */

/* A main thread that has ended before others is a zombie. */
static bool has_ended(const struct perf_tree_entry *entry)
{
    struct proc_stat stat;

    return entry->has_no_leader &&
           (!proc_stat_read(entry->id, entry->id, &stat) || stat.state != 'Z');
}

void perf_tree_remove_ended(struct perf_tree *tree)
{
    for (size_t i = 0; i < tree->n_slots; i++) {
        struct perf_tree_entry *entry = &tree->slots[i];

        if (entry->is_process && has_ended(entry))
            entry->is_process = false;
    }
}

/* Returns how many children were added, or -1. */
static long add_children(struct perf_tree *tree, DIR *proc)
{
    const struct dirent *entry;
    long n = 0;

    rewinddir(proc);
    while ((entry = readdir(proc)) != NULL) {
        pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
        struct proc_stat stat;

        if (process <= 0 || !proc_stat_read(process, process, &stat) ||
            perf_tree_has_process(tree, process) ||
            !perf_tree_has_process(tree, stat.parent))
            continue;
        if (!perf_tree_add_process(tree, process))
            return -1;
        n++;
    }
    return n;
}

bool perf_tree_read(struct perf_tree *tree)
{
    DIR *proc = opendir("/proc");
    long n;

    if (proc == NULL)
        return true;
    do
        n = add_children(tree, proc);
    while (n > 0);
    closedir(proc);
    return n == 0;
}
