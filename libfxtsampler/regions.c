/* SPDX-License-Identifier: BSD-2-Clause */
/* See regions.h. */
#include "regions.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

/* Linux 5.14. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { MAX_CPUS = 65536 };

struct regions regions;

uint64_t regions_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* ---- CPUs -------------------------------------------------------------------------- */

/* Reads a list of CPUs such as "0-3,8". Returns one more than its last, 0 where there is
 * no such list, and marks those below `n` in `marks`. */
static uint32_t read_cpu_list(const char *path, bool *marks, uint32_t n)
{
    FILE *file = fopen(path, "re");
    unsigned first;
    uint32_t end = 0;

    if (file == NULL)
        return 0;
    while (fscanf(file, "%u", &first) == 1) {
        unsigned last = first;

        if (fscanf(file, "-%u", &last) == 1 && last < first)
            break;
        if (last >= MAX_CPUS)
            break;
        for (unsigned cpu = first; cpu <= last && cpu < n; cpu++)
            marks[cpu] = true;
        end = last + 1;
        if (fgetc(file) != ',')
            break;
    }
    fclose(file);
    return end;
}

static uint32_t count_possible(void)
{
    uint32_t n = read_cpu_list("/sys/devices/system/cpu/possible", NULL, 0);
    long configured = sysconf(_SC_NPROCESSORS_CONF);

    if (n > 0)
        return n;
    return configured > 0 && configured <= MAX_CPUS ? (uint32_t)configured : 1;
}

void regions_look_online(bool *is_online)
{
    assert(regions.all != NULL);
    memset(is_online, 0, regions.n * sizeof(*is_online));
    if (read_cpu_list("/sys/devices/system/cpu/online", is_online, regions.n) == 0)
        memset(is_online, 1, regions.n * sizeof(*is_online));
}

/* ---- Memory ------------------------------------------------------------------------ */

bool regions_find_cpus(void)
{
    uint32_t n = count_possible();
    size_t size = n * sizeof(*regions.all);

    if (regions.all != NULL)
        return true;
    regions.all = aligned_alloc(_Alignof(struct region), size);
    if (regions.all == NULL)
        return false;
    memset(regions.all, 0, size);
    regions.n = n;
    return true;
}

/* Memory from the system is zeroed, and is only there once it is written. */
static void *map_private(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

struct file_name {
    char text[32];
};

static struct file_name name_file(uint32_t cpu)
{
    struct file_name name;

    snprintf(name.text, sizeof(name.text), "cpu%u.bin", (unsigned)cpu);
    return name;
}

static void *map_file(size_t size, int directory, uint32_t cpu)
{
    struct file_name name = name_file(cpu);
    void *memory = MAP_FAILED;
    int fd = openat(directory, name.text, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0)
        return MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    /* There is nothing to be read ahead. */
    if (memory != MAP_FAILED)
        madvise(memory, size, MADV_RANDOM);
    return memory;
}

/* What is made ready at a time, but for the first page, which is enough for many; and the
 * largest sample with the zero after it. */
enum { STEP_BYTES = 1 << 16, SAMPLE_BYTES_MAX = (FXT_SAMPLER_DEPTH_MAX + 13) * 8 };

/* Has the system give memory, and a file's disk room, for the next sample. On kernels
 * that cannot report whether there is any, it is allocated when it is written. */
static bool make_ready(struct region *region, void *memory, size_t used)
{
    while (region->ready < regions.size && region->ready - used < SAMPLE_BYTES_MAX) {
        size_t left = regions.size - region->ready;
        size_t step = region->ready > 0 ? STEP_BYTES : regions.page;
        size_t size = left < step ? left : step;

        if (madvise((char *)memory + region->ready, size, MADV_POPULATE_WRITE) != 0 &&
            errno != EINVAL)
            return false;
        region->ready += size;
    }
    return true;
}

static bool reset_region(struct region *region, void *memory, size_t size)
{
    region->ready = 0;
    if (!make_ready(region, memory, 0))
        return false;
    fxt_emit_init(&region->emit, memory, size);
    atomic_store(&region->samples, 0);
    atomic_store(&region->dropped, 0);
    atomic_store(&region->dropped_bytes, 0);
    atomic_store(&region->others, 0);
    atomic_store(&region->others_dropped, 0);
    atomic_store(&region->lost, 0);
    atomic_store(&region->throttled, 0);
    atomic_store(&region->busy, 0);
    atomic_store(&region->skipped, 0);
    atomic_store(&region->merged, 0);
    atomic_store(&region->first_loss, 0);
    atomic_store(&region->last_loss, 0);
    region->is_shown = false;
    region->n_removed = 0;
    region->n_seen = 0;
    region->passed = (struct region_counts){0};
    region->n_removed_samples = 0;
    return true;
}

/* Empty files, of a session that is not made, are of no use. */
static void remove_files(int directory, uint32_t n)
{
    int saved = errno;

    for (uint32_t cpu = 0; directory >= 0 && cpu < n; cpu++)
        unlinkat(directory, name_file(cpu).text, 0);
    errno = saved;
}

static bool make_regions(size_t size, int directory)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        void *memory =
            directory >= 0 ? map_file(size, directory, cpu) : map_private(size);

        if (memory == MAP_FAILED) {
            remove_files(directory, cpu + 1);
            return false;
        }
        if (!reset_region(&regions.all[cpu], memory, size)) {
            munmap(memory, size);
            remove_files(directory, cpu + 1);
            errno = ENOMEM;
            return false;
        }
    }
    return true;
}

