/* SPDX-License-Identifier: BSD-2-Clause */
/* See leak_archive.h. */
#include "leak_archive.h"

#include <fxt/reader.h>

#include "common/base/io/progress.h"
#include "common/base/io/pump.h"
#include "common/base/memory.h"
#include "common/base/table.h"
#include "common/records/record_args.h"
#include "fxtheap.h"
#include "tools/common/report.h"

/* ---- Records ----------------------------------------------------------------------- */

struct reading {
    struct leak_archive *archive;
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

static uint64_t hash_number(uint64_t number)
{
    return hash_word(hash_start(), number);
}

/* The one with a heap, which is not 0, or NULL. */
static struct leak_process *find_heap(const struct leak_archive *a,
                                      const struct table *heaps, uint64_t heap)
{
    struct table_probe probe = table_probe(heaps, hash_number(heap));
    uint32_t number;

    while (table_next(heaps, &probe, &number)) {
        if (a->processes[number].heap == heap)
            return &a->processes[number];
    }
    return NULL;
}

/* A new one, or in a series the one that was there before. */
static struct leak_process *add_process(struct leak_archive *a, struct table *heaps,
                                        uint64_t heap)
{
    struct leak_process *known = heap > 0 ? find_heap(a, heaps, heap) : NULL;

    if (known != NULL) {
        memory_release(known->program);
        return known;
    }
    if (heap > 0)
        table_add(heaps, hash_number(heap), a->n_processes);
    a->processes = memory_grow(a->processes, a->n_processes, &a->process_capacity,
                               sizeof(*a->processes));
    return &a->processes[a->n_processes++];
}

static void take_process(struct reading *r, const struct fxt_record *record)
{
    const struct fxt_arg *program = fxt_record_arg(record, "program");
    uint64_t heap = record_find_number(record, "heap");
    struct leak_process *p = add_process(r->archive, &r->heaps, heap);

    r->last = (size_t)(p - r->archive->processes);
    *p = (struct leak_process){.process = record->event.thread.process,
                               .time_ns = record->event.timestamp,
                               .unix_ns = record_find_number(record, "unix_ns"),
                               .heap = heap,
                               .point = record_find_number(record, "point")};
    p->is_sampled = record_find_number(record, "sample_bytes") > 0;
    p->was_running = record_is_true(record, "running");
    p->of_peak = record_is_true(record, "peak");
    p->program = copy_string(program != NULL && program->type == FXT_ARG_STRING
                                 ? program->value.string
                                 : fxt_string_from(""));
}

struct leak_process *leak_archive_process(const struct leak_archive *a, uint64_t process)
{
    for (size_t i = a->n_processes; i-- > 0;) {
        if (a->processes[i].process == process)
            return &a->processes[i];
    }
    return NULL;
}

/* It follows another event of the process, or all of these. */
static void take_recording(const struct reading *r, const struct fxt_record *record)
{
    const struct leak_archive *a = r->archive;
    uint64_t process = record->event.thread.process;
    struct leak_process *p = NULL;

    if (r->last < a->n_processes && a->processes[r->last].process == process)
        p = &a->processes[r->last];
    else
        p = leak_archive_process(a, process);
    if (p == NULL)
        return;
    p->recorded_from_ns = record_find_number(record, "from_ns");
    p->recorded_until_ns = record_find_number(record, "until_ns");
    p->has_counts = fxt_record_arg(record, "reallocs_moved") != NULL;
    p->reallocs_in_place = record_find_number(record, "reallocs_in_place");
    p->reallocs_moved = record_find_number(record, "reallocs_moved");
}

/* Whether a point of a series is the wanted one, or may be. */
static bool is_wanted(const struct leak_archive *a, const struct fxt_record *record)
{
    return a->wanted_point == 0 || record_find_number(record, "point") <= a->wanted_point;
}

static void take_event(struct reading *r, const struct fxt_record *record)
{
    bool is_point = fxt_string_is(record->event.name, "point");

    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !fxt_string_is(record->event.category, "heap"))
        return;
    r->archive->is_series |= is_point;
    if (fxt_string_is(record->event.name, "snapshot") ||
        (is_point && is_wanted(r->archive, record)))
        take_process(r, record);
    else if (fxt_string_is(record->event.name, "recording") &&
             is_wanted(r->archive, record))
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
    if (report->kind == FXT_PROFILE_REPORT_DEBUGINFOD ||
        (report->kind != FXT_PROFILE_REPORT_RECORD && report->severity >= FXT_ERROR))
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
static bool is_replaced(struct table *later, const struct leak_archive *a, size_t i)
{
    uint64_t process = a->processes[i].process;
    struct table_probe probe = table_probe(later, hash_number(process));
    uint32_t number;

    while (table_next(later, &probe, &number)) {
        if (a->processes[number].process == process)
            return true;
    }
    table_add(later, hash_number(process), i);
    return false;
}

/* Of a series, leaves those processes that are shown, as libfxtprofile does. */
static void choose_processes(struct leak_archive *a)
{
    struct table later = {NULL, 0, 0};
    size_t n = 0;

    for (size_t i = a->n_processes; i-- > 0;) {
        struct leak_process *p = &a->processes[i];
        bool replaced = is_replaced(&later, a, i);

        p->is_shown = a->wanted_point > 0 ? p->point == a->wanted_point
                                          : !p->was_running || !replaced;
        p->is_shown |= p->point == 0;
    }
    for (size_t i = 0; i < a->n_processes; i++) {
        if (a->processes[i].is_shown)
            a->processes[n++] = a->processes[i];
    }
    a->n_processes = n;
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
                                          .on_download = progress_download,
                                          .use_debuginfod = !r->archive->no_debuginfod,
                                          .no_missing_files = true};
    bool good;

    if (fxt_profile_builder_create(&options, &r->builder) != FXT_OK)
        memory_allocate(SIZE_MAX);
    /* As the converters do. */
    if (fxt_profile_builder_add_debug_dir(r->builder, "/usr/lib/debug") != FXT_OK)
        memory_allocate(SIZE_MAX);
    fxt_profile_builder_want_heap_point(r->builder, r->archive->wanted_point);
    r->archive->is_damaged = !pump_records(r, input);
    progress_start(FXTHEAP_PROGRAM, 0);
    good = fxt_profile_builder_finish(r->builder, &r->archive->profile) == FXT_OK;
    progress_end();
    if (!good)
        complain(FXTHEAP_PROGRAM, r->report.input, "%s",
                 fxt_profile_builder_message(r->builder));
    fxt_profile_builder_destroy(r->builder);
    return good;
}

bool leak_archive_read(struct leak_archive *a, const char *name)
{
    struct reading r = {.archive = a,
                        .report = {.program = FXTHEAP_PROGRAM,
                                   .input = name,
                                   .max_lines = REPORT_DEFAULT_LINES}};
    struct text why = {NULL, 0, 0};
    struct input *input = input_open(name, &why);
    bool good;

    if (input == NULL)
        return complain_text(FXTHEAP_PROGRAM, name, &why);
    good = build(&r, input);
    input_close(input);
    if (!good)
        return false;
    choose_processes(a);
    if (a->wanted_point > 0 && !a->is_series)
        return complain(FXTHEAP_PROGRAM, name,
                        "--point is for series: see fxtheap run --every");
    if (a->n_processes == 0)
        return complain(FXTHEAP_PROGRAM, name,
                        a->is_series ? "there is no such point"
                                     : "not an archive of fxtheap: it has no snapshot");
    return true;
}
