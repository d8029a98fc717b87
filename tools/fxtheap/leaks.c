/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See leaks.h.
 *
 * The same program is at other addresses in each process: stacks are equal if their
 * functions and lines are.
 */
#include "leaks.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/reader.h>

#include "common/base/io/pump.h"
#include "common/base/memory.h"
#include "common/base/table.h"
#include "frames.h"
#include "fxtheap.h"
#include "common/records/record_args.h"
#include "tools/common/report.h"

/* ---- Records ----------------------------------------------------------------------- */

struct reading {
    struct leaks *leaks;
    struct fxt_profile_builder *builder;
    struct report report;
    /* The processes of a series, by their numbers in it. */
    struct table heaps;
    /* The one whose event was last. */
    size_t last;
};

static char *copy_string(struct fxt_string string)
{
    struct text copy = {NULL, 0, 0};

    text_add(&copy, string.data, string.size);
    text_char(&copy, '\0');
    return copy.data;
}

static bool is_true(const struct fxt_record *record, const char *name)
{
    const struct fxt_arg *arg = record_find_arg(record, name);

    return arg != NULL && arg->type == FXT_ARG_BOOL && arg->value.boolean;
}

static uint64_t hash_number(uint64_t number)
{
    return hash_word(hash_start(), number);
}

/* The one with a heap, which is not 0, or NULL. */
static struct leak_process *find_heap(const struct leaks *l, const struct table *heaps,
                                      uint64_t heap)
{
    struct table_probe probe = table_probe(heaps, hash_number(heap));
    uint32_t number;

    while (table_next(heaps, &probe, &number)) {
        if (l->processes[number].heap == heap)
            return &l->processes[number];
    }
    return NULL;
}

/* A new one, or in a series the one that was there before. */
static struct leak_process *add_process(struct leaks *l, struct table *heaps,
                                        uint64_t heap)
{
    struct leak_process *known = heap > 0 ? find_heap(l, heaps, heap) : NULL;

    if (known != NULL) {
        memory_release(known->program);
        return known;
    }
    if (heap > 0)
        table_add(heaps, hash_number(heap), l->n_processes);
    l->processes = memory_grow(l->processes, l->n_processes, &l->process_capacity,
                               sizeof(*l->processes));
    return &l->processes[l->n_processes++];
}

static void take_process(struct reading *r, const struct fxt_record *record)
{
    const struct fxt_arg *program = record_find_arg(record, "program");
    uint64_t heap = record_find_number(record, "heap");
    struct leak_process *p = add_process(r->leaks, &r->heaps, heap);

    r->last = (size_t)(p - r->leaks->processes);
    *p = (struct leak_process){.process = record->event.thread.process,
                               .time_ns = record->event.timestamp,
                               .unix_ns = record_find_number(record, "unix_ns"),
                               .heap = heap,
                               .point = record_find_number(record, "point")};
    p->is_sampled = record_find_number(record, "sample_bytes") > 0;
    p->was_running = is_true(record, "running");
    p->of_peak = is_true(record, "peak");
    p->program = copy_string(program != NULL && program->type == FXT_ARG_STRING
                                 ? program->value.string
                                 : fxt_string_from(""));
}

/* A process that has several is in the archive as it was last. */
static struct leak_process *find_process(const struct leaks *l, uint64_t process)
{
    for (size_t i = l->n_processes; i-- > 0;) {
        if (l->processes[i].process == process)
            return &l->processes[i];
    }
    return NULL;
}

/* It follows another event of the process, or all of these. */
static void take_recording(const struct reading *r, const struct fxt_record *record)
{
    const struct leaks *l = r->leaks;
    uint64_t process = record->event.thread.process;
    struct leak_process *p = NULL;

    if (r->last < l->n_processes && l->processes[r->last].process == process)
        p = &l->processes[r->last];
    else
        p = find_process(l, process);
    if (p == NULL)
        return;
    p->recorded_from_ns = record_find_number(record, "from_ns");
    p->recorded_until_ns = record_find_number(record, "until_ns");
    p->has_counts = record_find_arg(record, "reallocs_moved") != NULL;
    p->reallocs_in_place = record_find_number(record, "reallocs_in_place");
    p->reallocs_moved = record_find_number(record, "reallocs_moved");
}

