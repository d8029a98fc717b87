/* SPDX-License-Identifier: BSD-2-Clause */
/* See region_files.h. */
#include "region_files.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io/output.h"

static bool write_region(const struct filled_regions *regions, uint32_t cpu,
                         const char *name, struct text *why)
{
    static const unsigned char zeros[4096];
    struct output *output = output_open(name, true, why);
    uint64_t size = 0;

    if (output == NULL)
        return false;
    for (size_t i = 0; i < regions->n; i++) {
        if (regions->all[i].cpu != cpu)
            continue;
        output_write(output, regions->all[i].data, (size_t)regions->all[i].used);
        size += regions->all[i].used;
    }
    output_write(output, zeros, (size_t)(sizeof(zeros) - size % sizeof(zeros)));
    return output_close(output, true, why);
}

bool region_files_write(const struct filled_regions *regions, const char *directory,
                        struct text *why)
{
    bool good = true;

    for (size_t i = 0; good && i < regions->n; i++) {
        struct text name = {NULL, 0, 0};

        if (!filled_regions_is_first(regions, i))
            continue;
        text_printf(&name, "%s/cpu%u.bin", directory, (unsigned)regions->all[i].cpu);
        text_char(&name, '\0');
        good = write_region(regions, regions->all[i].cpu, name.data, why);
        text_free(&name);
    }
    return good;
}

void region_files_remove_others(const struct filled_regions *regions, const char *name)
{
    DIR *directory = opendir(name);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        unsigned cpu;
        int end = 0;
        bool is_kept = false;

        if (sscanf(entry->d_name, "cpu%u.bin%n", &cpu, &end) != 1 || end == 0 ||
            entry->d_name[end] != '\0')
            continue;
        for (size_t i = 0; i < regions->n; i++)
            is_kept = is_kept || regions->all[i].cpu == cpu;
        if (!is_kept)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory != NULL)
        closedir(directory);
}
