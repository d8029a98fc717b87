/* SPDX-License-Identifier: BSD-2-Clause */
/* See inject.h: taking what the programs have written, while they may write more. */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/format.h>
#include <fxt/sampler.h>

#include "common/processes/proc_read.h"
#include "tools/fxtrecord/files.h"

/* What is read of a region at once, and what a block has at most. */
enum { READ_BYTES = 1 << 18, BLOCK_BYTES = 1 << 22 };

/* A region, and how much of it was taken. */
struct inject_region {
    uint32_t cpu;
    uint64_t offset;
};

struct inject_process {
    pid_t id;
    uint64_t names_offset;
    uint64_t n_samples;
    struct inject_region *regions;
    size_t n_regions;
    size_t region_capacity;
    /* What it has mapped was read; it has ended, and everything was taken. */
    bool was_read;
    bool is_done;
};

struct inject_taking {
    struct inject *inject;
    struct recording *recording;
    struct filled_regions *block;
    struct inject_process *process;
    uint64_t n_bytes;
    bool is_last;
};

/* ---- Regions ----------------------------------------------------------------------- */

static struct inject_region *find_region(struct inject_process *p, uint32_t cpu)
{
    for (size_t i = 0; i < p->n_regions; i++) {
        if (p->regions[i].cpu == cpu)
            return &p->regions[i];
    }
    MEMORY_ADD(p->regions, p->n_regions, p->region_capacity,
               (struct inject_region){cpu, 0});
    return &p->regions[p->n_regions - 1];
}

/* The size of the whole records, and how many they are. */
static size_t whole_records(const unsigned char *data, size_t size, uint64_t *n)
{
    size_t at = 0;

    *n = 0;
    while (size - at >= FXT_WORD_BYTES) {
        uint64_t header;
        uint64_t n_words;

        memcpy(&header, data + at, sizeof(header));
        n_words = FXT_GET(header, RECORD_TYPE) == FXT_RECORD_LARGE
                      ? FXT_GET(header, LARGE_WORDS)
                      : FXT_GET(header, RECORD_WORDS);
        if (n_words == 0 || n_words > (size - at) / FXT_WORD_BYTES)
            break;
        at += (size_t)n_words * FXT_WORD_BYTES;
        ++*n;
    }
    return at;
}

/* The headers say what is whole: that is read again after them, since the first read may
 * have had a record before its header was stored. */
static size_t read_records(int fd, uint64_t offset, unsigned char *data, uint64_t *n)
{
    ssize_t size = pread(fd, data, READ_BYTES, (off_t)offset);
    size_t whole = size > 0 ? whole_records(data, (size_t)size, n) : 0;

    if (whole == 0 || pread(fd, data, whole, (off_t)offset) != (ssize_t)whole)
        return 0;
    return whole;
}

/* Returns whether there may be more. */
static bool take_records(struct inject_taking *t, int fd, struct inject_region *region)
{
    unsigned char *data = memory_reserve(READ_BYTES);
    uint64_t n = 0;
    size_t size = read_records(fd, region->offset, data, &n);

    if (size == 0) {
        memory_release(data);
        return false;
    }
    filled_regions_add(t->block,
                       (struct filled_region){.cpu = region->cpu,
                                              .data = memory_reallocate(data, size),
                                              .size = size,
                                              .n_reported = UINT64_MAX,
                                              .is_owned = true});
    region->offset += size;
    t->process->n_samples += n;
    t->n_bytes += size;
    return t->n_bytes < BLOCK_BYTES;
}

static void take_region(struct inject_taking *t, const char *path, uint32_t cpu)
{
    struct inject_region *region = find_region(t->process, cpu);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    while (fd >= 0 && t->n_bytes < BLOCK_BYTES && take_records(t, fd, region))
        continue;
    if (fd >= 0)
        close(fd);
}

/* ---- Names ------------------------------------------------------------------------- */

/* "0 123456789 program", and "123 123456789 name" for threads. */
static void take_name(struct inject_taking *t, char *line)
{
    struct process_table *table = &t->recording->table;
    pid_t process = t->process->id;
    char *rest;
    pid_t thread = (pid_t)strtol(line, &rest, 10);
    uint64_t since_ns;

    if (rest == line || thread < 0 || *rest != ' ')
        return;
    since_ns = strtoull(rest + 1, &rest, 10);
    if (*rest != ' ')
        return;
    if (thread > 0)
        process_table_name_thread(table, process, thread, rest + 1, since_ns);
    else
        process_table_name_process(table, process, rest + 1, since_ns);
}

/* A line that is not whole yet is left for the next time. */
static void take_names(struct inject_taking *t, const char *path)
{
    FILE *file = fopen(path, "re");
    char line[128];

    if (file == NULL)
        return;
    fseeko(file, (off_t)t->process->names_offset, SEEK_SET);
    while (fgets(line, sizeof(line), file) != NULL) {
        size_t size = strlen(line);

        if (size == 0 || (line[size - 1] != '\n' && size < sizeof(line) - 1))
            break;
        t->process->names_offset += size;
        line[strcspn(line, "\n")] = '\0';
        take_name(t, line);
    }
    fclose(file);
}