/* Whether a point of a series is the wanted one, or may be. */
static bool is_wanted(const struct leaks *l, const struct fxt_record *record)
{
    return l->wanted_point == 0 || record_find_number(record, "point") <= l->wanted_point;
}

static void take_event(struct reading *r, const struct fxt_record *record)
{
    bool is_point = record_text_is(record->event.name, "point");

    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !record_text_is(record->event.category, "heap"))
        return;
    r->leaks->is_series |= is_point;
    if (record_text_is(record->event.name, "snapshot") ||
        (is_point && is_wanted(r->leaks, record)))
        take_process(r, record);
    else if (record_text_is(record->event.name, "recording") &&
             is_wanted(r->leaks, record))
        take_recording(r, record);
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct reading *r = (struct reading *)context;

    if (record->type == FXT_RECORD_EVENT)
        take_event(r, record);
    return fxt_profile_builder_add_record(r->builder, record) != FXT_OK;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct reading *r = (struct reading *)context;

    report_error(&r->report, r->report.input, error);
    return 0;
}

/* Faults of records are reported by the reader. */
static void take_report(void *context, const struct fxt_profile_report *report)
{
    (void)context;
    if (report->kind != FXT_PROFILE_REPORT_RECORD && report->severity >= FXT_ERROR)
        complain(FXTHEAP_PROGRAM, report->name, "%s", report->message);
}

/* Returns false where the input ends before its end. */
static bool pump_records(struct reading *r, struct input *input)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .on_error = take_error,
                                         .context = r};
    struct fxt_reader *reader;
    struct pump_result result;
    const char *error;

    if (fxt_reader_create(&options, &reader) != FXT_OK)
        memory_allocate(SIZE_MAX);
    fxt_profile_builder_begin(r->builder, NULL);
    result = pump(input, reader, PUMP_ALL, NULL);
    fxt_profile_builder_end(r->builder, NULL);
    fxt_reader_destroy(reader);
    report_rest(&r->report);
    error = input_error(input);
    if (error != NULL)
        complain(FXTHEAP_PROGRAM, r->report.input, "%s", error);
    return error == NULL && result.code == FXT_OK && !report_is_bad(&r->report);
}

/* Whether a process is among those that are later, as one is after an exec; it is from
 * now on. */
static bool is_replaced(struct table *later, const struct leaks *l, size_t i)
{
    uint64_t process = l->processes[i].process;
    struct table_probe probe = table_probe(later, hash_number(process));
    uint32_t number;

    while (table_next(later, &probe, &number)) {
        if (l->processes[number].process == process)
            return true;
    }
    table_add(later, hash_number(process), i);
    return false;
}

/* Of a series, leaves those processes that are shown, as libfxtprofile does. */
static void choose_processes(struct leaks *l)
{
    struct table later = {NULL, 0, 0};
    size_t n = 0;

    for (size_t i = l->n_processes; i-- > 0;) {
        struct leak_process *p = &l->processes[i];
        bool replaced = is_replaced(&later, l, i);

        p->is_shown = l->wanted_point > 0 ? p->point == l->wanted_point
                                          : !p->was_running || !replaced;
        p->is_shown |= p->point == 0;
    }
    for (size_t i = 0; i < l->n_processes; i++) {
        if (l->processes[i].is_shown)
            l->processes[n++] = l->processes[i];
        else
            memory_release(l->processes[i].program);
    }
    l->n_processes = n;
    table_free(&later);
}

/* ---- Suppressions ------------------------------------------------------------------ */

static bool is_suppressed(const struct fxt_profile *profile, size_t stack,
                          const struct suppressions *suppressions)
{
    struct frames frames = frames_of(profile, stack);
    struct fxt_profile_function function;
    struct fxt_profile_line line;

    while (frames_next(&frames, &line)) {
        fxt_profile_get_function(profile, line.function, &function);
        if (suppressions_match(suppressions, function.name) ||
            suppressions_match(suppressions, function.system_name))
            return true;
    }
    return false;
}

/* ---- Sums -------------------------------------------------------------------------- */

