/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_options.h: --event. */
#include "tools/fxtrecord/record_options.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "event_library.h"
#include "tools/common/report.h"

static _Noreturn void refuse(const char *name, const char *why)
{
    complain(FXTRECORD_PROGRAM, NULL, "%s: %s", name, why);
    exit(FXTRECORD_USAGE);
}

/* As perf has it: r and the event's code in hexadecimal digits. */
static bool find_raw(const char *name, struct fxt_sampler_source *source)
{
    char *end;

    if (name[0] != 'r' || name[1] == '\0' ||
        strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1) ||
        strlen(name) > 17)
        return false;
    source->type = PERF_TYPE_RAW;
    source->config = strtoull(name + 1, &end, 16);
    return true;
}

static bool is_same(const struct fxt_sampler_source *a,
                    const struct fxt_sampler_source *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2;
}

static void add_event(struct record_options *o, const char *name)
{
    struct fxt_sampler_source source = {.name = NULL};
    const char *why = NULL;

    for (uint32_t i = 0; i < o->n_sources; i++) {
        if (strcmp(o->sources[i].name, name) == 0)
            refuse(name, "this event is named twice");
    }
    if (o->n_sources == FXT_SAMPLER_SOURCES_MAX)
        refuse(name, "at most 16 events can be sampled");
    if (!fxt_sampler_find_source(name, &source) && !find_raw(name, &source) &&
        !event_library_find(name, &source, &why)) {
        complain(FXTRECORD_PROGRAM, NULL, "%s: unknown event (%s); try %s --help", name,
                 why, FXTRECORD_PROGRAM);
        exit(FXTRECORD_USAGE);
    }
    source.name = memory_copy_string(name);
    for (uint32_t i = 0; i < o->n_sources; i++) {
        if (is_same(&o->sources[i], &source))
            refuse(name, "this event is named twice, by different names");
    }
    o->sources = memory_reallocate(o->sources, (o->n_sources + 1) * sizeof(*o->sources));
    o->sources[o->n_sources++] = source;
}

void event_options_take(struct record_options *o, const char *list)
{
    char *rest = memory_copy_string(list);
    char *name;

    while ((name = strsep(&rest, ",")) != NULL) {
        if (name[0] == '\0')
            options_refuse("--event takes names separated by commas");
        add_event(o, name);
    }
}

static bool is_clock(const struct fxt_sampler_source *source)
{
    return source->type == PERF_TYPE_SOFTWARE &&
           (source->config == PERF_COUNT_SW_CPU_CLOCK ||
            source->config == PERF_COUNT_SW_TASK_CLOCK);
}

static const struct fxt_sampler_source *find_counter(const struct record_options *o)
{
    for (uint32_t i = 0; i < o->n_sources; i++) {
        if (!is_clock(&o->sources[i]))
            return &o->sources[i];
    }
    return NULL;
}

static bool is_single(const struct record_options *o, const char *name)
{
    return o->n_sources == 1 && strcmp(o->sources[0].name, name) == 0;
}

/* --off-cpu samples them, and the kernel's samples would not say for whom. */
static void check_switches(const struct record_options *o)
{
    for (uint32_t i = 0; i < o->n_sources; i++) {
        if ((o->flags & FXT_SAMPLER_OFF_CPU) != 0 &&
            o->sources[i].type == PERF_TYPE_SOFTWARE &&
            o->sources[i].config == PERF_COUNT_SW_CONTEXT_SWITCHES)
            refuse(o->sources[i].name, "--off-cpu samples these already: not with both");
    }
}

static void check_events(const struct record_options *o)
{
    const char *first = o->n_sources > 0 ? o->sources[0].name : NULL;

    if (o->source_count > 0 && find_counter(o) == NULL)
        options_refuse("--count is for events other than clocks: see --event");
    if (first == NULL)
        return;
    if (o->method == FXT_SAMPLER_SIGNAL && find_counter(o) != NULL)
        refuse(find_counter(o)->name,
               "--method signal measures CPU time only: cpu-clock or task-clock");
    if (o->method == FXT_SAMPLER_SIGNAL && o->n_sources > 1)
        refuse(o->sources[1].name, "--method signal has only one event");
    check_switches(o);
    if (options_have_cgroup(o) &&
        (o->command != NULL || o->is_system || o->n_targets > 1))
        refuse(first, "--event takes either one --cgroup or other targets");
    if ((o->flags & FXT_SAMPLER_BACKTRACES) != 0)
        refuse(first, "--backtraces have no room for what was sampled: not with --event");
    if (o->regions != NULL)
        refuse(first,
               "regions do not say what was sampled: --event is for archives (-o)");
}

/* The clock, and cycles with a period that is a time, are what a session has without
 * sources: their samples need not say what they are of. */
void event_options_settle(struct record_options *o)
{
    if (is_single(o, "cpu-clock")) {
        o->n_sources = 0;
    } else if (is_single(o, "cycles") && o->source_count == 0) {
        o->n_sources = 0;
        o->flags |= FXT_SAMPLER_CYCLES;
    }
    check_events(o);
    if (o->method == FXT_SAMPLER_SIGNAL)
        o->n_sources = 0;
}
