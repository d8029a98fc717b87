/* SPDX-License-Identifier: BSD-2-Clause */
/* See inject.h. */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "processes/proc_read.h"

#define SHARED_OBJECT "libfxtrecord-inject.so"

/* ---- Setting up -------------------------------------------------------------------- */

/* In a build directory it is beside the program; installed, in a library directory. */
static bool find_shared_object(struct text *path)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (size > 0) {
        self[size] = '\0';
        *(strrchr(self, '/') + 1) = '\0';
        text_printf(path, "%s" SHARED_OBJECT, self);
        text_char(path, '\0');
        if (access(path->data, R_OK) == 0)
            return true;
        path->size = 0;
    }
    text_str(path, FXTRECORD_LIBRARY_DIRECTORY "/" SHARED_OBJECT);
    text_char(path, '\0');
    return access(path->data, R_OK) == 0;
}

/* Both separate names in LD_PRELOAD. */
static bool has_separator(const char *path)
{
    return strpbrk(path, " :") != NULL;
}

static bool try_directory(struct inject *inject, const char *parent)
{
    int size = snprintf(inject->directory, sizeof(inject->directory),
                        "%s/fxtrecord-XXXXXX", parent);

    errno = ENAMETOOLONG;
    return size < (int)sizeof(inject->directory) && mkdtemp(inject->directory) != NULL;
}

/* In TMPDIR, or in memory: each program has files for each CPU, most of them empty. */
static bool make_directory(struct inject *inject, struct text *why)
{
    const char *parent = getenv("TMPDIR");
    bool good;

    if (parent != NULL && parent[0] == '/' && !has_separator(parent))
        good = try_directory(inject, parent);
    else
        good = try_directory(inject, "/dev/shm") || try_directory(inject, "/tmp");
    if (good)
        return true;
    text_printf(why, "%s: %s", inject->directory, strerror(errno));
    inject->directory[0] = '\0';
    return false;
}

/* A name without separators, in the directory. Only if there is need: processes that
 * outlive the recording would still look for it. */
static bool make_link(struct inject *inject, struct text *why)
{
    struct text link = {NULL, 0, 0};
    bool good;

    if (!has_separator(inject->preload.data))
        return true;
    text_printf(&link, "%s/" SHARED_OBJECT, inject->directory);
    text_char(&link, '\0');
    good = symlink(inject->preload.data, link.data) == 0;
    if (!good)
        text_printf(why, "%s: %s", link.data, strerror(errno));
    text_free(&inject->preload);
    inject->preload = link;
    return good;
}

static void set_environment(struct inject *inject)
{
    const char *const all[] = {"LD_PRELOAD",
                               inject->preload.data,
                               INJECT_DIRECTORY,
                               inject->directory,
                               INJECT_PERIOD,
                               inject->period,
                               INJECT_BUFFER_SIZE,
                               inject->buffer_size,
                               INJECT_FLAGS,
                               inject->flags,
                               NULL};

    memcpy(inject->environment, all, sizeof(all));
}

bool inject_prepare(struct inject *inject, uint64_t period_ns, uint64_t buffer_size,
                    uint32_t flags, struct text *why)
{
    const char *preloaded = getenv("LD_PRELOAD");

    if (!find_shared_object(&inject->preload)) {
        text_str(why, "there is no " SHARED_OBJECT ", which --method signal needs");
        return false;
    }
    if (!make_directory(inject, why) || !make_link(inject, why))
        return false;
    if (preloaded != NULL && preloaded[0] != '\0') {
        inject->preload.data[inject->preload.size - 1] = ':';
        text_add(&inject->preload, preloaded, strlen(preloaded) + 1);
    }
    snprintf(inject->period, sizeof(inject->period), "%" PRIu64, period_ns);
    snprintf(inject->buffer_size, sizeof(inject->buffer_size), "%" PRIu64, buffer_size);
    snprintf(inject->flags, sizeof(inject->flags), "%" PRIu32, flags);
    set_environment(inject);
    return true;
}

/* ---- While it runs ----------------------------------------------------------------- */

/* Calls `take` for each entry of a directory, with its path, in the order of versions:
 * what a process did first comes first. */
static void for_each(const char *directory,
                     void (*take)(void *context, const char *path, const char *name),
                     void *context)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, NULL, versionsort);
    struct text path = {NULL, 0, 0};

    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            path.size = 0;
            text_printf(&path, "%s/%s", directory, entries[i]->d_name);
            text_char(&path, '\0');
            take(context, path.data, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    text_free(&path);
}

struct inject_look {
    struct inject *inject;
    struct process_table *table;
};

static void look_at_process(void *context, const char *path, const char *name)
{
    struct inject_look *look = context;
    struct string_table *seen = &look->inject->seen;
    pid_t process = (pid_t)strtol(name, NULL, 10);
    size_t n = seen->n;
    struct text maps = {NULL, 0, 0};

    if (process == 0 || string_table_add(seen, name, strlen(name)) < n)
        return;
    text_printf(&maps, "%s/maps", path);
    text_char(&maps, '\0');
    proc_read_maps(look->table, process, maps.data);
    proc_read_code(look->table, process);
    process_table_expect_names(look->table, process);
    text_free(&maps);
}

void inject_look(struct inject *inject, struct process_table *table)
{
    struct inject_look look = {inject, table};

    for_each(inject->directory, look_at_process, &look);
    process_table_look_for_all_names(table);
}

