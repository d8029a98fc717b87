/* SPDX-License-Identifier: BSD-2-Clause */
/* See source.h. */
#include "source.h"

#include <stdlib.h>

#include "clock.h"
#include "common/base/io/recognise.h"
#include "common/base/memory.h"
#include "tools/common/descriptions.h"

/* Clocks of one boot are one clock: where their wall clocks differ by less than this, the
 * system has adjusted its wall clock between the recordings. */
enum { NS_OF_ADJUSTMENT = 1000000000 };

/* How far an input is read ahead until a record is out of order. */
enum { ORDERED_WINDOW_BYTES = 64 << 10 };

/* How much memory the records before the first time may take. */
enum { UNTIMED_BYTES = 512 << 10 };

/* How much more is read at a time: one record after the other would take longer. */
enum { AHEAD_BYTES = 16 << 10 };

bool source_open(struct source *s, struct merging *merging,
                 const struct merge_input *given)
{
    struct text why = {NULL, 0, 0};

    *s = (struct source){
        .merging = merging, .given = given, .window.memory = &merging->memory};
    s->input = given->opened != NULL ? given->opened : recognise_open(given->name, &why);
    if (s->input == NULL) {
        complain_text(merging->options->program, given->name, &why);
        return false;
    }
    head_read(&s->head, s->input);
    /* The first time in the file is not the earliest. */
    s->has_time = s->head.in_turns;
    s->machine = machines_add(&merging->machines, given, &s->head);
    return true;
}

/* ---- Clocks ------------------------------------------------------------------------ */

/* By how much the wall clock of this input has moved against that of the first one of the
 * same boot. */
static int64_t find_adjustment(const struct source *s)
{
    const struct machine *machine = &s->merging->machines.all[s->machine];
    int64_t difference;

    if (s->head.boot_id[0] == '\0' || !s->head.has_zero || !machine->has_zero)
        return 0;
    difference = machine->zero_ns - s->head.zero_ns;
    return difference < NS_OF_ADJUSTMENT && difference > -NS_OF_ADJUSTMENT ? difference
                                                                           : 0;
}

bool source_zero(const struct source *s, int64_t *zero_ns)
{
    *zero_ns = s->head.zero_ns + find_adjustment(s);
    return s->head.has_zero && !s->given->has_offset;
}

static int64_t find_shift(struct source *s, const struct fxt_provider *provider)
{
    struct merging *m = s->merging;
    int64_t zero_ns;

    if (s->given->has_offset)
        return s->given->offset_ns;
    if (!clock_zero(provider, &zero_ns)) {
        s->n_unaligned++;
        return 0;
    }
    zero_ns += find_adjustment(s);
    if (!m->has_zero) {
        m->has_zero = true;
        m->zero_ns = zero_ns;
    }
    return zero_ns - m->zero_ns;
}

static void find_provider(struct source *s, const struct fxt_provider *provider)
{
    int64_t shift_ns = find_shift(s, provider);
    int64_t shift_ticks;

    if (!clock_ticks(shift_ns, provider->ticks_per_second, &shift_ticks)) {
        shift_ns = 0;
        shift_ticks = 0;
        s->n_unaligned++;
    }
    s->merged = merged_providers_add(&s->merging->providers, s->machine, provider,
                                     shift_ticks, shift_ns);
    s->provider = provider;
}

/* ---- Records ----------------------------------------------------------------------- */

/* What is not copied, but encoded again: registrations, providers, the magic number. */
static bool is_replaced(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        return !record->unknown && record->kind != FXT_METADATA_PROVIDER_EVENT;
    case FXT_RECORD_INITIALIZATION:
    case FXT_RECORD_STRING:
    case FXT_RECORD_THREAD:
        return true;
    default:
        return false;
    }
}

static void push_record(struct source *s, const struct fxt_record *record, uint64_t time,
                        size_t provider)
{
    struct fxt_record changed;

    if (record->type == FXT_RECORD_METADATA &&
        record->metadata.provider_id == record->provider->id) {
        changed = *record;
        changed.metadata.provider_id = s->merging->providers.all[provider].number;
        record = &changed;
    }
    if (window_push(&s->window, time, record, provider))
        s->window_bytes = s->most_window_bytes;
}

/* A part of an archive begins with names that are right from its first time on, and not
 * always before it. */
static void keep_untimed(struct source *s, const struct fxt_record *record)
{
    struct untimed_record made = {fxt_record_copy(record), s->merged};

    if (made.record == NULL)
        memory_fail(MEMORY_EXHAUSTED);
    MEMORY_ADD(s->untimed, s->n_untimed, s->untimed_capacity, made);
    s->untimed_bytes += fxt_record_copy_to(record, NULL, 0);
}

