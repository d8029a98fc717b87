/* SPDX-License-Identifier: BSD-2-Clause */
/* See process_table.h. */
#include "process_table.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>

#include "program_name.h"

/* A thread of the session tells what happens while /proc is read. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Entries ----------------------------------------------------------------------- */

static struct process_table_entry *find(struct process_table_list *list, pid_t id,
                                        bool add)
{
    uint64_t hash = hash_word(0, (uint64_t)id);
    struct table_probe probe = table_probe(&list->table, hash);
    uint32_t number;

    while (table_next(&list->table, &probe, &number)) {
        if (list->all[number].id == id)
            return &list->all[number];
    }
    if (!add)
        return NULL;
    table_add(&list->table, hash, list->n);
    list->all = memory_grow(list->all, list->n, &list->capacity, sizeof(*list->all));
    list->all[list->n] = (struct process_table_entry){.id = id};
    return &list->all[list->n++];
}

struct process_table_entry *process_table_process(struct process_table *book, pid_t id)
{
    return find(&book->processes, id, true);
}

struct process_table_entry *process_table_thread(struct process_table *book, pid_t id)
{
    return find(&book->threads, id, true);
}

/* ---- Names ------------------------------------------------------------------------- */

static const char *last_name(const struct process_table_entry *entry)
{
    return entry != NULL && entry->n_names > 0 ? entry->names[entry->n_names - 1].name
                                               : NULL;
}

static void add_name(struct process_table_entry *entry, const char *name,
                     uint64_t since_ns)
{
    const char *last = last_name(entry);

    if (last != NULL && strcmp(last, name) == 0)
        return;
    if (last != NULL && entry->names[entry->n_names - 1].since_ns == since_ns)
        memory_release(entry->names[--entry->n_names].name);
    entry->names = memory_grow(entry->names, entry->n_names, &entry->name_capacity,
                             sizeof(*entry->names));
    entry->names[entry->n_names++] =
        (struct process_table_name){memory_copy_string(name), since_ns};
}

void process_table_name_thread(struct process_table *book, pid_t process, pid_t thread,
                               const char *name, uint64_t since_ns)
{
    struct process_table_entry *entry = process_table_thread(book, thread);

    entry->process = process;
    add_name(entry, name, since_ns);
}

void process_table_name_process(struct process_table *book, pid_t process,
                                const char *name, uint64_t since_ns)
{
    add_name(process_table_process(book, process), name, since_ns);
}

/* ---- Mappings ---------------------------------------------------------------------- */

static bool same_mapping(const struct process_table_mapping *a,
                         const struct process_table_mapping *b)
{
    return a->start == b->start && a->length == b->length && a->offset == b->offset &&
           a->image == b->image;
}

/* The latest counts for whoever reads them, so that one that is there already goes to the
 * end. */
static void add_mapping(struct process_table_entry *process,
                        struct process_table_mapping mapping)
{
    for (size_t i = 0; i < process->n_mappings; i++) {
        if (!same_mapping(&process->mappings[i], &mapping))
            continue;
        memmove(&process->mappings[i], &process->mappings[i + 1],
                (process->n_mappings - i - 1) * sizeof(mapping));
        process->n_mappings--;
        break;
    }
    process->mappings = memory_grow(process->mappings, process->n_mappings,
                                    &process->mapping_capacity, sizeof(mapping));
    process->mappings[process->n_mappings++] = mapping;
}

/* Code that is in no file has no name that would help. */
static bool is_of_use(const struct mapped *mapped)
{
    return (mapped->flags & FXT_MAPPING_EXECUTE) != 0 && mapped->length > 0 &&
           ((mapped->name[0] == '/' && mapped->name[1] != '/') ||
            strcmp(mapped->name, "[vdso]") == 0);
}

void process_table_map(struct process_table *book, const struct mapped *mapped)
{
    struct process_table_mapping mapping = {mapped->start, mapped->length, mapped->offset,
                                            mapped->flags, 0};

    if (!is_of_use(mapped))
        return;
    mapping.image = images_find(&book->images, mapped);
    add_mapping(process_table_process(book, mapped->process), mapping);
}

/* ---- Events ------------------------------------------------------------------------ */

static void take_name(struct process_table *book, const struct fxt_sampler_event *event)
{
    bool is_first = event->process == event->thread &&
                    last_name(find(&book->processes, event->process, false)) == NULL;

    process_table_name_thread(book, event->process, event->thread, event->name,
                              event->time_ns);
    if (event->kind == FXT_SAMPLER_EXECUTED || is_first)
        process_table_name_process(book, event->process, event->name, event->time_ns);
}

/* Entries move when one is added: the name is copied in between. */
static char *copy_name(struct process_table_list *list, pid_t id)
{
    const char *name = last_name(find(list, id, false));

    return name != NULL ? memory_copy_string(name) : NULL;
}

/* A thread has the name of the one that made it, and so has a process. */
static void inherit_names(struct process_table *book,
                          const struct fxt_sampler_event *event)
{
    char *name = copy_name(&book->threads, event->parent_thread);

    if (name != NULL)
        process_table_name_thread(book, event->process, event->thread, name,
                                  event->time_ns);
    memory_release(name);
    if (event->process == event->parent)
        return;
    name = copy_name(&book->processes, event->parent);
    if (name != NULL)
        process_table_name_process(book, event->process, name, event->time_ns);
    memory_release(name);
}

