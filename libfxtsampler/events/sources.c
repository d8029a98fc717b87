/* SPDX-License-Identifier: BSD-2-Clause */
/* See sources.h. */
#include "sources.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

/* ---- Names ------------------------------------------------------------------------- */

struct generic {
    const char *name;
    uint32_t type;
    uint64_t config;
};

#define SOFTWARE(name, event)                                                            \
    {                                                                                    \
        name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event                                  \
    }
#define HARDWARE(name, event)                                                            \
    {                                                                                    \
        name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event                                  \
    }

/* As perf names them. */
static const struct generic generics[] = {
    SOFTWARE("cpu-clock", CPU_CLOCK),
    SOFTWARE("task-clock", TASK_CLOCK),
    SOFTWARE("page-faults", PAGE_FAULTS),
    SOFTWARE("faults", PAGE_FAULTS),
    SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
    SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
    SOFTWARE("context-switches", CONTEXT_SWITCHES),
    SOFTWARE("cs", CONTEXT_SWITCHES),
    SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
    SOFTWARE("migrations", CPU_MIGRATIONS),
    SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
    SOFTWARE("emulation-faults", EMULATION_FAULTS),
    HARDWARE("cycles", CPU_CYCLES),
    HARDWARE("cpu-cycles", CPU_CYCLES),
    HARDWARE("instructions", INSTRUCTIONS),
    HARDWARE("cache-references", CACHE_REFERENCES),
    HARDWARE("cache-misses", CACHE_MISSES),
    HARDWARE("branches", BRANCH_INSTRUCTIONS),
    HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
    HARDWARE("branch-misses", BRANCH_MISSES),
    HARDWARE("bus-cycles", BUS_CYCLES),
    HARDWARE("ref-cycles", REF_CPU_CYCLES),
    HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
    HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
    HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
    HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND),
};

bool fxt_sampler_find_source(const char *name, struct fxt_sampler_source *source)
{
    for (size_t i = 0; i < sizeof(generics) / sizeof(generics[0]); i++) {
        if (strcmp(generics[i].name, name) != 0)
            continue;
        *source = (struct fxt_sampler_source){
            .name = generics[i].name,
            .type = generics[i].type,
            .config = generics[i].config,
        };
        return true;
    }
    return false;
}

/* ---- What a session has ------------------------------------------------------------ */

bool source_is_clock(const struct fxt_sampler_source *source)
{
    return source->type == PERF_TYPE_SOFTWARE &&
           (source->config == PERF_COUNT_SW_CPU_CLOCK ||
            source->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool sources_have_clock(const struct sources *sources)
{
    bool has = sources->n == 0;

    for (uint32_t i = 0; i < sources->n; i++)
        has = has || source_is_clock(&sources->all[i]);
    return has;
}

bool sources_have_weights(const struct sources *sources)
{
    bool has = false;

    for (uint32_t i = 0; i < sources->n; i++)
        has = has || (sources->count == 0 && !source_is_clock(&sources->all[i]));
    return has;
}

/* Readers show it as it is. */
static bool is_name_valid(const char *name)
{
    size_t n = name != NULL ? strlen(name) : 0;

    if (n == 0 || n >= SOURCE_NAME_BYTES)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (name[i] <= ' ' || name[i] > '~')
            return false;
    }
    return true;
}

static bool is_same(const struct fxt_sampler_source *a,
                    const struct fxt_sampler_source *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2;
}

static bool is_unique(const struct fxt_sampler_config *config, uint32_t number)
{
    for (uint32_t i = 0; i < number; i++) {
        if (strcmp(config->sources[i].name, config->sources[number].name) == 0 ||
            is_same(&config->sources[i], &config->sources[number]))
            return false;
    }
    return true;
}

/* Of two such events, the kernel's samples do not say which one they are of. */
static bool is_of_switches(const struct fxt_sampler_config *config,
                           const struct fxt_sampler_source *source)
{
    return (config->flags & FXT_SAMPLER_OFF_CPU) != 0 &&
           source->type == PERF_TYPE_SOFTWARE &&
           source->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

/* Backtraces, and regions without an archive, have no room for what was sampled. */
bool sources_are_valid(const struct fxt_sampler_config *config)
{
    if (config->size < sizeof(*config) || config->n_sources == 0)
        return config->size < sizeof(*config) || config->source_count == 0;
    if (config->sources == NULL || config->n_sources > FXT_SAMPLER_SOURCES_MAX ||
        config->source_count > INT64_MAX || config->directory != NULL ||
        (config->flags & (FXT_SAMPLER_BACKTRACES | FXT_SAMPLER_CYCLES)) != 0)
        return false;
    for (uint32_t i = 0; i < config->n_sources; i++) {
        if (!is_name_valid(config->sources[i].name) || !is_unique(config, i) ||
            is_of_switches(config, &config->sources[i]))
            return false;
    }
    return true;
}

void sources_copy(struct sources *sources, const struct fxt_sampler_config *config)
{
    if (config->size < sizeof(*config))
        return;
    sources->n = config->n_sources;
    sources->count = config->source_count;
    for (uint32_t i = 0; i < sources->n; i++) {
        sources->all[i] = config->sources[i];
        strcpy(sources->names[i], config->sources[i].name);
        sources->all[i].name = sources->names[i];
    }
}