static void push_untimed(struct source *s)
{
    for (size_t i = 0; i < s->n_untimed; i++) {
        push_record(s, s->untimed[i].record, s->time, s->untimed[i].provider);
        free(s->untimed[i].record);
    }
    s->n_untimed = 0;
    s->has_time = true;
}

/* Descriptions of code are of times that may be long before those of the records that
 * need them, and of the names beside them. */
static void take_timed(struct source *s, const struct fxt_record *record, uint64_t ticks)
{
    const struct merged_provider *provider = &s->merging->providers.all[s->merged];
    bool cut = false;
    uint64_t time;

    fxt_ticks_to_ns(clock_add(ticks, provider->shift_ticks, &cut),
                    provider->ticks_per_second, &time);
    if (!description_is(record)) {
        s->time = time;
        if (!s->has_time)
            push_untimed(s);
    }
    push_record(s, record, time, s->merged);
}

static void take_untimed(struct source *s, const struct fxt_record *record)
{
    if (!s->has_time && s->untimed_bytes >= UNTIMED_BYTES)
        push_untimed(s);
    if (s->has_time)
        push_record(s, record, s->time, s->merged);
    else
        keep_untimed(s, record);
}

/* What has several is none of those that are a trace together. */
static void take_mark(struct source *s, const struct fxt_record *record)
{
    struct part_mark mark;

    if (!part_mark_read(&mark, record))
        return;
    s->mark = s->is_part ? (struct part_mark){.number = 0} : mark;
    s->is_part = true;
}

static int take_record(void *context, const struct fxt_record *record)
{
    struct source *s = (struct source *)context;
    uint64_t ticks;

    if (record->type == FXT_RECORD_METADATA || record->type == FXT_RECORD_INITIALIZATION)
        s->provider = NULL;
    if (record->type == FXT_RECORD_STRING)
        take_mark(s, record);
    if (is_replaced(record))
        return 0;
    if (record->provider != s->provider)
        find_provider(s, record->provider);
    if (fxt_record_time(record, &ticks))
        take_timed(s, record, ticks);
    else
        take_untimed(s, record);
    return s->window.n_bytes >= s->window_bytes + AHEAD_BYTES;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct source *s = (struct source *)context;

    report_error(&s->report, s->given->name, error);
    return 0;
}

bool source_start(struct source *s, uint64_t window_bytes)
{
    const struct merge_options *o = s->merging->options;
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = take_record,
                                         .on_error = take_error,
                                         .context = s,
                                         .resync = true};

    /* However small, it has a record. */
    s->most_window_bytes = window_bytes > 0 ? window_bytes : 1;
    s->window_bytes = s->most_window_bytes;
    /* A larger one is slower, as it does not stay in the cache. */
    if (!s->head.in_turns && !o->has_window && window_bytes > ORDERED_WINDOW_BYTES)
        s->window_bytes = ORDERED_WINDOW_BYTES;
    s->report = (struct report){.program = o->program,
                                .input = s->given->name,
                                .max_lines = report_max_lines(o->quiet, o->verbose)};
    s->chunk = (struct fxt_chunk){input_data(s->input), input_size(s->input), 0};
    return fxt_reader_create(&options, &s->reader) == FXT_OK;
}

/* Gets more bytes than are left, which after a region can be a part of a word. */
static void read_more(struct source *s, enum fxt_code code)
{
    uint64_t left = s->chunk.size - s->chunk.pos;
    uint64_t needed = fxt_reader_needed(s->reader);
    bool more;

    input_consume(s->input, s->chunk.pos);
    more = (code == FXT_OK || code == FXT_NEED_MORE || code == FXT_END) &&
           needed <= SIZE_MAX &&
           input_want(s->input, (size_t)(needed > left ? needed : left + 1));
    s->chunk = (struct fxt_chunk){input_data(s->input), input_size(s->input), 0};
    s->ends = !more;
}

void source_read(struct source *s)
{
    while (!s->at_end && s->window.n_bytes < s->window_bytes) {
        enum fxt_code code = s->ends ? fxt_reader_finish(s->reader, &s->chunk)
                                     : fxt_reader_read(s->reader, &s->chunk);

        if (code == FXT_STOPPED)
            continue;
        if (!s->ends) {
            read_more(s, code);
        } else {
            push_untimed(s);
            s->at_end = true;
        }
    }
}

void source_close(struct source *s)
{
    for (size_t i = 0; i < s->n_untimed; i++)
        free(s->untimed[i].record);
    memory_release(s->untimed);
    window_free(&s->window);
    fxt_reader_destroy(s->reader);
    if (s->input != NULL)
        input_close(s->input);
}
