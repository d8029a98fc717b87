/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: what of fxt/sampler.h is the same for all methods. */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The session of this process, and what all functions hold. */
static struct fxt_sampler *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Why the last session could not be created. */
static char failure[SESSION_REASON_SIZE];

/* ---- Creating ---------------------------------------------------------------------- */

/* The size of the first version. */
#define CONFIG_SIZE_MIN offsetof(struct fxt_sampler_config, call_graph)

static bool is_size_known(size_t size)
{
    return size == CONFIG_SIZE_MIN || size == sizeof(struct fxt_sampler_config);
}

static bool is_call_graph_known(const struct fxt_sampler_config *config)
{
    return config->size == CONFIG_SIZE_MIN ||
           ((uint32_t)config->call_graph <= FXT_SAMPLER_FRAME_POINTERS &&
            config->stack_size % 8 == 0 &&
            config->stack_size <= FXT_SAMPLER_STACK_SIZE_MAX);
}

static enum fxt_sampler_code check(uint64_t options,
                                   const struct fxt_sampler_config *config)
{
    const uint32_t kernel_and_user = FXT_SAMPLER_USER_ONLY | FXT_SAMPLER_KERNEL_ONLY;

    if (options != 0)
        return FXT_SAMPLER_E_OPTIONS;
    if (config == NULL || !is_size_known(config->size) ||
        (uint32_t)config->method > FXT_SAMPLER_SIGNAL ||
        (config->flags &
         ~(FXT_SAMPLER_BACKTRACES | FXT_SAMPLER_CYCLES | kernel_and_user)) != 0 ||
        (config->flags & kernel_and_user) == kernel_and_user ||
        !is_call_graph_known(config))
        return FXT_SAMPLER_E_CONFIG;
    if (config->period_ns < FXT_SAMPLER_PERIOD_MIN_NS ||
        config->period_ns > FXT_SAMPLER_PERIOD_MAX_NS)
        return FXT_SAMPLER_E_PERIOD;
    if (config->buffer_size == 0 || config->buffer_size > FXT_SAMPLER_BUFFER_SIZE_MAX)
        return FXT_SAMPLER_E_BUFFER_SIZE;
    if (config->discipline != FXT_SAMPLER_DISCIPLINE_NONE)
        return FXT_SAMPLER_E_DISCIPLINE;
    return current != NULL ? FXT_SAMPLER_E_EXISTS : FXT_SAMPLER_OK;
}

static enum fxt_sampler_code make_regions(struct fxt_sampler *s,
                                          const struct fxt_sampler_config *config)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size = (config->buffer_size + page - 1) / page * page;

    regions.backtraces = (config->flags & FXT_SAMPLER_BACKTRACES) != 0;
    switch (regions_make((size_t)size, config->directory)) {
    case REGIONS_OK:
        for (uint32_t cpu = 0; cpu < regions.n; cpu++)
            regions.all[cpu].is_shown = s->is_online[cpu];
        return FXT_SAMPLER_OK;
    case REGIONS_NO_MEMORY:
        /* Nor is it what the method lacks. */
        s->reason[0] = '\0';
        return FXT_SAMPLER_E_RESOURCES;
    case REGIONS_NO_DIRECTORY:
        snprintf(s->reason, sizeof(s->reason),
                 "the directory for regions cannot be used (%s)", strerror(errno));
        return FXT_SAMPLER_E_PERMISSION;
    }
    return FXT_SAMPLER_E_RESOURCES;
}

static enum fxt_sampler_code find_online(struct fxt_sampler *s)
{
    if (!regions_find_cpus())
        return FXT_SAMPLER_E_RESOURCES;
    s->is_online = calloc(regions.n, sizeof(*s->is_online));
    if (s->is_online == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    regions_look_online(s->is_online);
    return FXT_SAMPLER_OK;
}

static enum fxt_sampler_code open_with(struct fxt_sampler *s, const struct method *method)
{
    s->method = method;
    return method->open(s);
}

static enum fxt_sampler_code open_method(struct fxt_sampler *s)
{
    const uint32_t only_perf = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_CYCLES;
    enum fxt_sampler_code code;

