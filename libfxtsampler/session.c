/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: what of fxt/sampler.h is the same for all methods. */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

/* The session of this process, and what all functions hold. */
static struct fxt_sampler *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Why the last session could not be created. */
static char failure[SESSION_REASON_SIZE];

/* ---- Creating ---------------------------------------------------------------------- */

/* The first version's configuration ended before max_bytes. */
static bool is_known_size(size_t size)
{
    return size == sizeof(struct fxt_sampler_config) ||
           size == offsetof(struct fxt_sampler_config, max_bytes);
}

static bool is_known_call_graph(const struct fxt_sampler_config *config)
{
    return config->size < sizeof(*config) ||
           ((uint32_t)config->call_graph <= FXT_SAMPLER_FRAME_POINTERS &&
            config->stack_size % 8 == 0 &&
            config->stack_size <= FXT_SAMPLER_STACK_SIZE_MAX);
}

static enum fxt_sampler_code check_config(uint64_t options,
                                          const struct fxt_sampler_config *config)
{
    const uint32_t kernel_and_user = FXT_SAMPLER_USER_ONLY | FXT_SAMPLER_KERNEL_ONLY;
    const uint32_t flags = FXT_SAMPLER_BACKTRACES | FXT_SAMPLER_CYCLES |
                           FXT_SAMPLER_ARCHIVE | FXT_SAMPLER_SCHEDULING |
                           FXT_SAMPLER_OFF_CPU | kernel_and_user;

    if (options != 0)
        return FXT_SAMPLER_E_OPTIONS;
    if (config == NULL || !is_known_size(config->size) ||
        (uint32_t)config->method > FXT_SAMPLER_SIGNAL || (config->flags & ~flags) != 0 ||
        (config->flags & kernel_and_user) == kernel_and_user ||
        !is_known_call_graph(config) || !sources_are_valid(config))
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
    regions.writers_wait = s->method->number == FXT_SAMPLER_PERF;
    switch (regions_make((size_t)size, config->directory)) {
    case REGIONS_OK:
        for (uint32_t cpu = 0; cpu < regions.n; cpu++)
            regions.all[cpu].is_shown = s->is_online[cpu];
        return FXT_SAMPLER_OK;
    case REGIONS_NO_MEMORY:
        /* Nor is it what the method lacks. */
        s->reason[0] = '\0';
        if (config->directory != NULL)
            snprintf(
                s->reason, sizeof(s->reason),
                "there is no room for regions: the disk is full, or memory is used up");
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

/* They measure CPU time only. */
static bool is_for_signals(const struct fxt_sampler *s)
{
    return s->sources.n == 0 ||
           (s->sources.n == 1 && source_is_clock(&s->sources.all[0]));
}

static enum fxt_sampler_code open_signals(struct fxt_sampler *s)
{
    if (!is_for_signals(s))
        return FXT_SAMPLER_E_METHOD;
    s->sources.n = 0;
    return open_with(s, &method_signal);
}

static enum fxt_sampler_code open_method(struct fxt_sampler *s)
{
    enum fxt_sampler_code code;

    if (s->config.method == FXT_SAMPLER_SIGNAL)
        return open_signals(s);
    code = open_with(s, &method_perf);
    if (code == FXT_SAMPLER_OK || s->config.method == FXT_SAMPLER_PERF ||
        (s->config.flags & SESSION_FLAGS_OF_PERF) != 0 || !is_for_signals(s))
        return code;
    return open_signals(s);
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

static void free_session(struct fxt_sampler *s)
{
    session_drop_archive(s);
    kept_free(&s->kept);
    tracker_destroy(s->tracker);
    free(s->is_online);
    free(s);
}

static enum fxt_sampler_code create_session(const struct fxt_sampler_config *config,
                                            struct fxt_sampler **sampler)
{
    struct fxt_sampler *s = calloc(1, sizeof(*s));
    enum fxt_sampler_code code;

    if (s == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    memcpy(&s->config, config, config->size);
    s->config.directory = NULL;
    s->config.sources = NULL;
    sources_copy(&s->sources, config);
    code = session_make_tracker(s);
    if (code == FXT_SAMPLER_OK)
        code = open_session(s, config);
    if (code == FXT_SAMPLER_OK) {
        session_prepare_tracker(s);
        current = s;
        *sampler = s;
        return code;
    }
    memcpy(failure, s->reason, sizeof(failure));
    free_session(s);
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
    code = check_config(options, config);
    if (code == FXT_SAMPLER_OK)
        code = create_session(config, sampler);
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- Controlling ------------------------------------------------------------------- */

bool session_enter(const struct fxt_sampler *sampler)
{
    pthread_mutex_lock(&lock);
    if (sampler != NULL && sampler == current)
        return true;
    pthread_mutex_unlock(&lock);
    return false;
}

enum fxt_sampler_code session_leave(enum fxt_sampler_code code)
{
    pthread_mutex_unlock(&lock);
    return code;
}

enum fxt_sampler_method fxt_sampler_method(const struct fxt_sampler *sampler)
{
    enum fxt_sampler_method method;

    if (!session_enter(sampler))
        return FXT_SAMPLER_AUTO;
    method = sampler->method->number;
    session_leave(FXT_SAMPLER_OK);
    return method;
}

const char *fxt_sampler_reason(const struct fxt_sampler *sampler)
{
    if (sampler == NULL)
        return failure;
    if (!session_enter(sampler))
        return "";
    session_leave(FXT_SAMPLER_OK);
    return sampler->reason;
}

uint64_t fxt_sampler_cycles(const struct fxt_sampler *sampler)
{
    uint64_t cycles;

    if (!session_enter(sampler))
        return 0;
    cycles = sampler->period_cycles;
    session_leave(FXT_SAMPLER_OK);
    return cycles;
}

uint32_t fxt_sampler_cost(const struct fxt_sampler *sampler)
{
    uint32_t cost;

    if (!session_enter(sampler))
        return 0;
    cost = sampler->cost;
    session_leave(FXT_SAMPLER_OK);
    return cost;
}

enum fxt_sampler_code fxt_sampler_attach(struct fxt_sampler *sampler,
                                         enum fxt_sampler_target target, pid_t id)
{
    bool is_known =
        target == FXT_SAMPLER_SYSTEM ? id == 0
        : target == FXT_SAMPLER_CGROUP
            ? id >= 0
            : (target == FXT_SAMPLER_THREAD || target == FXT_SAMPLER_PROCESS) && id > 0;
    enum fxt_sampler_code code;

    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (!is_known)
        return session_leave(FXT_SAMPLER_E_NO_TARGET);
    /* Before, as the target may end once it is sampled; after, as it may have changed. */
    if (target == FXT_SAMPLER_THREAD || target == FXT_SAMPLER_PROCESS)
        session_track_target(sampler, target, id);
    code = sampler->method->attach(sampler, target, id);
    if (code == FXT_SAMPLER_OK)
        session_track_target(sampler, target, id);
    return session_leave(code);
}

enum fxt_sampler_code fxt_sampler_detach(struct fxt_sampler *sampler, pid_t thread)
{
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->method->number == FXT_SAMPLER_SIGNAL)
        session_track_target(sampler, FXT_SAMPLER_THREAD, thread);
    return session_leave(sampler->method->detach(sampler, thread));
}

void session_note_start(struct fxt_sampler *s)
{
    if (s->start_monotonic_ns != 0)
        return;
    s->start_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    s->start_wall_ns = clock_ns(CLOCK_REALTIME);
}

enum fxt_sampler_code fxt_sampler_start(struct fxt_sampler *sampler)
{
    enum fxt_sampler_code code;

    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        return session_leave(FXT_SAMPLER_E_RUNNING);
    if (regions_any_full())
        return session_leave(FXT_SAMPLER_E_FULL);
    session_note_start(sampler);
    session_track_self(sampler);
    regions_open_gates();
    code = sampler->method->start(sampler);
    if (code == FXT_SAMPLER_OK)
        sampler->is_running = true;
    else
        regions_close_gates();
    return session_leave(code);
}

static void stop_session(struct fxt_sampler *s)
{
    s->method->stop(s);
    s->is_running = false;
}

enum fxt_sampler_code fxt_sampler_stop(struct fxt_sampler *sampler)
{
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (!sampler->is_running)
        return session_leave(FXT_SAMPLER_E_NOT_RUNNING);
    stop_session(sampler);
    session_track_self(sampler);
    return session_leave(FXT_SAMPLER_OK);
}

enum fxt_sampler_code fxt_sampler_destroy(struct fxt_sampler *sampler)
{
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        stop_session(sampler);
    sampler->method->close(sampler);
    current = NULL;
    regions_unmake();
    free_session(sampler);
    return session_leave(FXT_SAMPLER_OK);
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
    tracker_forget(s->tracker);
    s->tracker = NULL;
    free_session(s);
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
