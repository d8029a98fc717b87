/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_spaces.h. */
#include "perf_spaces.h"

#include <stdio.h>
#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/processes/proc_file.h"
#include "common/processes/proc_read.h"
#include "libfxtsampler/tracker.h"

/* ---- Spaces ------------------------------------------------------------------------ */

static struct perf_space *find_space(const struct perf_spaces *spaces, pid_t process)
{
    struct perf_space key = {.process = process};
    uint32_t number = TABLE_FIND(&spaces->table, spaces->all, &key, process);

    return number != TABLE_NONE ? &spaces->all[number] : NULL;
}

static struct perf_space *find_or_add_space(struct perf_spaces *spaces, pid_t process)
{
    struct perf_space space = {.process = process};
    uint32_t number = TABLE_PUT(&spaces->table, spaces->all, spaces->n, spaces->capacity,
                                &space, process);

    return &spaces->all[number];
}

/* Rules that were found in what the space was are not for what it is now. */
static void set_changed(struct perf_spaces *spaces, struct perf_space *space)
{
    if (++spaces->last_generation == 0)
        spaces->last_generation = 1;
    space->generation = spaces->last_generation;
}

static void empty(struct perf_spaces *spaces, struct perf_space *space)
{
    space->n_modules = 0;
    set_changed(spaces, space);
}

static void make_room(struct perf_space *space, uint32_t n)
{
    if (n <= space->capacity)
        return;
    space->modules = memory_reallocate(space->modules, 2 * n * sizeof(*space->modules));
    space->capacity = 2 * n;
}

/* ---- Mappings ---------------------------------------------------------------------- */

static bool is_file(const char *name)
{
    return (name[0] == '/' && name[1] != '/') || strcmp(name, "[vdso]") == 0;
}

/* Memory without a name, such as "//anon": a compiler at run time makes code there. The
 * kernel's own, such as [uprobes], has nothing that leads on. */
static uint32_t flags_without_file(const char *name)
{
    return PERF_MODULE_RESOLVED | (name[0] == '[' && strncmp(name, "[anon", 5) != 0
                                       ? 0u
                                       : (uint32_t)UNWIND_KEEPS_FRAMES);
}

static void add_mapping(struct perf_spaces *spaces, struct perf_space *space,
                        const struct file_mapping *mapping)
{
    bool has_file = is_file(mapping->name);
    struct unwind_module module = {
        .start = mapping->start,
        .limit = mapping->start + mapping->length,
        .bias = mapping->start - mapping->offset,
        .flags = has_file ? 0 : flags_without_file(mapping->name),
        .id = PERF_NO_FILE,
    };

    /* The kernel's half of the addresses, where [vsyscall] is, has no code of processes.
     */
    if ((mapping->flags & FXT_MAPPING_EXECUTE) == 0 || module.limit <= module.start ||
        module.start >> 63 != 0)
        return;
    if (has_file)
        module.id = perf_tables_add(&spaces->tables, mapping);
    make_room(space, space->n_modules + 2);
    space->n_modules =
        unwind_space_replace(space->modules, space->n_modules, space->capacity, &module);
    set_changed(spaces, space);
}

void perf_space_resolve(struct perf_space *space, const struct perf_tables *tables,
                        uint32_t file)
{
    for (uint32_t i = 0; i < space->n_modules; i++) {
        struct unwind_module *module = &space->modules[i];

        if (module->id != file || (module->flags & PERF_MODULE_RESOLVED) != 0)
            continue;
        module->bias = module->start - mapped_file_address(&tables->files.all[file],
                                                           module->start - module->bias);
        module->table = tables->all[file].table;
        module->flags = tables->all[file].flags | PERF_MODULE_RESOLVED;
    }
}

/* ---- /proc ------------------------------------------------------------------------- */

static uint32_t count_threads(pid_t process)
{
    char path[64];
    pid_t *threads;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    n = proc_file_list(path, &threads);
    memory_release(threads);
    return n > 0 ? (uint32_t)n : 1;
}

static void read_space(struct perf_spaces *spaces, struct perf_space *space)
{
    char path[64];
    struct proc_file *file;
    char *line;

    space->is_known = true;
    space->is_doubtful = false;
    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)space->process);
    file = proc_file_open(path);
    if (file == NULL)
        return;
    /* A process that has ended has none: then what was known of it stays. */
    line = proc_file_line(file);
    if (line != NULL)
        empty(spaces, space);
    for (; line != NULL; line = proc_file_line(file)) {
        struct file_mapping mapping = {.process = space->process};

        if (proc_read_parse_mapping(line, &mapping))
            add_mapping(spaces, space, &mapping);
    }
    proc_file_close(file);
    space->n_threads = count_threads(space->process);
}

