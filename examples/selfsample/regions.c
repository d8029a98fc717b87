/* SPDX-License-Identifier: BSD-2-Clause */
/* See regions.h. */
#include "regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_CPUS = 65536 };

/* Reads a list of CPUs such as "0-3,8". Returns one more than its last, and whether `cpu`
 * is in it; 0 where there is no such list. */
static unsigned read_cpu_list(const char *path, unsigned cpu, bool *has_cpu)
{
    FILE *file = fopen(path, "re");
    unsigned first;
    unsigned end = 0;

    *has_cpu = false;
    if (file == NULL)
        return 0;
    while (fscanf(file, "%u", &first) == 1) {
        unsigned last = first;

        if (fscanf(file, "-%u", &last) == 1 && last < first)
            break;
        *has_cpu = *has_cpu || (cpu >= first && cpu <= last);
        end = last + 1;
        if (fgetc(file) != ',')
            break;
    }
    fclose(file);
    return end <= MAX_CPUS ? end : 0;
}

static unsigned count_possible(void)
{
    bool has_first;
    unsigned n = read_cpu_list("/sys/devices/system/cpu/possible", 0, &has_first);
    long configured = sysconf(_SC_NPROCESSORS_CONF);

    if (n > 0)
        return n;
    return configured > 0 && configured <= MAX_CPUS ? (unsigned)configured : 1;
}

bool regions_is_online(const struct regions *regions, unsigned cpu)
{
    bool is_online;
    unsigned n = read_cpu_list("/sys/devices/system/cpu/online", cpu, &is_online);

    return n > 0 ? is_online : cpu < regions->n;
}

/* Memory from the system is zeroed, and is only there once it is written. */
static bool create_region(struct region *region, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return false;
    fxt_emit_init(&region->emit, memory, size);
    fxt_gate_init(&region->gate);
    fxt_gate_enable(&region->gate);
    return true;
}

bool regions_create(struct regions *regions, size_t size)
{
    *regions = (struct regions){.size = size};
    unsigned n = count_possible();

    regions->all = aligned_alloc(_Alignof(struct region), n * sizeof(*regions->all));
    if (regions->all == NULL)
        return false;
    for (; regions->n < n; regions->n++) {
        if (!create_region(&regions->all[regions->n], size)) {
            regions_destroy(regions);
            return false;
        }
    }
    return true;
}

void regions_destroy(struct regions *regions)
{
    int saved = errno;

    while (regions->n > 0)
        munmap(regions->all[--regions->n].emit.words, regions->size);
    free(regions->all);
    regions->all = NULL;
    errno = saved;
}