enum regions_made regions_make(size_t size, const char *directory)
{
    int fd = -1;
    bool made;

    assert(regions.all != NULL && regions.size == 0 && size > 0);
    if (directory != NULL) {
        fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            return REGIONS_NO_DIRECTORY;
    }
    regions.size = size;
    regions.page = (size_t)sysconf(_SC_PAGESIZE);
    made = make_regions(size, fd);
    if (fd >= 0)
        close(fd);
    if (made)
        return REGIONS_OK;
    regions_unmake();
    return fd >= 0 && errno != ENOMEM ? REGIONS_NO_DIRECTORY : REGIONS_NO_MEMORY;
}

void regions_unmake(void)
{
    int saved = errno;

    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        assert(fxt_gate_is_quiet(&regions.all[cpu].gate));
        if (regions.all[cpu].emit.words != NULL)
            munmap(regions.all[cpu].emit.words, regions.size);
        fxt_emit_init(&regions.all[cpu].emit, NULL, 0);
    }
    regions.size = 0;
    errno = saved;
}

bool regions_any_full(void)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (regions.all[cpu].emit.full)
            return true;
    }
    return false;
}

/* ---- Gates ------------------------------------------------------------------------- */

void regions_open_gates(void)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        fxt_gate_enable(&regions.all[cpu].gate);
}

void regions_close_gates(void)
{
    const struct timespec moment = {.tv_nsec = 20000};

    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        fxt_gate_disable(&regions.all[cpu].gate);
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        while (!fxt_gate_is_quiet(&regions.all[cpu].gate))
            nanosleep(&moment, NULL);
    }
}

/* ---- Writing ----------------------------------------------------------------------- */

/* An emitter that has reached its limit accepts no more records. */
static void make_room(struct region *region)
{
    struct fxt_emit *to = &region->emit;

    if (to->limit != to->pos &&
        !make_ready(region, to->words, (size_t)to->pos * FXT_WORD_BYTES))
        to->limit = to->pos;
}

static bool emit_sample(struct region *region, const struct region_sample *s,
                        uint64_t time)
{
    struct fxt_emit *to = &region->emit;

    make_room(region);
    if (regions.backtraces)
        return fxt_emit_backtrace(
            to, time, s->process, s->thread, s->pcs,
            s->n_pcs < FXT_BACKTRACE_PCS_MAX ? s->n_pcs : FXT_BACKTRACE_PCS_MAX);
    if (s->event != 0 || s->weight != 0)
        return fxt_emit_event_stack(to, time, s->process, s->thread, s->pcs, s->n_pcs,
                                    s->end, s->event, s->weight);
    if (s->end != FXT_STACK_END_UNKNOWN)
        return fxt_emit_stack(to, time, s->process, s->thread, s->pcs, s->n_pcs, s->end);
    return fxt_emit_sample(to, time, s->process, s->thread, s->pcs, s->n_pcs);
}

/* A test preempts the thread here. */
#ifndef REGIONS_STEP
#define REGIONS_STEP()
#endif

/* A thread that was preempted after it took the time moves neither end inwards. */
static void extend_loss(struct region *region, uint64_t now)
{
    uint_fast64_t first = atomic_load(&region->first_loss);
    uint_fast64_t last = atomic_load(&region->last_loss);

    while ((first == 0 || now < first) &&
           !atomic_compare_exchange_weak(&region->first_loss, &first, now))
        continue;
    while (now > last && !atomic_compare_exchange_weak(&region->last_loss, &last, now))
        continue;
}

void regions_lose(struct region *region, atomic_uint_fast64_t *count, uint64_t n)
{
    uint64_t now = regions_now();

    REGIONS_STEP();
    extend_loss(region, now);
    regions_count(count, n);
}

static bool enter(struct region *region)
{
    while (!fxt_gate_enter(&region->gate)) {
        if (!fxt_gate_is_enabled(&region->gate))
            return false;
        if (!regions.writers_wait) {
            regions_lose(region, &region->busy, 1);
            return false;
        }
        sched_yield();
    }
    return true;
}

/* Returns NULL if there is no such region, or it takes nothing now. */
static struct region *enter_region(uint32_t cpu)
{
    if (cpu >= regions.n || !enter(&regions.all[cpu]))
        return NULL;
    return &regions.all[cpu];
}

/* Counts a record, which was written or dropped, and leaves. */
static void leave_region(struct region *region, uint64_t dropped_bytes,
                         atomic_uint_fast64_t *count)
{
    regions_count(count, 1);
    if (region->emit.dropped_bytes != dropped_bytes)
        regions_count(&region->dropped_bytes, region->emit.dropped_bytes - dropped_bytes);
    fxt_gate_leave(&region->gate);
}

void regions_write(uint32_t cpu, const struct region_sample *sample)
{
    struct region *region = enter_region(cpu);
    uint64_t time = sample->time;
    uint64_t dropped_bytes;

    if (region == NULL)
        return;
    dropped_bytes = region->emit.dropped_bytes;
    if (time == 0)
        time = regions_now();
    leave_region(region, dropped_bytes,
                 emit_sample(region, sample, time) ? &region->samples : &region->dropped);
}

void regions_write_other(uint32_t cpu, regions_emit_fn *emit, const void *context)
{
    struct region *region = enter_region(cpu);
    uint64_t dropped_bytes;

    if (region == NULL)
        return;
    dropped_bytes = region->emit.dropped_bytes;
    make_room(region);
    leave_region(region, dropped_bytes,
                 emit(&region->emit, context) ? &region->others
                                              : &region->others_dropped);
}
