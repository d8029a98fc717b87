/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: what was recorded, and what is missing. */
#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "events/print_events.h"
#include "missing/print_interpreters.h"
#include "names.h"
#include "print.h"
#include "units.h"

/* ---- What was recorded ------------------------------------------------------------- */

/* How many samples there are, in words: "1,234 samples". */
static void add_count(const struct fxt_profile *profile, uint64_t n, struct text *text)
{
    static const char *const nouns[] = {[FXT_PROFILE_KIND_SAMPLES] = " sample",
                                        [FXT_PROFILE_KIND_SPANS] = " span",
                                        [FXT_PROFILE_KIND_HEAPS] = " object",
                                        [FXT_PROFILE_KIND_CAPTURES] = " sample",
                                        [FXT_PROFILE_KIND_WAITS] = " wait",
                                        [FXT_PROFILE_KIND_WALL_CLOCK] = " interval"};

    units_number(text, n);
    text_str(text, nouns[fxt_profile_kind(profile)]);
    text_str(text, text_plural(n));
}

static void add_paragraph(const struct view *v, struct text *line, struct text *text)
{
    screen_wrap(text, &v->screen, "", line->data, line->size);
    line->size = 0;
}

static void print_recordings(const struct view *v, const struct fxt_profile *profile,
                             struct text *text)
{
    struct text line = {NULL, 0, 0};

    for (size_t i = 0; i < fxt_profile_n_recordings(profile); i++) {
        struct fxt_profile_recording recording;

        fxt_profile_get_recording(profile, i, &recording);
        if (recording.command_line.size > 0) {
            if (v->screen.has_color)
                text_str(text, STYLE_BOLD);
            names_add_start(text, recording.command_line.data,
                            recording.command_line.size, v->screen.width);
            if (v->screen.has_color)
                text_str(text, STYLE_END);
            text_char(text, '\n');
        }
        text_str(&line, "recorded");
        if (recording.start_ns > 0) {
            text_char(&line, ' ');
            units_date(&line, recording.start_ns);
        }
        if (recording.version.size > 0) {
            text_str(&line, " by fxtrecord ");
            text_add(&line, recording.version.data, recording.version.size);
        }
        if (recording.method.size > 0) {
            text_str(&line, ", method ");
            text_add(&line, recording.method.data, recording.method.size);
        }
        if (line.size > strlen("recorded"))
            add_paragraph(v, &line, text);
        line.size = 0;
    }
}

/* A thread's number may be unique in its process only, and a process's in its boot. */
struct label_id {
    uint32_t boot;
    uint64_t process;
    uint64_t number;
};

SORT_ORDER(order_ids, struct label_id, BY(boot) || BY(process) || BY(number));

/* How many different ones there are among the first `n`, which get sorted. */
static size_t count_ids(struct label_id *ids, size_t n)
{
    size_t n_different = n > 0;

    SORT(ids, n, order_ids);
    for (size_t i = 1; i < n; i++)
        n_different += order_ids(&ids[i - 1], &ids[i]) != 0;
    return n_different;
}

/* Returns false if it is not known. Samples of thread 0 are of none that is known; a span
 * has a thread, whatever its number. */
static bool find_id(const struct weights *w, const struct weight_labels *labels,
                    enum measure_by by, struct label_id *id)
{
    switch (by) {
    case BY_PROCESS:
        *id = (struct label_id){labels->boot, labels->process, 0};
        return labels->process != 0;
    case BY_THREAD:
        *id = (struct label_id){labels->boot, labels->process, labels->thread};
        return labels->thread != 0 ||
               (labels->process != 0 &&
                fxt_profile_kind(w->profile) == FXT_PROFILE_KIND_SPANS);
    default:
        *id = (struct label_id){0, 0, labels->cpu};
        return labels->cpu != FXT_PROFILE_NONE;
    }
}

/* Of how many processes, threads and CPUs the samples are, as far as they are known. */
static void add_labels(const struct weights *w, struct text *line)
{
    static const struct {
        enum measure_by by;
        const char *one;
        const char *several;
    } parts[] = {{BY_PROCESS, "process", "processes"},
                 {BY_THREAD, "thread", "threads"},
                 {BY_CPU, "CPU", "CPUs"}};
    struct label_id *ids = memory_allocate(w->n_labels * sizeof(*ids));

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t n = 0;

        for (size_t j = 0; j < w->n_labels; j++)
            n += find_id(w, &w->labels[j], parts[i].by, &ids[n]);
        n = count_ids(ids, n);
        if (n == 0)
            continue;
        text_str(line, ", ");
        units_number(line, n);
        text_char(line, ' ');
        text_str(line, n == 1 ? parts[i].one : parts[i].several);
    }
}

/* What the samples have beside their number. */
static void add_value(const struct recorded *recorded, uint64_t period_ns,
                      struct text *line)
{
    const struct weights *w = &recorded->weights;

