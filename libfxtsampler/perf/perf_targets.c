/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_targets.h. */
#include "perf_targets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf_call.h"
#include "perf_events_open.h"
#include "libfxtsampler/grow.h"
#include "libfxtsampler/regions.h"

/* ---- The threads of a process ------------------------------------------------------ */

/* Not sorted. */
struct threads {
    pid_t *all;
    size_t n;
    size_t capacity;
};

static bool add_thread(struct threads *threads, pid_t thread)
{
    for (size_t i = 0; i < threads->n; i++) {
        if (threads->all[i] == thread)
            return true;
    }
    if (!grow_array(&threads->all, threads->n, &threads->capacity, sizeof(*threads->all)))
        return false;
    threads->all[threads->n++] = thread;
    return true;
}

static bool list_threads(pid_t process, struct threads *threads)
{
    char path[64];
    DIR *directory;
    const struct dirent *entry;
    bool listed = true;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    directory = opendir(path);
    if (directory == NULL) {
        errno = errno == ENOENT ? ESRCH : errno;
        return false;
    }
    while (listed && (entry = readdir(directory)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        listed = thread <= 0 || add_thread(threads, thread);
    }
    closedir(directory);
    return listed;
}

/* What events are opened on, and how. */
struct opening {
    const bool *cpus;
    bool is_running;
    /* These CPUs came later: what there is beside the CPUs' events is there. */
    bool is_late;
};

static bool open_thread(struct perf_events *events, struct perf_target target,
                        pid_t thread, struct opening o)
{
    bool is_task =
        target.kind == FXT_SAMPLER_PROCESS || target.kind == FXT_SAMPLER_THREAD;
    bool needs_clock = is_task && !o.is_late &&
                       (events->has_clocks || events->attr.type != PERF_TYPE_SOFTWARE);

    if (needs_clock && !perf_events_open_clock(events, target, thread, o.is_running))
        return false;
    if (is_task && events->has_tree_samples)
        return true;
    return perf_events_open(events, target, thread, o.cpus, o.is_running);
}

/* The threads that a process has, and then those that threads without an event have
 * started since, until there are no new ones. One that has ended is no failure, unless it
 * was the only one. */
static bool open_process(struct perf_events *events, struct perf_target target,
                         struct opening o)
{
    struct threads threads = {NULL, 0, 0};
    size_t n = 0;
    size_t n_opened = 0;
    bool good = list_threads(target.id, &threads);

    while (good && n < threads.n) {
        for (; good && n < threads.n; n++) {
            if (open_thread(events, target, threads.all[n], o))
                n_opened++;
            else if (errno != ESRCH)
                good = false;
        }
        good = good && (list_threads(target.id, &threads) || errno == ESRCH);
    }
    if (good && n_opened == 0) {
        errno = ESRCH;
        good = false;
    }
    free(threads.all);
    return good;
}

/* ---- Targets ----------------------------------------------------------------------- */

static bool open_target(struct perf_events *events, struct perf_target target,
                        struct opening o)
{
    if (target.kind == FXT_SAMPLER_PROCESS)
        return open_process(events, target, o);
    return open_thread(events, target, target.id, o);
}

static bool keep(struct perf_targets *targets, struct perf_target target)
{
    if (!grow_array(&targets->all, targets->n, &targets->capacity, sizeof(*targets->all)))
        return false;
    targets->all[targets->n++] = target;
    return true;
}

size_t perf_targets_find(const struct perf_targets *targets, struct perf_target target)
{
    size_t i = 0;

    while (i < targets->n &&
           (targets->all[i].kind != target.kind || targets->all[i].id != target.id))
        i++;
    return i;
}

enum fxt_sampler_code perf_targets_add(struct perf_targets *targets,
                                       struct perf_events *events,
                                       struct perf_target target, const bool *cpus,
                                       bool is_running)
{
    enum fxt_sampler_code code = FXT_SAMPLER_OK;
    size_t n = events->n;

    if (!open_target(events, target, (struct opening){cpus, is_running, false}))
        code = perf_call_code(errno);
    else if (!keep(targets, target))
        code = FXT_SAMPLER_E_RESOURCES;
    if (code != FXT_SAMPLER_OK)
        perf_events_close(events, n);
    return code;
}

/* A CPU that was removed may be one where the target has its events still. */
static bool find_missing(const struct perf_events *events, struct perf_target target,
                         const bool *cpus, bool *missing)
{
    bool any = false;

    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        missing[cpu] = cpus[cpu] && !perf_events_samples(events, target, cpu);
        any = any || missing[cpu];
    }
    return any;
}

void perf_targets_add_cpus(const struct perf_targets *targets, struct perf_events *events,
                           const bool *cpus, bool is_running)
{
    bool *missing = calloc(regions.n, sizeof(*missing));

    for (size_t i = 0; missing != NULL && i < targets->n; i++) {
        if (find_missing(events, targets->all[i], cpus, missing))
            open_target(events, targets->all[i],
                        (struct opening){missing, is_running, true});
    }
    free(missing);
}

void perf_targets_remove(struct perf_targets *targets, size_t i)
{
    targets->all[i] = targets->all[--targets->n];
}

void perf_targets_free(struct perf_targets *targets)
{
    free(targets->all);
}