    if (s->config.method == FXT_SAMPLER_SIGNAL)
        return open_with(s, &method_signal);
    code = open_with(s, &method_perf);
    if (code == FXT_SAMPLER_OK || s->config.method == FXT_SAMPLER_PERF ||
        (s->config.flags & only_perf) != 0)
        return code;
    return open_with(s, &method_signal);
}

/* Regions come last: where there is no session, files of an older one stay. */
static enum fxt_sampler_code open_session(struct fxt_sampler *s,
                                          const struct fxt_sampler_config *config)
{
    enum fxt_sampler_code code = find_online(s);

    if (code == FXT_SAMPLER_OK)
        code = open_method(s);
    if (code != FXT_SAMPLER_OK)
        return code;
    code = make_regions(s, config);
    if (code != FXT_SAMPLER_OK)
        s->method->close(s);
    return code;
}

static enum fxt_sampler_code create(const struct fxt_sampler_config *config,
                                    struct fxt_sampler **sampler)
{
    struct fxt_sampler *s = calloc(1, sizeof(*s));
    enum fxt_sampler_code code;

    if (s == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    memcpy(&s->config, config, config->size);
    s->config.directory = NULL;
    code = open_session(s, config);
    if (code == FXT_SAMPLER_OK) {
        current = s;
        *sampler = s;
        return code;
    }
    memcpy(failure, s->reason, sizeof(failure));
    free(s->is_online);
    free(s);
    return code;
}

enum fxt_sampler_code fxt_sampler_create(uint64_t options,
                                         const struct fxt_sampler_config *config,
                                         struct fxt_sampler **sampler)
{
    enum fxt_sampler_code code;

    *sampler = NULL;
    pthread_mutex_lock(&lock);
    failure[0] = '\0';
    code = check(options, config);
    if (code == FXT_SAMPLER_OK)
        code = create(config, sampler);
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- Controlling ------------------------------------------------------------------- */

/* Takes the lock, if there is such a session. */
static bool enter(const struct fxt_sampler *sampler)
{
    pthread_mutex_lock(&lock);
    if (sampler != NULL && sampler == current)
        return true;
    pthread_mutex_unlock(&lock);
    return false;
}

static enum fxt_sampler_code leave(enum fxt_sampler_code code)
{
    pthread_mutex_unlock(&lock);
    return code;
}

enum fxt_sampler_method fxt_sampler_method(const struct fxt_sampler *sampler)
{
    enum fxt_sampler_method method;