/* Reading takes some ten to some hundred microseconds: all processes together have at
 * most so many reads a second, and each process ever fewer. */
enum { NS_BETWEEN_READS = 10000000, FIRST_WAIT_NS = 100000000 };

bool perf_spaces_read_again(struct perf_spaces *spaces, struct perf_space *space,
                            uint64_t now)
{
    if (now < spaces->next_read || now < space->next_read)
        return false;
    space->wait = space->wait > 0 ? 2 * space->wait : FIRST_WAIT_NS;
    space->next_read = now + space->wait;
    spaces->next_read = now + NS_BETWEEN_READS;
    spaces->n_read_again++;
    read_space(spaces, space);
    return true;
}

void perf_spaces_take_loss(struct perf_spaces *spaces)
{
    for (size_t i = 0; i < spaces->n; i++) {
        spaces->all[i].is_doubtful = true;
        spaces->all[i].wait = 0;
        spaces->all[i].next_read = 0;
    }
}

struct perf_space *perf_spaces_find(struct perf_spaces *spaces, pid_t process,
                                    uint64_t now)
{
    struct perf_space *space = find_or_add_space(spaces, process);

    if (!space->is_known)
        read_space(spaces, space);
    else if (space->is_doubtful && now > 0)
        perf_spaces_read_again(spaces, space, now);
    return space;
}

void perf_spaces_read(struct perf_spaces *spaces, pid_t process)
{
    read_space(spaces, find_or_add_space(spaces, process));
}

void perf_spaces_read_all(struct perf_spaces *spaces)
{
    pid_t *processes;
    size_t n = proc_read_list(&processes);

    for (size_t i = 0; i < n; i++)
        perf_spaces_read(spaces, processes[i]);
    memory_release(processes);
}

/* ---- Events ------------------------------------------------------------------------ */

/* A new process has what its parent has; the rules that were found there are good here,
 * too. */
static void copy_space(struct perf_spaces *spaces, pid_t from, pid_t to)
{
    const struct perf_space *parent;
    struct perf_space *child;

    /* Adding one may move all: both are there before they are pointed to. */
    find_or_add_space(spaces, to);
    parent = perf_spaces_find(spaces, from, 0);
    child = find_space(spaces, to);
    make_room(child, parent->n_modules);
    if (parent->n_modules > 0)
        memcpy(child->modules, parent->modules,
               parent->n_modules * sizeof(*parent->modules));
    child->n_modules = parent->n_modules;
    child->generation = parent->generation;
    /* A parent that was not known may have ended before it could be read. */
    child->is_known = parent->n_modules > 0;
    child->is_doubtful = parent->is_doubtful;
    child->was_in_kernel = false;
    child->n_threads = 1;
}

static void take_fork(struct perf_spaces *spaces, const struct fxt_sampler_event *event)
{
    if (event->process != event->parent)
        copy_space(spaces, event->parent, event->process);
    else
        find_or_add_space(spaces, event->process)->n_threads++;
}

static void take_exec(struct perf_spaces *spaces, pid_t process)
{
    struct perf_space *space = find_or_add_space(spaces, process);

    empty(spaces, space);
    space->is_known = true;
    space->is_doubtful = false;
    space->wait = 0;
    space->next_read = 0;
    space->n_threads = 1;
}

static void take_mapping(struct perf_spaces *spaces,
                         const struct fxt_sampler_event *event)
{
    struct file_mapping mapping = tracker_mapping(event);

    add_mapping(spaces, find_or_add_space(spaces, event->process), &mapping);
}

void perf_spaces_take_event(struct perf_spaces *spaces,
                            const struct fxt_sampler_event *event)
{
    switch (event->kind) {
    case FXT_SAMPLER_NAMED:
        break;
    case FXT_SAMPLER_EXECUTED:
        take_exec(spaces, event->process);
        break;
    case FXT_SAMPLER_FORKED:
        take_fork(spaces, event);
        break;
    case FXT_SAMPLER_MAPPED:
        take_mapping(spaces, event);
        break;
    }
}

/* A process id may be used again, and recordings may be long. */
void perf_spaces_take_exit(struct perf_spaces *spaces, pid_t process)
{
    struct perf_space *space = find_space(spaces, process);

    if (space == NULL)
        return;
    if (space->n_threads > 1) {
        space->n_threads--;
        return;
    }
    memory_release(space->modules);
    *space = (struct perf_space){.process = process};
}