    text_str(line, ", ");
    units_value(line, w->total.value, w->type.unit);
    if (fxt_profile_kind(recorded->profile) == FXT_PROFILE_KIND_SPANS)
        text_str(line, " in spans");
    else if (fxt_profile_kind(recorded->profile) == FXT_PROFILE_KIND_WAITS)
        text_str(line, " of waiting");
    else if (fxt_profile_kind(recorded->profile) == FXT_PROFILE_KIND_WALL_CLOCK)
        text_str(line, " of running and waiting");
    else if (fxt_profile_kind(recorded->profile) == FXT_PROFILE_KIND_SAMPLES &&
             strcmp(w->type.type, "cpu") != 0) {
        text_str(line, strcmp(w->type.unit, "count") == 0 ? " " : " of ");
        text_str(line, w->type.type);
    } else if (strcmp(w->type.unit, "nanoseconds") == 0 && period_ns > 0) {
        text_str(line, " of CPU time, one each ");
        units_value(line, (int64_t)period_ns, "nanoseconds");
    }
}

/* Of a recording of several events only one is shown. */
static void print_other_events(const struct view *v, const struct recorded *recorded,
                               struct text *text)
{
    size_t n = fxt_profile_n_value_types(recorded->profile);
    struct text line = {NULL, 0, 0};
    size_t n_others = 0;

    for (size_t i = 1; i < n; i++) {
        struct fxt_profile_value_type type;

        if (i == recorded->weights.value)
            continue;
        fxt_profile_get_value_type(recorded->profile, i, &type);
        text_str(&line, n_others++ == 0 ? "also recorded: " : ", ");
        text_str(&line, type.type);
    }
    text_str(&line,
             n_others > 1 ? " (--value shows one of them)" : " (--value shows it)");
    /* Two are the number of samples and what they stand for. */
    if (n > 2 && n_others > 0 && recorded->weights.is_of_samples)
        add_paragraph(v, &line, text);
}

static void add_others(struct text *line, uint64_t n, const char *noun,
                       const char *option)
{
    if (n == 0)
        return;
    text_str(line, line->size > 0 ? ", " : "also recorded: ");
    units_number(line, n);
    text_char(line, ' ');
    text_str(line, noun);
    text_str(line, text_plural(n));
    text_str(line, option);
}

/* What is shown in place of samples, or beside them. */
static void print_other_kinds(const struct view *v, const struct recorded *recorded,
                              struct text *text)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};
    struct text line = {NULL, 0, 0};

    fxt_profile_get_statistics(recorded->profile, &s);
    add_others(&line, s.n_ignored_spans, "span", " (--spans)");
    add_others(&line, s.n_ignored_scheduling, "scheduling record", " (--sched)");
    if (line.size > 0 && recorded->weights.is_of_samples)
        add_paragraph(v, &line, text);
}

static void print_samples(const struct view *v, const struct recorded *recorded,
                          struct text *text)
{
    const struct weights *w = &recorded->weights;
    struct fxt_profile_statistics s = {.size = sizeof(s)};
    struct text line = {NULL, 0, 0};

    fxt_profile_get_statistics(recorded->profile, &s);
    add_count(recorded->profile, w->total.n, &line);
    if (s.duration_ns > 0) {
        text_str(&line, " in ");
        units_value(&line, (int64_t)s.duration_ns, "nanoseconds");
    }
    if (w->value > 0)
        add_value(recorded, s.period_ns, &line);
    add_labels(w, &line);
    add_paragraph(v, &line, text);
}

/* Returns false if there are no events. */
static bool print_trace(const struct view *v, const struct recorded *recorded,
                        struct text *text)
{
    struct text line = {NULL, 0, 0};
    uint64_t first_ns;
    uint64_t last_ns;

    if (!fxt_profile_summary_times(recorded->profile, &first_ns, &last_ns))
        return fxt_profile_n_thread_times(recorded->profile) > 0;
    print_event_counts(recorded->profile, &line);
    text_str(&line, " in ");
    units_time(&line, last_ns - first_ns);
    add_paragraph(v, &line, text);
    return true;
}

void print_header(const struct view *v, const struct recorded *recorded,
                  struct text *text)
{
    bool has_samples = fxt_profile_n_samples(recorded->profile) > 0;
    bool has_events = false;

    print_recordings(v, recorded->profile, text);
    if (has_samples)
        print_samples(v, recorded, text);
    /* Where spans alone are shown, they are counted as the samples. */
    if (v->settings->view != VIEW_SPANS)
        has_events = print_trace(v, recorded, text);
    if (!has_samples && !has_events)
        print_samples(v, recorded, text);
    print_other_events(v, recorded, text);
    if (!view_has_events(v->settings))
        print_other_kinds(v, recorded, text);
}

/* ---- What is missing --------------------------------------------------------------- */

