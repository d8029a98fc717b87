/* SPDX-License-Identifier: BSD-2-Clause */
/* See settings.h: CPUs from the names of providers and of files. */
#include "settings.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/parse.h"
#include "libfxtprofile/profile/profile.h"

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
    return ends_with(name, ".fxt") || ends_with(name, ".fxt.gz") ||
           ends_with(name, ".fxt.zst");
}

/* Files that are named alike: regions, or what is called as archives are. */
struct kind {
    struct import_file *files;
    size_t n;
    bool are_regions;
    bool are_archives;
};

/* Whether a file is of the kind, and its name would have to say of which CPU it is. */
static bool needs_name(const struct kind *k, const struct import_file *file)
{
    bool is_archive = !k->are_regions && is_archive_name(file->name);

    return file->cpu == PROFILE_NO_CPU && is_archive == k->are_archives;
}

/* Whether the names say it, each another CPU. */
static bool are_numbered(const struct kind *k)
{
    bool taken[CPU_MAX + 1] = {false};

    for (size_t i = 0; i < k->n; i++) {
        uint32_t cpu = cpu_of_file(k->files[i].name);

        if (!needs_name(k, &k->files[i]) || (cpu == PROFILE_NO_CPU && k->are_archives))
            continue;
        if (cpu == PROFILE_NO_CPU || taken[cpu])
            return false;
        taken[cpu] = true;
    }
    return true;
}

static bool take_names(const struct kind *k)
{
    if (!are_numbered(k))
        return false;
    for (size_t i = 0; i < k->n; i++) {
        if (needs_name(k, &k->files[i]))
            k->files[i].region_cpu = cpu_of_file(k->files[i].name);
    }
    return true;
}

/* What is called like an archive may be a region all the same, and its name then counts
 * as any other's; but an archive must not have a say in what the others' names mean. */
void cpus_of_files(struct import_file *files, size_t n, bool are_regions)
{
    struct kind kind = {files, n, are_regions, false};

    if (!take_names(&kind))
        return;
    kind.are_archives = true;
    take_names(&kind);
}