static struct leak *find_leak(struct leaks *l, struct table *table, size_t stack,
                              const struct suppressions *suppressions)
{
    uint64_t hash = frames_hash(l->profile, stack);
    struct table_probe probe = table_probe(table, hash);
    uint32_t number;

    while (table_next(table, &probe, &number)) {
        if (frames_equal(l->profile, l->all[number].stack, stack))
            return &l->all[number];
    }
    table_add(table, hash, l->n);
    l->all = memory_grow(l->all, l->n, &l->capacity, sizeof(*l->all));
    l->all[l->n] = (struct leak){
        .stack = stack, .is_suppressed = is_suppressed(l->profile, stack, suppressions)};
    return &l->all[l->n++];
}

static uint64_t add_number(uint64_t sum, uint64_t added)
{
    return added < UINT64_MAX - sum ? sum + added : UINT64_MAX;
}

static uint64_t add_value(uint64_t sum, int64_t value)
{
    return add_number(sum, value > 0 ? (uint64_t)value : 0);
}

static void add_to_range(struct leak_range *range,
                         const struct fxt_profile_sample *sample)
{
    range->objects = add_value(range->objects, sample->values[0]);
    range->bytes = add_value(range->bytes, sample->values[1]);
}

static size_t size_range(uint64_t size)
{
    return size > 0 ? 64 - (size_t)__builtin_clzll(size) : 0;
}

static size_t age_range(uint64_t age)
{
    uint64_t end = 1000000;
    size_t range = 0;

    for (; range + 1 < LEAK_AGES && age >= end; range++)
        end *= 10;
    return range;
}

static void note_age(struct leaks *l, struct leak *leak,
                     const struct fxt_profile_sample *sample)
{
    const struct leak_process *process = find_process(l, sample->process);
    uint64_t age;

    if (sample->time_ns == 0 || process == NULL || process->time_ns < sample->time_ns)
        return;
    age = process->time_ns - sample->time_ns;
    if (!leak->has_ages || age < leak->youngest_ns)
        leak->youngest_ns = age;
    if (!leak->has_ages || age > leak->oldest_ns)
        leak->oldest_ns = age;
    leak->has_ages = true;
    if (sample->block_address != 0 && !leak->is_suppressed)
        add_to_range(&l->by_age[age_range(age)], sample);
}

static void add_sample(struct leaks *l, struct leak *leak,
                       const struct fxt_profile_sample *sample)
{
    size_t n_types = fxt_profile_n_value_types(l->profile);

    leak->objects = add_value(leak->objects, sample->values[0]);
    leak->bytes = add_value(leak->bytes, sample->values[1]);
    if (n_types > 3) {
        leak->alloc_objects = add_value(leak->alloc_objects, sample->values[2]);
        leak->alloc_bytes = add_value(leak->alloc_bytes, sample->values[3]);
    }
    if (n_types > 4)
        leak->temporary = add_value(leak->temporary, sample->values[4]);
    if (sample->values[0] <= 0)
        return;
    note_age(l, leak, sample);
    if (sample->block_address != 0 && !leak->is_suppressed)
        add_to_range(&l->by_size[size_range(sample->block_size)], sample);
}

static int order_leaks(const void *left, const void *right)
{
    const struct leak *a = left;
    const struct leak *b = right;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->objects != b->objects)
        return a->objects > b->objects ? -1 : 1;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

static int order_temporary(const void *left, const void *right)
{
    const struct leak *a = left;
    const struct leak *b = right;

    if (a->temporary != b->temporary)
        return a->temporary > b->temporary ? -1 : 1;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

static void copy_temporary(struct leaks *l)
{
    size_t capacity = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->all[i].temporary == 0 || l->all[i].is_suppressed)
            continue;
        l->temporary =
            memory_grow(l->temporary, l->n_temporary, &capacity, sizeof(*l->temporary));
        l->temporary[l->n_temporary++] = l->all[i];
    }
    if (l->n_temporary > 0)
        qsort(l->temporary, l->n_temporary, sizeof(*l->temporary), order_temporary);
}

