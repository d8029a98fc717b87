/* SPDX-License-Identifier: BSD-2-Clause */
/* See filter.h. */
#include "filter.h"

#include <string.h>

#include "common/base/glob.h"
#include "common/base/parse.h"
#include "common/base/text.h"

/* ---- Options ----------------------------------------------------------------------- */

/* Hands each item of a list, as a string, to `add`. Returns false if one is refused. */
static bool each_item(struct filter *filter, const char *list,
                      bool (*add)(struct filter *filter, const char *item))
{
    char *rest = memory_copy_string(list);

    while (rest != NULL) {
        if (!add(filter, strsep(&rest, ",")))
            return false;
    }
    return true;
}

/* A type's word selects all of its kinds, including those without a name. */
static bool add_kind(struct filter *filter, const char *word)
{
    bool found = false;

    for (unsigned kind = 0; kind < KINDS; kind++) {
        const char *name = kind_name(kind);

        if (strcmp(kind_type(kind), word) == 0 ||
            (name != NULL && strcmp(name, word) == 0)) {
            filter->kinds[kind] = true;
            found = true;
        }
    }
    return found;
}

bool filter_add_kinds(struct filter *filter, const char *list)
{
    filter->is_set = true;
    filter->by_kind = true;
    return each_item(filter, list, add_kind);
}

static bool add_pattern(struct filter *filter, struct filter_patterns *patterns,
                        const char *pattern)
{
    filter->is_set = true;
    MEMORY_ADD(patterns->patterns, patterns->n, patterns->capacity, pattern);
    return true;
}

bool filter_add_category(struct filter *filter, const char *pattern)
{
    return add_pattern(filter, &filter->categories, pattern);
}

bool filter_add_name(struct filter *filter, const char *pattern)
{
    return add_pattern(filter, &filter->names, pattern);
}

static void add_number(struct filter_numbers *numbers, uint64_t number)
{
    MEMORY_ADD(numbers->numbers, numbers->n, numbers->capacity, number);
}

bool filter_add_provider(struct filter *filter, const char *pattern)
{
    uint64_t id;

    if (parse_u64(pattern, &id))
        add_number(&filter->provider_ids, id);
    return add_pattern(filter, &filter->providers, pattern);
}

static bool add_koid(struct filter *filter, struct filter_numbers *koids,
                     const char *item)
{
    uint64_t koid;

    filter->is_set = true;
    if (!parse_u64(item, &koid))
        return false;
    add_number(koids, koid);
    return true;
}

void filter_add_process(struct filter *filter, uint64_t koid)
{
    filter->is_set = true;
    add_number(&filter->processes, koid);
}

static bool add_process(struct filter *filter, const char *item)
{
    return add_koid(filter, &filter->processes, item);
}

static bool add_thread(struct filter *filter, const char *item)
{
    return add_koid(filter, &filter->threads, item);
}

bool filter_add_processes(struct filter *filter, const char *list)
{
    return each_item(filter, list, add_process);
}

bool filter_add_threads(struct filter *filter, const char *list)
{
    return each_item(filter, list, add_thread);
}

bool filter_parse_window(const char *window, uint64_t *first_ns, uint64_t *last_ns)
{
    char *first = memory_copy_string(window);
    char *last = strchr(first, '-');

    *first_ns = 0;
    *last_ns = UINT64_MAX;
    if (last == NULL || strcmp(window, "-") == 0)
        return false;
    *last++ = '\0';
    return (*first == '\0' || parse_time(first, first_ns)) &&
           (*last == '\0' || parse_time(last, last_ns)) && *first_ns <= *last_ns;
}

bool filter_set_time(struct filter *filter, const char *window)
{
    bool good = filter_parse_window(window, &filter->first_ns, &filter->last_ns);

    filter->is_set = true;
    filter->by_time = true;
    filter->is_open_ended = filter->last_ns == UINT64_MAX;
    return good;
}

/* ---- What a record has ------------------------------------------------------------- */

const struct fxt_string *filter_category(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_EVENT)
        return &record->event.category;
    if (record->type == FXT_RECORD_LARGE && !record->unknown)
        return &record->large_blob.category;
    return NULL;
}

const struct fxt_string *filter_name(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        return record->kind == FXT_METADATA_PROVIDER_INFO ? &record->metadata.name : NULL;
    case FXT_RECORD_EVENT:
        return &record->event.name;
    case FXT_RECORD_BLOB:
        return &record->blob.name;
    case FXT_RECORD_USERSPACE_OBJECT:
        return &record->userspace_object.name;
    case FXT_RECORD_KERNEL_OBJECT:
        return &record->kernel_object.name;
    case FXT_RECORD_PROFILER:
        return record->kind == FXT_PROFILER_MODULE ? &record->profiler.name : NULL;
    case FXT_RECORD_LARGE:
        return record->unknown ? NULL : &record->large_blob.name;
    default:
        return NULL;
    }
}

/* A thread that was never registered does not match, nor does none, which is NULL. */
static bool has_process(const struct filter_numbers *koids,
                        const struct fxt_thread *thread)
{
    return thread != NULL && thread->known && filter_numbers_have(koids, thread->process);
}

