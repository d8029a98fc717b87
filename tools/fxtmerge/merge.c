/* SPDX-License-Identifier: BSD-2-Clause */
/* See merge.h: the inputs in turn, always the one whose next record is the earliest. */
#include "merge.h"

#include <inttypes.h>

#include <fxt/writer.h>

#include "common/base/io/output.h"
#include "common/base/io/progress.h"
#include "common/base/memory.h"
#include "common/base/priority_queue.h"
#include "repeats.h"
#include "rewrite.h"
#include "source.h"
#include "tools/common/descriptions.h"
#include "tools/common/output_name.h"

struct merge {
    struct merging merging;
    struct source *sources;
    size_t n_sources;
    struct output *output;
    struct fxt_writer *writer;
    /* Of sources that have records, by the time of the first; of equal times the first
     * source comes first. */
    struct priority_queue queue;
    struct rewriting rewriting;
    struct repeats repeats;
};

/* ---- Writing ----------------------------------------------------------------------- */

static bool start_writer(struct merge *m)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = output_take,
                                         .context = m->output,
                                         .buffer_size = OUTPUT_PIECE_BYTES,
                                         .one_table = m->merging.options->one_table,
                                         .name_unresolved = true};

    return fxt_writer_create(&options, &m->writer) == FXT_OK &&
           fxt_writer_start_archive(m->writer, 0) == FXT_OK;
}

static void report_refused(struct source *s, const struct fxt_record *record,
                           enum fxt_code code)
{
    struct fxt_error error = {.code = code,
                              .severity = FXT_ERROR,
                              .offset = record->offset,
                              .header = record->header,
                              .message = fxt_code_message(code)};

    report_error(&s->report, s->given->name, &error);
}

static void follow_order(struct source *s, uint64_t time)
{
    if (time >= s->written_time) {
        s->written_time = time;
        return;
    }
    s->n_late++;
    if (s->written_time - time > s->late_ns)
        s->late_ns = s->written_time - time;
}

/* Whether another source has said it. */
static bool is_repeat(struct merge *m, const struct source *s,
                      const struct fxt_record *record, size_t provider)
{
    return m->n_sources > 1 && description_is(record) &&
           repeats_take(&m->repeats, record, provider, (size_t)(s - m->sources));
}

static void write_record(struct merge *m, struct source *s,
                         const struct fxt_record *record, size_t provider)
{
    enum fxt_code code;

    merged_providers_select(&m->merging.providers, provider, &m->merging.machines,
                            m->writer);
    code = fxt_writer_write(m->writer, record);
    if (code != FXT_OK && code != FXT_E_SINK)
        report_refused(s, record, code);
}

static void write_entry(struct merge *m, struct source *s,
                        const struct window_entry *entry)
{
    struct fxt_record *record = window_record(&s->window, entry->copy);
    size_t provider = entry->copy->provider;
    const struct merged_provider *merged = &m->merging.providers.all[provider];

    if (rewrite_is_needed(merged, &m->merging.machines))
        s->n_cut += !rewrite_record(&m->rewriting, record, merged, &m->merging.machines);
    if (is_repeat(m, s, record, provider))
        return;
    follow_order(s, entry->time);
    write_record(m, s, record, provider);
}

/* ---- Merging ----------------------------------------------------------------------- */

/* When the first record of other sources than the first is. */
static uint64_t time_of_others(const struct priority_queue *queue)
{
    uint64_t time = UINT64_MAX;

    for (size_t i = 1; i < 3 && i < queue->n; i++) {
        if (queue->entries[i].key < time)
            time = queue->entries[i].key;
    }
    return time;
}

/* Writes records of one source, as long as no other has an earlier one. */
static void write_run(struct merge *m)
{
    struct source *s = &m->sources[m->n_sources - m->queue.entries[0].item];
    const struct window_entry *entry = window_first(&s->window);
    uint64_t time = time_of_others(&m->queue);

    do {
        write_entry(m, s, entry);
        window_pop(&s->window);
        source_fill(s);
        entry = window_first(&s->window);
    } while (entry != NULL && entry->time < time && !output_failed(m->output));
    if (entry != NULL)
        priority_queue_set_first(&m->queue, entry->time);
    else
        priority_queue_pop(&m->queue);
}

static void merge_all(struct merge *m)
{
    for (size_t i = 0; i < m->n_sources; i++) {
        const struct window_entry *entry;

        source_fill(&m->sources[i]);
        entry = window_first(&m->sources[i].window);
        if (entry != NULL)
            priority_queue_push(&m->queue, entry->time, m->n_sources - i);
    }
    while (m->queue.n > 0 && !output_failed(m->output))
        write_run(m);
    progress_hide();
}

/* Whether the inputs are all parts that a trace was split into. */
static bool have_all_parts(const struct merge *m)
{
    bool *found = (bool *)memory_allocate(m->n_sources * sizeof(*found));
    size_t n_found = 0;
    bool has_last = false;

    for (size_t i = 0; i < m->n_sources; i++) {
        const struct part_mark *mark = &m->sources[i].mark;

        if (mark->number == 0 || mark->number > m->n_sources || found[mark->number - 1])
            continue;
        found[mark->number - 1] = true;
        n_found++;
        has_last = has_last || (mark->is_last && mark->number == m->n_sources);
    }
    memory_release(found);
    return has_last && n_found == m->n_sources;
}