static void add_history(struct leaks *l)
{
    struct leak_history *h = &l->history;
    uint64_t from_ns = UINT64_MAX;
    uint64_t until_ns = 0;

    h->has_counts = true;
    for (size_t i = 0; i < l->n_processes; i++) {
        const struct leak_process *p = &l->processes[i];

        from_ns = p->recorded_from_ns < from_ns ? p->recorded_from_ns : from_ns;
        until_ns = p->recorded_until_ns > until_ns ? p->recorded_until_ns : until_ns;
        h->has_counts &= p->has_counts;
        h->reallocs_in_place = add_number(h->reallocs_in_place, p->reallocs_in_place);
        h->reallocs_moved = add_number(h->reallocs_moved, p->reallocs_moved);
    }
    h->time_ns = from_ns > 0 && until_ns > from_ns ? until_ns - from_ns : 0;
    for (size_t i = 0; i < l->n; i++) {
        h->objects = add_number(h->objects, l->all[i].alloc_objects);
        h->bytes = add_number(h->bytes, l->all[i].alloc_bytes);
        h->temporary = add_number(h->temporary, l->all[i].temporary);
    }
}

static void add_up(struct leaks *l, const struct suppressions *suppressions)
{
    struct table table = {NULL, 0, 0};

    for (size_t i = 0; i < fxt_profile_n_samples(l->profile); i++) {
        struct fxt_profile_sample sample;

        fxt_profile_get_sample(l->profile, i, &sample);
        add_sample(l, find_leak(l, &table, sample.stack, suppressions), &sample);
    }
    table_free(&table);
    add_history(l);
    copy_temporary(l);
    if (l->n > 0)
        qsort(l->all, l->n, sizeof(*l->all), order_leaks);
    /* Stacks that have freed all. */
    while (l->n > 0 && l->all[l->n - 1].objects == 0)
        l->n--;
}

/* ---- The whole --------------------------------------------------------------------- */

static bool build(struct reading *r, struct input *input)
{
    struct fxt_profile_options options = {.size = sizeof(options),
                                          .on_report = take_report,
                                          .keep_times = true,
                                          .keep_blocks = true,
                                          .only_heaps = true,
                                          .show_cuts = true,
                                          .find_modules = true,
                                          .use_debuginfod = true};
    bool good;

    if (fxt_profile_builder_create(&options, &r->builder) != FXT_OK)
        memory_allocate(SIZE_MAX);
    /* As the converters do. */
    if (fxt_profile_builder_add_debug_dir(r->builder, "/usr/lib/debug") != FXT_OK)
        memory_allocate(SIZE_MAX);
    fxt_profile_builder_want_heap_point(r->builder, r->leaks->wanted_point);
    r->leaks->is_damaged = !pump_records(r, input);
    good = fxt_profile_builder_finish(r->builder, &r->leaks->profile) == FXT_OK;
    if (!good)
        complain(FXTHEAP_PROGRAM, r->report.input, "%s",
                 fxt_profile_builder_message(r->builder));
    fxt_profile_builder_destroy(r->builder);
    return good;
}

bool leaks_read(struct leaks *l, const char *name,
                const struct suppressions *suppressions)
{
    struct reading r = {.leaks = l,
                        .report = {.program = FXTHEAP_PROGRAM,
                                   .input = name,
                                   .max_lines = REPORT_DEFAULT_LINES}};
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(name, &why);
    bool good;

    if (input == NULL) {
        complain(FXTHEAP_PROGRAM, name, "%.*s", (int)why.size, why.data);
        text_free(&why);
        return false;
    }
    good = build(&r, input);
    input_close(input);
    table_free(&r.heaps);
    if (!good)
        return false;
    choose_processes(l);
    if (l->wanted_point > 0 && !l->is_series) {
        complain(FXTHEAP_PROGRAM, name, "--point is for series: see fxtheap run --every");
        return false;
    }
    if (l->n_processes == 0) {
        complain(FXTHEAP_PROGRAM, name,
                 l->is_series ? "there is no such point"
                              : "not an archive of fxtheap: it has no snapshot");
        return false;
    }
    add_up(l, suppressions);
    return true;
}

void leaks_free(struct leaks *l)
{
    for (size_t i = 0; i < l->n_processes; i++)
        memory_release(l->processes[i].program);
    memory_release(l->processes);
    memory_release(l->temporary);
    memory_release(l->all);
    fxt_profile_destroy(l->profile);
}