#define KALLSYMS "give --kallsyms /proc/kallsyms, as root and before the next boot"

/* How many modules without symbols are named, the ones that most samples end in. */
enum { UNNAMED_SHOWN = 3 };

static void print_item(const struct view *v, struct text *line, struct text *text)
{
    screen_wrap(text, &v->screen, "  ", line->data, line->size);
    line->size = 0;
}

/* One loss in several parts, separated by "; ". */
static void print_loss(const struct view *v, const char *loss, struct text *text)
{
    struct text line = {NULL, 0, 0};

    while (*loss != '\0') {
        const char *end = strstr(loss, "; ");

        text_add(&line, loss, end != NULL ? (size_t)(end - loss) : strlen(loss));
        print_item(v, &line, text);
        loss = end != NULL ? end + 2 : "";
    }
}

static void print_drops(const struct view *v, const struct fxt_profile_statistics *s,
                        struct text *text)
{
    struct text line = {NULL, 0, 0};

    if (s->n_samples == 0) {
        text_str(&line, "a larger buffer avoids that: FXT_TRACE_SIZE of fxt/trace.h");
    } else {
        text_str(&line, "those would be ");
        units_share(&line, (double)s->n_dropped_records,
                    (double)s->n_dropped_records + (double)s->n_samples);
        text_str(&line, " of all: a larger buffer (fxtrecord --buffer-size) or fewer "
                        "samples (--frequency) avoid that");
    }
    screen_wrap(text, &v->screen, "    ", line.data, line.size);
}

static int order_unnamed(const void *left, const void *right)
{
    const struct measure_row *a = *(const struct measure_row *const *)left;
    const struct measure_row *b = *(const struct measure_row *const *)right;

    if (a->self.n != b->self.n)
        return a->self.n < b->self.n ? 1 : -1;
    return measure_order(a, b);
}

static bool has_kernel_names(const struct measure *m)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->rows[i].is_kernel && !m->rows[i].is_unnamed)
            return true;
    }
    return false;
}

static const char *remedy_of(const struct measure *m, const struct measure_row *row)
{
    if (row->is_kernel && row->module.size == 0 && has_kernel_names(m))
        return "code that the kernel's list of symbols lacks, such as what initialised a "
               "module and was freed";
    if (row->is_kernel)
        return row->module.size > 0 ? KALLSYMS
                                    : "name the kernel with --elf, or " KALLSYMS;
    if (row->module.size > 0)
        return "install its debugging symbols, or name a directory with --debug-dir";
    return "code of no known file, such as a JIT compiler's without a perf map";
}

static void print_unnamed_row(const struct view *v, const struct measure *m,
                              const struct measure_row *row, struct text *text)
{
    struct text line = {NULL, 0, 0};
    struct string module = measure_module(row);

    units_share(&line, (double)row->self.n, (double)v->now.weights.total.n);
    text_str(&line, " of stacks end in code without symbols");
    if (row->is_kernel || row->module.size > 0) {
        text_str(&line, " in ");
        text_add(&line, module.data, module.size);
    }
    text_str(&line, ": ");
    text_str(&line, remedy_of(m, row));
    print_item(v, &line, text);
}

/* Files are reported with what is wrong with them. */
static bool is_of_file(const struct view *v, const struct measure_row *row)
{
    return !row->is_kernel && row->module.size > 0 &&
           reports_have(&v->now.conversion->reports, FXT_PROFILE_REPORT_MISSING_FILE);
}

static void print_unnamed(const struct view *v, const struct measure *m,
                          struct text *text)
{
    const struct measure_row **rows = memory_allocate(m->n * sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        if (m->rows[i].is_unnamed && m->rows[i].self.n > 0 && !is_of_file(v, &m->rows[i]))
            rows[n++] = &m->rows[i];
    }
    SORT(rows, n, order_unnamed);
    for (size_t i = 0; i < n && i < UNNAMED_SHOWN; i++)
        print_unnamed_row(v, m, rows[i], text);
}

void print_missing(const struct view *v, const struct measure *functions,
                   struct text *text)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};
    size_t start;

    fxt_profile_get_statistics(v->now.profile, &s);
    text_char(text, '\n');
    screen_style(text, &v->screen, STYLE_BOLD, "What is missing");
    text_char(text, '\n');
    start = text->size;
    for (size_t i = 0; i < fxt_profile_n_losses(v->now.profile); i++) {
        print_loss(v, fxt_profile_loss(v->now.profile, i), text);
        /* Drops come first. */
        if (i == 0 && s.n_dropped_records > 0)
            print_drops(v, &s, text);
    }
    if (functions != NULL) {
        print_unnamed(v, functions, text);
        print_interpreters(v, functions, text);
    }
    print_missing_files(v, text);
    if (text->size == start)
        text_str(text, "  nothing\n");
}