/* What an input lacks, the output lacks, unless that is in the others. */
static void write_mark(const struct merge *m)
{
    const struct part_mark mark = {.number = 0};
    bool is_part = false;

    for (size_t i = 0; i < m->n_sources; i++)
        is_part = is_part || m->sources[i].is_part;
    if (is_part && !have_all_parts(m))
        part_mark_write(m->output, &mark, false);
}

/* ---- What is reported -------------------------------------------------------------- */

static void report_order(const struct merge *m, const struct source *s)
{
    complain(m->merging.options->program, s->given->name,
             "records stand later than others that are up to %.3f s later: %" PRIu64
             "; more of them would be sorted with --window %" PRIu64 "M",
             (double)s->late_ns * 1e-9, s->n_late,
             (m->merging.options->window_bytes >> 20) * 4 + 1);
}

static bool report_source(const struct merge *m, const struct source *s)
{
    bool quiet = m->merging.options->quiet;

    report_rest(&s->report);
    if (s->n_late > 0 && !quiet && !m->merging.options->allows_disorder)
        report_order(m, s);
    if (s->n_unaligned > 0 && m->merging.has_zero && m->n_sources > 1 && !quiet)
        complain(
            m->merging.options->program, s->given->name,
            "has no wall clock, and its times are as they were: --offset moves them");
    if (s->n_cut > 0 && !quiet)
        complain(m->merging.options->program, s->given->name,
                 "times before the first of all clocks, or too late for 64 bits, were "
                 "cut: %" PRIu64,
                 s->n_cut);
    if (input_error(s->input) != NULL)
        complain(m->merging.options->program, s->given->name, "%s",
                 input_error(s->input));
    return input_error(s->input) == NULL && !report_is_bad(&s->report) && s->n_cut == 0;
}

static enum merge_status report_sources(const struct merge *m)
{
    enum merge_status status = MERGE_GOOD;

    for (size_t i = 0; i < m->n_sources; i++) {
        if (!report_source(m, &m->sources[i]))
            status = MERGE_BAD;
    }
    return status;
}

/* ---- The files --------------------------------------------------------------------- */

/* The earliest of all clocks' zeros is that of the output, so that no time becomes less
 * than it was. */
static void find_zero(struct merge *m)
{
    for (size_t i = 0; i < m->n_sources; i++) {
        int64_t zero_ns;

        if (!source_zero(&m->sources[i], &zero_ns) ||
            (m->merging.has_zero && zero_ns >= m->merging.zero_ns))
            continue;
        m->merging.has_zero = true;
        m->merging.zero_ns = zero_ns;
    }
}

static bool open_sources(struct merge *m)
{
    const struct merge_options *o = m->merging.options;
    uint64_t total = 0;

    for (size_t i = 0; i < o->n_inputs; i++) {
        if (!source_open(&m->sources[m->n_sources++], &m->merging, &o->inputs[i]))
            return false;
        total += input_stated_size(m->sources[i].input);
    }
    find_zero(m);
    if (!o->quiet)
        progress_start(o->program, total);
    for (size_t i = 0; i < m->n_sources; i++) {
        if (!source_start(&m->sources[i], o->window_bytes / o->n_inputs))
            return false;
        progress_watch(m->sources[i].input);
    }
    return true;
}

static enum merge_status end_output(struct merge *m, enum merge_status status)
{
    const char *name = m->merging.options->output;
    struct text why = {NULL, 0, 0};
    enum fxt_code code = fxt_writer_finish(m->writer);

    write_mark(m);
    /* What was refused is reported already. */
    if (code == FXT_E_BUSY || !output_close(m->output, true, &why)) {
        complain_text(m->merging.options->program,
                      name != NULL ? name : "standard output", &why);
        status = MERGE_BAD;
    }
    return status;
}

static enum merge_status write_merged(struct merge *m)
{
    const char *name = m->merging.options->output;
    struct text why = {NULL, 0, 0};

    m->output = m->merging.options->opened;
    if (m->output == NULL)
        m->output = output_open(name, true, &why);
    if (m->output == NULL) {
        complain_text(m->merging.options->program,
                      name != NULL ? name : "standard output", &why);
        return MERGE_BAD;
    }
    output_name_compress(name, m->output);
    if (!start_writer(m))
        memory_fail(MEMORY_EXHAUSTED);
    merge_all(m);
    return end_output(m, report_sources(m));
}

enum merge_status merge_archives(const struct merge_options *options)
{
    struct merge m = {.merging.options = options};
    enum merge_status status = MERGE_UNUSABLE;

    m.sources = (struct source *)memory_allocate(options->n_inputs * sizeof(*m.sources));
    if (open_sources(&m))
        status = write_merged(&m);
    progress_end();
    fxt_writer_destroy(m.writer);
    for (size_t i = 0; i < m.n_sources; i++)
        source_close(&m.sources[i]);
    window_memory_free(&m.merging.memory);
    memory_release(m.sources);
    merged_providers_free(&m.merging.providers);
    machines_free(&m.merging.machines);
    priority_queue_free(&m.queue);
    text_free(&m.rewriting.name);
    repeats_free(&m.repeats);
    return status;
}