static void take_fork(struct process_table *book, const struct fxt_sampler_event *event)
{
    const struct process_table_entry *parent;
    struct process_table_entry *child;

    inherit_names(book, event);
    if (event->process == event->parent)
        return;
    child = process_table_process(book, event->process);
    parent = find(&book->processes, event->parent, false);
    for (size_t i = 0; parent != NULL && i < parent->n_mappings; i++)
        add_mapping(child, parent->mappings[i]);
}

static void take_mapping(struct process_table *book,
                         const struct fxt_sampler_event *event)
{
    process_table_map(book, &(struct mapped){
                                .process = event->process,
                                .start = event->start,
                                .length = event->length,
                                .offset = event->offset,
                                .flags = event->flags,
                                .place = {event->device_major, event->device_minor,
                                          event->inode, event->inode_generation},
                                .name = event->name,
                                .build_id = event->build_id,
                                .build_id_size = event->build_id_size,
                            });
}

void process_table_take_event(void *context, const struct fxt_sampler_event *event)
{
    struct process_table *book = context;

    pthread_mutex_lock(&lock);
    switch (event->kind) {
    case FXT_SAMPLER_NAMED:
    case FXT_SAMPLER_EXECUTED:
        take_name(book, event);
        break;
    case FXT_SAMPLER_FORKED:
        take_fork(book, event);
        break;
    case FXT_SAMPLER_MAPPED:
        take_mapping(book, event);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- /proc ------------------------------------------------------------------------- */

static uint32_t flags_of(const char *letters)
{
    return (letters[0] == 'r' ? FXT_MAPPING_READ : 0u) |
           (letters[1] == 'w' ? FXT_MAPPING_WRITE : 0u) |
           (letters[2] == 'x' ? FXT_MAPPING_EXECUTE : 0u);
}

/* 7f00-8f00 r-xp 00001000 08:01 12345   /usr/bin/name */
void process_table_take_maps_line(struct process_table *book, pid_t process, char *line)
{
    struct mapped mapped = {.process = process};
    char letters[5];
    uint64_t end;
    int name = 0;

    if (sscanf(line,
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
               " %n",
               &mapped.start, &end, letters, &mapped.offset, &mapped.place.device_major,
               &mapped.place.device_minor, &mapped.place.inode, &name) < 7 ||
        name == 0 || end <= mapped.start)
        return;
    line[strcspn(line, "\n")] = '\0';
    mapped.length = end - mapped.start;
    mapped.flags = flags_of(letters);
    mapped.name = line + name;
    process_table_map(book, &mapped);
}

bool process_table_read_maps(struct process_table *book, pid_t process, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;

    if (file == NULL)
        return false;
    while (getline(&line, &capacity, file) >= 0)
        process_table_take_maps_line(book, process, line);
    free(line);
    fclose(file);
    return true;
}

static uint64_t last_since(const struct process_table_entry *entry)
{
    return entry->n_names > 0 ? entry->names[entry->n_names - 1].since_ns : 0;
}

static void read_name(struct process_table *book, pid_t process, pid_t thread)
{
    char path[64];
    char name[64] = "";
    char program[PROGRAM_NAME_SIZE];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/comm", (long)process, (long)thread);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    if (fgets(name, sizeof(name), file) != NULL) {
        name[strcspn(name, "\n")] = '\0';
        process_table_name_thread(book, process, thread, name,
                                  last_since(process_table_thread(book, thread)));
        if (process == thread &&
            last_name(process_table_process(book, process)) == NULL) {
            program_name(process, name, program);
            process_table_name_process(book, process, program, 0);
        }
    }
    fclose(file);
}

/* Calls `take` for each entry of a directory of /proc that is a number. */
static void for_each_number(const char *path,
                            void (*take)(struct process_table *book, pid_t process,
                                         pid_t number),
                            struct process_table *book, pid_t process)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);

        if (number > 0)
            take(book, process, number);
    }
    if (directory != NULL)
        closedir(directory);
}

void process_table_read_process(struct process_table *book, pid_t process)
{
    char path[64];

    pthread_mutex_lock(&lock);
    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    for_each_number(path, read_name, book, process);
    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)process);
    process_table_read_maps(book, process, path);
    pthread_mutex_unlock(&lock);
}

static void take_process(struct process_table *book, pid_t unused, pid_t process)
{
    (void)unused;
    process_table_read_process(book, process);
}

void process_table_read_system(struct process_table *book)
{
    for_each_number("/proc", take_process, book, 0);
}

/* ---- The end ----------------------------------------------------------------------- */

static void free_list(struct process_table_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        for (size_t j = 0; j < list->all[i].n_names; j++)
            memory_release(list->all[i].names[j].name);
        memory_release(list->all[i].names);
        memory_release(list->all[i].mappings);
    }
    memory_release(list->all);
    table_free(&list->table);
}

void process_table_free(struct process_table *book)
{
    free_list(&book->processes);
    free_list(&book->threads);
    images_free(&book->images);
    *book = (struct process_table){0};
}