/* ---- Afterwards -------------------------------------------------------------------- */

struct inject_gather {
    struct inject *inject;
    struct recording *recording;
    pid_t process;
    /* The index of the first region of the process. */
    size_t first_region;
    unsigned n_sampled;
};

/* A region's file is filled from its beginning on. The rest, a hole, is not mapped:
 * reading it may allocate room on a full disk. */
static size_t size_before_hole(int fd)
{
    off_t size = lseek(fd, 0, SEEK_HOLE);

    return size > 0 ? (size_t)size : 0;
}

static void take_region(struct inject_gather *g, const char *path, uint32_t cpu)
{
    struct filled_region region = {
        .cpu = cpu, .n_reported = UINT64_MAX, .is_mapped = true};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t size;
    void *data = MAP_FAILED;

    if (fd < 0)
        return;
    size = size_before_hole(fd);
    if (size > 0)
        data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return;
    region.data = data;
    region.size = size;
    filled_regions_add(&g->recording->regions, region);
}

/* "0 123456789 program", and "123 123456789 name" for threads. */
static void take_name(struct inject_gather *g, pid_t thread, char *name)
{
    struct process_table *table = &g->recording->table;
    uint64_t since_ns = strtoull(name, &name, 10);

    if (*name != ' ')
        return;
    if (thread > 0)
        process_table_name_thread(table, g->process, thread, name + 1, since_ns);
    else
        process_table_name_process(table, g->process, name + 1, since_ns);
}

static void take_names(struct inject_gather *g, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[128];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *name;
        pid_t thread = (pid_t)strtol(line, &name, 10);

        line[strcspn(line, "\n")] = '\0';
        if (name > line && thread >= 0 && *name == ' ')
            take_name(g, thread, name + 1);
    }
    if (file != NULL)
        fclose(file);
}

static void take_file(void *context, const char *path, const char *name)
{
    struct inject_gather *g = context;
    unsigned cpu;

    if (strcmp(name, "maps") == 0)
        proc_read_maps(&g->recording->table, g->process, path);
    else if (strcmp(name, "names") == 0)
        take_names(g, path);
    else if (sscanf(name, "cpu%u.bin", &cpu) == 1)
        take_region(g, path, cpu);
}

/* What the program reports of the region of one CPU. */
static void take_counts(struct inject_gather *g, const struct filled_region *reported)
{
    struct filled_regions *regions = &g->recording->regions;

    for (size_t i = g->first_region; i < regions->n; i++) {
        struct filled_region *region = &regions->all[i];

        if (region->cpu != reported->cpu)
            continue;
        region->dropped = reported->dropped;
        region->dropped_bytes = reported->dropped_bytes;
        region->lost = reported->lost;
        region->first_drop = reported->first_drop;
        region->last_drop = reported->last_drop;
    }
}

/* Reads the report of a program, whose regions were all taken. One that was killed,
 * called exec or still runs has written none. */
static void take_end(struct inject_gather *g, const char *directory)
{
    struct inject *inject = g->inject;
    struct recording *r = g->recording;
    struct text path = {NULL, 0, 0};
    struct filled_region reported = {0};
    struct fxt_sampler_counts counts = {0};
    int how = -1;
    FILE *file;

    text_printf(&path, "%s/end", directory);
    text_char(&path, '\0');
    file = fopen(path.data, "re");
    text_free(&path);
    if (file != NULL && fscanf(file, "%d %" SCNu64 " %" SCNu64 " %" SCNu64, &how,
                               &counts.cpu_ns, &counts.throttled, &counts.merged) == 4) {
        while (fscanf(file,
                      "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                      " %" SCNu64,
                      &reported.cpu, &reported.dropped, &reported.dropped_bytes,
                      &reported.lost, &reported.first_drop, &reported.last_drop) == 6)
            take_counts(g, &reported);
    }
    /* An empty report means a full disk, which had no room for samples, either. */
    inject->n_failed += how == INJECT_FAILED || (file != NULL && how < 0);
    inject->n_gave_up += how == INJECT_GAVE_UP;
    r->cpu_ns += counts.cpu_ns;
    r->n_throttled += counts.throttled;
    inject->n_merged += counts.merged;
    g->n_sampled += how != INJECT_FAILED;
    for (size_t i = g->first_region; i < r->regions.n; i++)
        r->regions.all[i].is_unreported = how < 0;
    if (file != NULL)
        fclose(file);
}

/* If the process still runs, what it has mapped by now is added at the end. */
static void take_process(void *context, const char *path, const char *name)
{
    struct inject_gather *g = context;

    g->process = (pid_t)strtol(name, NULL, 10);
    if (g->process == 0)
        return;
    g->first_region = g->recording->regions.n;
    for_each(path, take_file, g);
    take_end(g, path);
    proc_read_code(&g->recording->table, g->process);
}

unsigned inject_gather(struct inject *inject, struct recording *recording)
{
    struct inject_gather g = {.inject = inject, .recording = recording};

    for_each(inject->directory, take_process, &g);
    return g.n_sampled;
}

static void remove_file(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    unlink(path);
}

static void remove_directory(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    for_each(path, remove_file, NULL);
    if (rmdir(path) != 0)
        unlink(path);
}

void inject_remove(struct inject *inject)
{
    if (inject->directory[0] != '\0') {
        for_each(inject->directory, remove_directory, NULL);
        rmdir(inject->directory);
    }
    text_free(&inject->preload);
    string_table_free(&inject->seen);
}
