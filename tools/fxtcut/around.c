/* SPDX-License-Identifier: BSD-2-Clause */
/* See around.h. */
#include "around.h"

#include <fxt/format.h>

#include "common/base/glob.h"
#include "common/base/memory.h"
#include "common/base/string_table.h"
#include "common/spans/span_keys.h"

/* ---- Processes --------------------------------------------------------------------- */

static bool has_name(const struct value_list *patterns, const struct fxt_string *name)
{
    for (size_t i = 0; i < patterns->n && name->data != NULL; i++) {
        if (glob_matches(patterns->values[i], name->data, name->size))
            return true;
    }
    return false;
}

struct process_names {
    struct taker taker;
    struct cut_settings *settings;
};

static int take_name(void *context, const struct fxt_record *record)
{
    struct cut_settings *settings = ((struct process_names *)context)->settings;

    if (record->type == FXT_RECORD_KERNEL_OBJECT &&
        record->kernel_object.type == FXT_OBJECT_PROCESS &&
        has_name(&settings->process_names, &record->kernel_object.name))
        filter_add_process(&settings->choice.filter, record->kernel_object.koid);
    return 0;
}

bool around_find_processes(struct input_passes *reading, struct cut_settings *settings)
{
    struct process_names names = {.taker.record = take_name, .settings = settings};

    return reading_run(reading, &names.taker);
}

/* ---- Instances --------------------------------------------------------------------- */

/* Begins that have no end yet, the innermost last. */
struct begun {
    /* Whether it is one of those asked for. */
    bool is_wanted;
    uint64_t ns;
};

struct begun_list {
    struct begun *begun;
    size_t n;
    size_t capacity;
};

struct instances {
    struct taker taker;
    struct cut_settings *settings;
    struct trace_sources sources;
    struct span_thread_set threads;
    struct async_groups asyncs;
    struct string_table names;
    struct text name;
    struct begun_list *of_threads;
    size_t n_threads;
    size_t thread_capacity;
    struct begun_list *of_asyncs;
    size_t n_asyncs;
    size_t async_capacity;
    struct time_windows windows;
    uint64_t last_ns;
};

static bool is_wanted(struct instances *s, const struct fxt_record *record)
{
    const struct trace_source *source = sources_find(&s->sources, record->provider->id);
    struct choice *choice = &s->settings->choice;

    return choice_matches_source(choice, record) &&
           choice_matches_string(choice, EXPRESSION_AROUND, source, &record->event.name);
}

static void add_instance(struct instances *s, uint64_t from_ns, uint64_t to_ns)
{
    const struct time_window *time = &s->settings->time;
    struct time_window window = {from_ns, to_ns};

    if (s->settings->has_time && window.from_ns < time->from_ns)
        window.from_ns = time->from_ns;
    if (s->settings->has_time && window.to_ns > time->to_ns)
        window.to_ns = time->to_ns;
    if (window.from_ns <= window.to_ns)
        windows_add(&s->windows, window);
}

static uint64_t to_ns(const struct fxt_record *record, uint64_t ticks)
{
    uint64_t ns;

    fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    return ns;
}

static struct begun_list *find_list(struct begun_list **lists, size_t *n,
                                    size_t *capacity, uint32_t number)
{
    if (number == *n)
        MEMORY_ADD(*lists, *n, *capacity, (struct begun_list){NULL, 0, 0});
    return &(*lists)[number];
}

static struct begun_list *find_thread(struct instances *s, const struct fxt_event *event)
{
    struct span_thread thread = span_thread_of(&event->thread, 0);

    return find_list(&s->of_threads, &s->n_threads, &s->thread_capacity,
                     span_thread_set_find(&s->threads, &thread));
}

/* Those that are not wanted have none. */
static struct begun_list *find_async(struct instances *s, const struct fxt_event *event)
{
    struct async_group group = {.process = event->thread.process,
                                .id = event->id,
                                .name = span_add_name(&s->names, &s->name, event)};

    return find_list(&s->of_asyncs, &s->n_asyncs, &s->async_capacity,
                     async_groups_find(&s->asyncs, &group));
}

static void take_begin(struct begun_list *list, bool wanted, uint64_t ns)
{
    MEMORY_ADD(list->begun, list->n, list->capacity, (struct begun){wanted, ns});
}

static void take_end(struct instances *s, struct begun_list *list, uint64_t ns)
{
    if (list->n > 0 && list->begun[--list->n].is_wanted)
        add_instance(s, list->begun[list->n].ns, ns);
}

static void take_span(struct instances *s, const struct fxt_record *record, uint64_t ns)
{
    const struct fxt_event *event = &record->event;

    switch (record->kind) {
    case FXT_EVENT_DURATION_BEGIN:
        take_begin(find_thread(s, event), is_wanted(s, record), ns);
        break;
    case FXT_EVENT_DURATION_END:
        take_end(s, find_thread(s, event), ns);
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        if (is_wanted(s, record))
            add_instance(s, ns, to_ns(record, event->end_timestamp));
        break;
    case FXT_EVENT_ASYNC_BEGIN:
        if (is_wanted(s, record))
            take_begin(find_async(s, event), true, ns);
        break;
    case FXT_EVENT_ASYNC_END:
        if (is_wanted(s, record))
            take_end(s, find_async(s, event), ns);
        break;
    default:
        break;
    }
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct instances *s = (struct instances *)context;
    uint64_t ticks;
    uint64_t ns;

    sources_take(&s->sources, record);
    if (!fxt_record_time(record, &ticks))
        return 0;
    ns = to_ns(record, ticks);
    if (ns > s->last_ns)
        s->last_ns = ns;
    if (record->type == FXT_RECORD_EVENT)
        take_span(s, record, ns);
    return 0;
}

/* What has not ended lasts until the end. */
static void end_list(struct instances *s, struct begun_list *list)
{
    while (list->n > 0)
        take_end(s, list, s->last_ns);
}

static void finish(struct instances *s, struct time_windows *windows)
{
    uint64_t every = s->settings->every > 0 ? s->settings->every : 1;

    for (size_t i = 0; i < s->n_threads; i++)
        end_list(s, &s->of_threads[i]);
    for (size_t i = 0; i < s->n_asyncs; i++)
        end_list(s, &s->of_asyncs[i]);
    windows_sort(&s->windows);
    for (size_t i = 0; i < s->windows.n; i++) {
        if (i % every == 0)
            windows_add(windows, s->windows.windows[i]);
    }
}

bool around_find_windows(struct input_passes *reading, struct cut_settings *settings,
                         struct time_windows *windows)
{
    struct instances s = {.taker.record = take_record, .settings = settings};
    bool good = reading_run(reading, &s.taker);

    finish(&s, windows);
    return good;
}