static bool has_thread(const struct filter_numbers *koids,
                       const struct fxt_thread *thread)
{
    return thread != NULL && thread->known && filter_numbers_have(koids, thread->thread);
}

/* The process of a thread's object is in an argument. */
static bool object_is_of_process(const struct fxt_record *record,
                                 const struct filter_numbers *koids)
{
    const struct fxt_arg *process;

    if (record->kernel_object.type == FXT_OBJECT_PROCESS)
        return filter_numbers_have(koids, record->kernel_object.koid);
    process = fxt_record_arg(record, "process");
    return process != NULL && process->type == FXT_ARG_KOID &&
           filter_numbers_have(koids, process->value.koid);
}

static bool is_of_process(const struct fxt_record *record,
                          const struct filter_numbers *koids)
{
    switch (record->type) {
    case FXT_RECORD_THREAD:
        return filter_numbers_have(koids, record->thread.process);
    case FXT_RECORD_USERSPACE_OBJECT:
        return has_process(koids, &record->userspace_object.process);
    case FXT_RECORD_KERNEL_OBJECT:
        return object_is_of_process(record, koids);
    case FXT_RECORD_SCHEDULING:
        return record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH &&
               (has_process(koids, &record->scheduling.outgoing) ||
                has_process(koids, &record->scheduling.incoming));
    default:
        return has_process(koids, fxt_record_thread(record));
    }
}

static bool is_of_thread(const struct fxt_record *record,
                         const struct filter_numbers *koids)
{
    switch (record->type) {
    case FXT_RECORD_THREAD:
        return filter_numbers_have(koids, record->thread.thread);
    case FXT_RECORD_KERNEL_OBJECT:
        return record->kernel_object.type == FXT_OBJECT_THREAD &&
               filter_numbers_have(koids, record->kernel_object.koid);
    case FXT_RECORD_SCHEDULING:
        if (record->unknown)
            return false;
        if (record->kind == FXT_SCHEDULING_THREAD_WAKEUP)
            return filter_numbers_have(koids, record->scheduling.waking_thread);
        return has_thread(koids, &record->scheduling.outgoing) ||
               has_thread(koids, &record->scheduling.incoming);
    case FXT_RECORD_PROFILER:
        /* Modules and mappings are of a process. */
        return record->kind == FXT_PROFILER_BACKTRACE &&
               has_thread(koids, &record->profiler.thread);
    default:
        return has_thread(koids, fxt_record_thread(record));
    }
}

/* ---- Taking ------------------------------------------------------------------------ */

/* A string that was never registered is matched as it is printed in text. */
static bool matches_pattern(const struct filter_patterns *patterns,
                            const struct fxt_string *string)
{
    char shown[32];
    const char *data;
    size_t size;

    if (string == NULL)
        return false;
    data = string->data;
    size = string->size;
    if (data == NULL) {
        struct text ref = {shown, 0, sizeof(shown)};

        text_char(&ref, '#');
        text_u64(&ref, string->ref);
        data = shown;
        size = ref.size;
    }
    for (size_t i = 0; i < patterns->n; i++) {
        if (glob_matches(patterns->patterns[i], data, size))
            return true;
    }
    return false;
}

static bool is_in_time(const struct fxt_record *record, const struct filter *filter)
{
    uint64_t ticks;
    uint64_t ns;

    if (!fxt_record_time(record, &ticks))
        return false;
    if (!fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns))
        return filter->is_open_ended;
    return ns >= filter->first_ns && ns <= filter->last_ns;
}

static bool matches_time_and_strings(const struct filter *filter,
                                     const struct fxt_record *record)
{
    return (!filter->by_time || is_in_time(record, filter)) &&
           (filter->providers.n == 0 ||
            filter_numbers_have(&filter->provider_ids, record->provider->id) ||
            matches_pattern(&filter->providers, &record->provider->name)) &&
           (filter->categories.n == 0 ||
            matches_pattern(&filter->categories, filter_category(record))) &&
           (filter->names.n == 0 || matches_pattern(&filter->names, filter_name(record)));
}

bool filter_matches_any_thread(const struct filter *filter,
                               const struct fxt_record *record)
{
    return filter_matches_kind(filter, record) &&
           matches_time_and_strings(filter, record);
}

bool filter_matches_any_kind(const struct filter *filter, const struct fxt_record *record)
{
    return matches_time_and_strings(filter, record) &&
           (filter->processes.n == 0 || is_of_process(record, &filter->processes)) &&
           (filter->threads.n == 0 || is_of_thread(record, &filter->threads));
}

bool filter_matches(const struct filter *filter, const struct fxt_record *record)
{
    return filter_matches_kind(filter, record) && filter_matches_any_kind(filter, record);
}

bool filter_matches_thread(const struct filter *filter, uint64_t process, uint64_t thread)
{
    return (filter->processes.n == 0 ||
            filter_numbers_have(&filter->processes, process)) &&
           (filter->threads.n == 0 || filter_numbers_have(&filter->threads, thread));
}
