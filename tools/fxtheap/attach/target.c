/* SPDX-License-Identifier: BSD-2-Clause */
/* See target.h. */
#include "target.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"

/* ---- Mappings ---------------------------------------------------------------------- */

static size_t add_file(struct target *t, const char *path)
{
    size_t size = strlen(path) + 1;

    for (size_t i = t->n_files; i-- > 0;) {
        if (strcmp(t->files[i].path, path) == 0)
            return i;
    }
    t->files = memory_grow(t->files, t->n_files, &t->file_capacity, sizeof(*t->files));
    t->files[t->n_files] = (struct target_file){.path = memory_allocate(size)};
    memcpy(t->files[t->n_files].path, path, size);
    return t->n_files++;
}

static void take_line(struct target *t, char *line)
{
    struct target_mapping m = {.file = SIZE_MAX};
    char flags[5];
    int at = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*u %n", &m.start,
               &m.limit, flags, &m.offset, &at) != 4 ||
        at == 0)
        return;
    m.is_readable = flags[0] == 'r';
    m.is_writable = flags[1] == 'w';
    m.is_executable = flags[2] == 'x';
    if (line[at] != '\0')
        m.file = add_file(t, line + at);
    MEMORY_ADD(t->mappings, t->n_mappings, t->mapping_capacity, m);
}

static bool read_mappings(struct target *t)
{
    char path[64];
    char *line = NULL;
    size_t capacity = 0;
    FILE *maps;

    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)t->process);
    maps = fopen(path, "re");
    if (maps == NULL)
        return false;
    while (getline(&line, &capacity, maps) > 0)
        take_line(t, line);
    free(line);
    fclose(maps);
    return true;
}

const struct target_mapping *target_mapping_at(const struct target *t, uint64_t address)
{
    for (size_t i = 0; i < t->n_mappings; i++) {
        if (address >= t->mappings[i].start && address < t->mappings[i].limit)
            return &t->mappings[i];
    }
    return NULL;
}

/* ---- Files ------------------------------------------------------------------------- */

const char *target_name(const struct target_file *file)
{
    const char *slash = strrchr(file->path, '/');

    return slash != NULL ? slash + 1 : file->path;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A file that has code is read where its first page is. */
static void read_images(struct target *t, bool with_tables)
{
    for (size_t i = 0; i < t->n_mappings; i++) {
        const struct target_mapping *first = &t->mappings[i];

        if (first->file == SIZE_MAX || first->offset != 0 || !first->is_readable ||
            t->files[first->file].image.header != 0)
            continue;
        for (size_t j = i; j < t->n_mappings; j++) {
            if (t->mappings[j].file == first->file && t->mappings[j].is_executable) {
                image_read(&t->files[first->file].image, t->memory, first->start,
                           with_tables);
                break;
            }
        }
    }
}

static void find_roles(struct target *t)
{
    for (size_t i = 0; i < t->n_files; i++) {
        const struct target_file *file = &t->files[i];
        const char *name = target_name(file);

        if (file->image.header == 0)
            continue;
        if (begins_with(name, "libc.so.6") || begins_with(name, "libc-2."))
            t->libc = file;
        else if (begins_with(name, "ld-linux") || begins_with(name, "ld-2."))
            t->loader = file;
        else if (begins_with(name, "libfxtheap.so"))
            t->heap = file;
        else if (image_find(&file->image, "malloc").start != 0 && t->allocator == NULL)
            t->allocator = file;
    }
}

static void add_module(struct target *t, const struct target_mapping *m, uint32_t i)
{
    const struct target_file *file = m->file != SIZE_MAX ? &t->files[m->file] : NULL;

    t->modules[t->space.n_modules] = (struct unwind_module){
        .start = m->start, .limit = m->limit, .id = i, .flags = UNWIND_KEEPS_FRAMES};
    if (file != NULL && file->image.table.n_rows > 0) {
        t->modules[t->space.n_modules].flags = 0;
        t->modules[t->space.n_modules].bias = file->image.bias;
        t->modules[t->space.n_modules].table = &file->image.table;
    }
    t->space.n_modules++;
}

static void make_space(struct target *t)
{
    t->modules = memory_allocate((t->n_mappings + 1) * sizeof(*t->modules));
    t->space = (struct unwind_space){
        .machine = UNWIND_THIS_MACHINE, .generation = 1, .modules = t->modules};
    for (size_t i = 0; i < t->n_mappings; i++) {
        if (t->mappings[i].is_executable)
            add_module(t, &t->mappings[i], (uint32_t)i);
    }
}

const struct target_file *target_code_at(const struct target *t, uint64_t address)
{
    const struct target_mapping *m = target_mapping_at(t, address);

    return m != NULL && m->is_executable && m->file != SIZE_MAX ? &t->files[m->file]
                                                                : NULL;
}

uint64_t target_find_bytes(const struct target *t, const struct target_file *file,
                           const void *bytes, size_t size)
{
    uint64_t found = 0;

    for (size_t i = 0; i < t->n_mappings && found == 0; i++) {
        const struct target_mapping *m = &t->mappings[i];
        unsigned char *copy;
        const unsigned char *at = NULL;

        if (m->file != (size_t)(file - t->files) || !m->is_executable)
            continue;
        copy = memory_allocate(m->limit - m->start);
        if (image_copy(t->memory, m->start, copy, m->limit - m->start))
            at = memmem(copy, m->limit - m->start, bytes, size);
        if (at != NULL)
            found = m->start + (uint64_t)(at - copy);
        memory_release(copy);
    }
    return found;
}

/* ---- The whole --------------------------------------------------------------------- */

static void forget(struct target *t)
{
    for (size_t i = 0; i < t->n_files; i++) {
        image_free(&t->files[i].image);
        memory_release(t->files[i].path);
    }
    memory_release(t->files);
    memory_release(t->mappings);
    memory_release(t->modules);
    *t = (struct target){.process = t->process, .memory = t->memory};
}

static bool read_once(struct target *t, bool with_tables)
{
    forget(t);
    if (!read_mappings(t))
        return false;
    read_images(t, with_tables);
    find_roles(t);
    make_space(t);
    return true;
}

/* Mappings that change while they are read may hide others. */
static bool read_all(struct target *t, bool with_tables)
{
    enum { TRIES = 5 };

    for (int i = 0; i < TRIES; i++) {
        if (!read_once(t, with_tables))
            return false;
        if (t->libc != NULL && t->loader != NULL)
            break;
    }
    return true;
}

bool target_reopen(struct target *t)
{
    return read_all(t, false);
}

bool target_open(struct target *t, pid_t process)
{
    char path[64];

    t->process = process;
    snprintf(path, sizeof(path), "/proc/%ld/mem", (long)process);
    t->memory = open(path, O_RDWR | O_CLOEXEC);
    return t->memory >= 0 && read_all(t, true);
}

void target_close(struct target *t)
{
    if (t->memory >= 0)
        close(t->memory);
    forget(t);
}
