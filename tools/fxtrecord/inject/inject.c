/* SPDX-License-Identifier: BSD-2-Clause */
/* See inject.h. */
#include "inject.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "inject_directory.h"
#include "common/processes/proc_read.h"
#include "tools/common/program.h"

#define SHARED_OBJECT "libfxtrecord-inject.so"

/* ---- Setting up -------------------------------------------------------------------- */

/* Both separate names in LD_PRELOAD. */
static bool has_separator(const char *path)
{
    return strpbrk(path, " :") != NULL;
}

static bool try_directory(struct inject *inject, const char *parent)
{
    inject_remove_left(parent);
    return inject_make_directory(inject->directory, sizeof(inject->directory), parent,
                                 &inject->lock);
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

    if (!program_find_file(&inject->preload, SHARED_OBJECT,
                           FXTRECORD_LIBRARY_DIRECTORY "/" SHARED_OBJECT)) {
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

struct inject_look {
    struct inject *inject;
    struct process_table *table;
};

static void look_at_process(void *context, const char *path, const char *name)
{
    const struct inject_look *look = context;

    inject_look_at_process(look->inject, look->table, path, name);
}

void inject_look(struct inject *inject, struct process_table *table)
{
    struct inject_look look = {inject, table};

    inject_for_each(inject->directory, look_at_process, &look);
    process_table_look_for_all_names(table);
}

/* ---- Afterwards -------------------------------------------------------------------- */

void inject_remove(struct inject *inject)
{
    if (inject->directory[0] != '\0') {
        inject_remove_directory(inject->directory);
        close(inject->lock);
    }
    text_free(&inject->preload);
    inject_free_processes(inject);
    string_table_free(&inject->seen);
}