    if (!enter(sampler))
        return FXT_SAMPLER_AUTO;
    method = sampler->method->number;
    leave(FXT_SAMPLER_OK);
    return method;
}

const char *fxt_sampler_reason(const struct fxt_sampler *sampler)
{
    if (sampler == NULL)
        return failure;
    if (!enter(sampler))
        return "";
    leave(FXT_SAMPLER_OK);
    return sampler->reason;
}

uint64_t fxt_sampler_cycles(const struct fxt_sampler *sampler)
{
    uint64_t cycles;

    if (!enter(sampler))
        return 0;
    cycles = sampler->period_cycles;
    leave(FXT_SAMPLER_OK);
    return cycles;
}

enum fxt_sampler_code fxt_sampler_attach(struct fxt_sampler *sampler,
                                         enum fxt_sampler_target target, pid_t id)
{
    bool is_known =
        target == FXT_SAMPLER_SYSTEM
            ? id == 0
            : (target == FXT_SAMPLER_THREAD || target == FXT_SAMPLER_PROCESS) && id > 0;

    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (!is_known)
        return leave(FXT_SAMPLER_E_NO_TARGET);
    return leave(sampler->method->attach(sampler, target, id));
}

enum fxt_sampler_code fxt_sampler_detach(struct fxt_sampler *sampler, pid_t thread)
{
    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    return leave(sampler->method->detach(sampler, thread));
}

enum fxt_sampler_code fxt_sampler_start(struct fxt_sampler *sampler)
{
    enum fxt_sampler_code code;

    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        return leave(FXT_SAMPLER_E_RUNNING);
    regions_open_gates();
    code = sampler->method->start(sampler);
    if (code == FXT_SAMPLER_OK)
        sampler->is_running = true;
    else
        regions_close_gates();
    return leave(code);
}

static void stop(struct fxt_sampler *s)
{
    s->method->stop(s);
    s->is_running = false;
}

enum fxt_sampler_code fxt_sampler_stop(struct fxt_sampler *sampler)
{
    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (!sampler->is_running)
        return leave(FXT_SAMPLER_E_NOT_RUNNING);
    stop(sampler);
    return leave(FXT_SAMPLER_OK);
}

enum fxt_sampler_code fxt_sampler_destroy(struct fxt_sampler *sampler)
{
    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        stop(sampler);
    sampler->method->close(sampler);
    current = NULL;
    regions_unmake();
    free(sampler->is_online);
    free(sampler);
    return leave(FXT_SAMPLER_OK);
}

/* The threads of the parent are not here: neither one that held the lock, nor one that
 * was inside a gate. */
void fxt_sampler_forget(void)
{
    struct fxt_sampler *s = current;

    pthread_mutex_init(&lock, NULL);
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        fxt_gate_init(&regions.all[cpu].gate);
    if (s == NULL)
        return;
    s->method->forget(s);
    current = NULL;
    regions_unmake();
    free(s->is_online);
    free(s);
}

/* ---- CPUs that come and go --------------------------------------------------------- */

bool session_look_for_cpus(struct fxt_sampler *s, bool *came)
{
    bool any = false;

    regions_look_online(came);
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        bool is_online = came[cpu];

        came[cpu] = is_online && !s->is_online[cpu];
        if (came[cpu]) {
            atomic_fetch_add(&s->cpus_came, 1);
            regions.all[cpu].is_shown = true;
        } else if (!is_online && s->is_online[cpu]) {
            atomic_fetch_add(&s->cpus_went, 1);
        }
        s->is_online[cpu] = is_online;
        any = any || came[cpu];
    }
    return any;
}

/* ---- Reading ----------------------------------------------------------------------- */

static void add_counts(struct fxt_sampler_counts *counts, struct region *region)
{
    counts->samples += atomic_load(&region->samples);
    counts->dropped += atomic_load(&region->dropped);
    counts->dropped_bytes += atomic_load(&region->dropped_bytes);
    counts->lost += atomic_load(&region->lost);
    counts->throttled += atomic_load(&region->throttled);
    counts->busy += atomic_load(&region->busy);
    counts->skipped += atomic_load(&region->skipped);
    counts->merged += atomic_load(&region->merged);
}

enum fxt_sampler_code fxt_sampler_count(const struct fxt_sampler *sampler,
                                        struct fxt_sampler_counts *counts)
{
    memset(counts, 0, sizeof(*counts));
    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        add_counts(counts, &regions.all[cpu]);
    counts->cpus_came = atomic_load(&sampler->cpus_came);
    counts->cpus_went = atomic_load(&sampler->cpus_went);
    sampler->method->take_times(current, counts);
    return leave(FXT_SAMPLER_OK);
}

/* The region number `index` of those that are shown, or NULL. */
static struct region *find_region(uint32_t index)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        struct region *region = &regions.all[cpu];

        /* With signals a sample may come from a CPU that was just hot-added. */
        if (!region->is_shown && region->emit.pos == 0 && !region->emit.full)
            continue;
        if (index-- == 0)
            return region;
    }
    return NULL;
}

/* When something was dropped, or lost before it got here. */
static void take_drop_times(struct fxt_sampler_region *to, struct region *region)
{
    uint64_t first_loss = atomic_load(&region->first_loss);
    uint64_t last_loss = atomic_load(&region->last_loss);
    bool has_drops = region->emit.dropped_records > 0;

    to->first_drop = has_drops ? region->emit.unsaid_first : first_loss;
    to->last_drop = has_drops ? region->emit.unsaid_last : last_loss;
    if (last_loss == 0)
        return;
    if (first_loss < to->first_drop)
        to->first_drop = first_loss;
    if (last_loss > to->last_drop)
        to->last_drop = last_loss;
}

enum fxt_sampler_code fxt_sampler_read(const struct fxt_sampler *sampler, uint32_t index,
                                       struct fxt_sampler_region *to)
{
    struct region *region;

    memset(to, 0, sizeof(*to));
    if (!enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        return leave(FXT_SAMPLER_E_RUNNING);
    region = find_region(index);
    if (region == NULL)
        return leave(FXT_SAMPLER_E_REGION);
    to->cpu = (uint32_t)(region - regions.all);
    to->data = region->emit.words;
    to->size = regions.size;
    to->used = region->emit.pos * FXT_WORD_BYTES;
    add_counts(&to->counts, region);
    take_drop_times(to, region);
    return leave(FXT_SAMPLER_OK);
}