/* ---- Processes --------------------------------------------------------------------- */

static void take_live_file(void *context, const char *path, const char *name)
{
    struct inject_taking *t = context;
    unsigned cpu;

    if (strcmp(name, "names") == 0)
        take_names(t, path);
    else if (sscanf(name, "cpu%u.bin", &cpu) == 1)
        take_region(t, path, cpu);
}

/* What a program reports of the region of one CPU. */
static void take_counts(struct inject_taking *t, const struct filled_region *reported)
{
    t->inject->n_dropped += reported->dropped;
    t->inject->n_lost += reported->lost;
    t->recording->n_of_cpu_ns += reported->dropped + reported->lost;
    filled_regions_add(t->block, *reported);
}

/* A program that was killed has not reported what its full regions lack. */
static void count_unreported(void *context, const char *path, const char *name)
{
    struct inject_taking *t = context;
    struct filled_region region = {0};
    struct stat status;
    unsigned cpu;

    if (sscanf(name, "cpu%u.bin", &cpu) != 1 || stat(path, &status) != 0)
        return;
    region.size = (uint64_t)status.st_size;
    region.used = find_region(t->process, cpu)->offset;
    t->inject->n_unreported += filled_region_is_full(&region);
}

/* Reads the report of a program. One that was killed, called exec or still runs has
 * written none. */
static void take_end(struct inject_taking *t, const char *directory)
{
    struct inject *inject = t->inject;
    struct recording *r = t->recording;
    char *path = text_format("%s/end", directory);
    struct filled_region reported = {0};
    struct fxt_sampler_counts counts = {0};
    int how = -1;
    FILE *file = fopen(path, "re");

    memory_release(path);
    if (file != NULL && fscanf(file, "%d %" SCNu64 " %" SCNu64 " %" SCNu64, &how,
                               &counts.cpu_ns, &counts.throttled, &counts.merged) == 4) {
        while (fscanf(file,
                      "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                      " %" SCNu64,
                      &reported.cpu, &reported.dropped, &reported.dropped_bytes,
                      &reported.lost, &reported.first_drop, &reported.last_drop) == 6)
            take_counts(t, &reported);
    }
    /* An empty report means a full disk, which had no room for samples, either. */
    inject->n_failed += how == INJECT_FAILED || (file != NULL && how < 0);
    inject->n_gave_up += how == INJECT_GAVE_UP;
    inject->n_merged += counts.merged;
    inject->n_sampled += how != INJECT_FAILED;
    r->cpu_ns += counts.cpu_ns;
    r->n_throttled += counts.throttled;
    if (how >= 0)
        r->n_of_cpu_ns += t->process->n_samples;
    else
        files_for_each(directory, count_unreported, t);
    if (file != NULL)
        fclose(file);
}

/* `path` is the process's directory. */
static void read_maps(struct process_table *table, pid_t process, const char *path)
{
    char *maps = text_format("%s/maps", path);

    proc_read_maps(table, process, maps);
    proc_read_code(table, process);
    memory_release(maps);
}

/* All that it had mapped is in a file by now; if it still runs, it may have more. */
static void end_process(struct inject_taking *t, const char *path)
{
    read_maps(&t->recording->table, t->process->id, path);
    take_end(t, path);
    t->inject->n_samples += t->process->n_samples;
    t->process->is_done = true;
    files_remove(path);
}

static struct inject_process *find_process(struct inject *inject, const char *name)
{
    uint32_t number = string_table_add(&inject->seen, name, strlen(name));

    while (inject->n_processes <= number) {
        MEMORY_ADD(inject->processes, inject->n_processes, inject->process_capacity,
                   (struct inject_process){.id = (pid_t)strtol(name, NULL, 10)});
    }
    return &inject->processes[number];
}

void inject_look_at_process(struct inject *inject, struct process_table *table,
                            const char *path, const char *name)
{
    struct inject_process *p;

    if (strtol(name, NULL, 10) <= 0)
        return;
    p = find_process(inject, name);
    if (p->was_read)
        return;
    p->was_read = true;
    read_maps(table, p->id, path);
    process_table_expect_names(table, p->id);
}

static bool has_ended(pid_t process)
{
    return kill(process, 0) != 0 && errno == ESRCH;
}

static void take_process(void *context, const char *path, const char *name)
{
    struct inject_taking *t = context;
    bool is_ending;

    if (strtol(name, NULL, 10) <= 0)
        return;
    inject_look_at_process(t->inject, &t->recording->table, path, name);
    t->process = find_process(t->inject, name);
    if (t->process->is_done)
        return;
    is_ending = t->is_last || has_ended(t->process->id);
    files_for_each(path, take_live_file, t);
    if (is_ending && t->n_bytes < BLOCK_BYTES)
        end_process(t, path);
}

void inject_take(struct inject *inject, struct recording *recording,
                 struct filled_regions *block, bool is_last)
{
    struct inject_taking t = {inject, recording, block, NULL, 0, is_last};

    files_for_each(inject->directory, take_process, &t);
}
