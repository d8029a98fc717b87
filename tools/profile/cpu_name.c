/* SPDX-License-Identifier: BSD-2-Clause */
/* See cpu_name.h. */
#include "cpu_name.h"

#include <stdbool.h>
#include <string.h>

#include "parse.h"
#include "profile.h"

uint32_t cpu_of_name(const char *data, size_t size)
{
    uint32_t cpu = 0;

    if (size < 4 || size > 3 + 5 || memcmp(data, "cpu", 3) != 0)
        return PROFILE_NO_CPU;
    for (size_t i = 3; i < size; i++) {
        if (data[i] < '0' || data[i] > '9')
            return PROFILE_NO_CPU;
        cpu = cpu * 10 + (uint32_t)(data[i] - '0');
    }
    return cpu <= CPU_MAX ? cpu : PROFILE_NO_CPU;
}

/* By the last part of the path, up to its first dot. */
static uint32_t cpu_of_file(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *last = slash != NULL ? slash + 1 : name;

    return cpu_of_name(last, strcspn(last, "."));
}

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name);

    return size >= strlen(end) && strcmp(name + size - strlen(end), end) == 0;
}

/* An archive is of no CPU, and goes along with regions to say what they do not. */
static bool is_archive_name(const char *name)
{
    return ends_with(name, ".fxt") || ends_with(name, ".fxt.gz");
}

void cpus_of_files(struct options_file *files, size_t n)
{
    bool taken[CPU_MAX + 1] = {false};

    for (size_t i = 0; i < n; i++) {
        uint32_t cpu = cpu_of_file(files[i].name);

        if (files[i].cpu != PROFILE_NO_CPU)
            return;
        if (cpu == PROFILE_NO_CPU && is_archive_name(files[i].name))
            continue;
        if (cpu == PROFILE_NO_CPU || taken[cpu])
            return;
        taken[cpu] = true;
    }
    for (size_t i = 0; i < n; i++)
        files[i].region_cpu = cpu_of_file(files[i].name);
}
