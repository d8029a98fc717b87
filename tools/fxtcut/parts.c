/* SPDX-License-Identifier: BSD-2-Clause */
/* See parts.h. */
#include "parts.h"

#include <fxt/format.h>

/* A part that has not all of its trace says so, if that can be seen from its records; all
 * those that are the trace together say so. */
static void end_part(struct output_parts *p, bool is_last)
{
    bool is_one_of_all = p->split.by != SPLIT_NOT && (p->part.number > 1 || !is_last);
    struct part_mark mark = {.number = 0};

    if (p->part.output == NULL)
        return;
    if (is_one_of_all && !p->is_part)
        mark = (struct part_mark){p->part.number, is_last};
    if (is_one_of_all || (p->is_part && p->has_marks && p->part.has_tracks))
        part_write_mark(&p->part, &mark);
    part_flush(&p->part);
}

static void begin_part(struct output_parts *p)
{
    struct output *output;

    end_part(p, false);
    output = p->next(p->context);
    p->failed = output == NULL;
    p->part.output = NULL;
    if (p->failed)
        return;
    part_begin(&p->part, output);
    p->n_records = 0;
}

void parts_begin(struct output_parts *p, bool is_archive, bool swapped)
{
    p->part.is_archive = is_archive;
    p->part.swapped = swapped;
    begin_part(p);
}

void parts_end(struct output_parts *p)
{
    end_part(p, true);
}

/* ---- Splitting --------------------------------------------------------------------- */

/* Whether a record is one of those that are repeated where they are needed. */
static bool is_counted(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_METADATA:
        return record->kind != FXT_METADATA_PROVIDER_INFO &&
               record->kind != FXT_METADATA_PROVIDER_SECTION &&
               record->kind != FXT_METADATA_TRACE_INFO;
    case FXT_RECORD_INITIALIZATION:
    case FXT_RECORD_STRING:
    case FXT_RECORD_THREAD:
        return false;
    default:
        return !description_is(record);
    }
}

/* The first end of a part after a time; times that pass 64 bits are in no further part.
 */
static void set_end(struct output_parts *p, uint64_t ns)
{
    uint64_t periods;

    if (!p->has_end) {
        p->end_ns = ns;
        p->has_end = true;
    }
    periods = (ns - p->end_ns) / p->split.limit + 1;
    if (periods > (UINT64_MAX - p->end_ns) / p->split.limit)
        p->end_ns = UINT64_MAX;
    else
        p->end_ns += periods * p->split.limit;
}

static bool is_past_end(struct output_parts *p, const struct fxt_record *record)
{
    bool is_first = !p->has_end;
    uint64_t ticks;
    uint64_t ns;

    if (!fxt_record_time(record, &ticks))
        return false;
    fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    if (!is_first && ns < p->end_ns)
        return false;
    set_end(p, ns);
    return !is_first;
}

static void split_before(struct output_parts *p, const struct fxt_record *record)
{
    bool is_full = false;
    bool counts;
    uint64_t room;

    if (p->split.by == SPLIT_NOT)
        return;
    counts = is_counted(record);
    switch (p->split.by) {
    case SPLIT_NOT:
        break;
    case SPLIT_BY_BYTES:
        room = p->split.limit > PART_MARK_BYTES_MAX ? p->split.limit - PART_MARK_BYTES_MAX
                                                    : 0;
        is_full = p->n_records > 0 &&
                  (p->part.n_bytes >= room || record->size > room - p->part.n_bytes);
        break;
    case SPLIT_BY_RECORDS:
        is_full = counts && p->n_records == p->split.limit;
        break;
    case SPLIT_BY_NS:
        is_full = counts && is_past_end(p, record);
        break;
    }
    if (is_full)
        begin_part(p);
    p->n_records += counts;
}

/* ---- Writing ----------------------------------------------------------------------- */

static bool is_section(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA &&
           record->kind == FXT_METADATA_PROVIDER_SECTION;
}

/* Each part begins with the magic number, and ends with its own mark. */
static bool is_replaced(const struct output_parts *p, const struct fxt_record *record)
{
    struct part_mark mark;

    if (record->type == FXT_RECORD_STRING)
        return p->has_marks && part_mark_read(&mark, record);
    return record->offset == 0 && record->header == FXT_MAGIC_RECORD &&
           p->part.is_archive;
}

void parts_write(struct output_parts *p, struct trace_source *source, struct slot *slot,
                 const struct fxt_record *record)
{
    if (p->failed || is_replaced(p, record))
        return;
    split_before(p, record);
    if (p->failed)
        return;
    p->n_all++;
    if (slot != NULL) {
        part_write_registration(&p->part, source, slot, record);
    } else if (is_section(record)) {
        part_write_section(&p->part, source, record);
    } else {
        descriptions_write(&p->descriptions, &p->part, record);
        part_write(&p->part, source, record);
    }
}

void parts_write_edge(struct output_parts *p, const struct held *event,
                      const struct edge *edge)
{
    if (p->failed)
        return;
    p->n_all++;
    p->edge.size = 0;
    edge_make(&p->edge, event, edge);
    descriptions_write_thread(&p->descriptions, &p->part, &event->thread);
    part_write_edge(&p->part, event, edge->has_args, &p->edge);
    p->part.has_tracks = p->part.has_tracks || tracks_have(edge->kind);
}

void parts_take_description(struct output_parts *p, struct trace_source *source,
                            const struct fxt_record *record, bool is_written)
{
    if (!p->failed)
        descriptions_take(&p->descriptions, &p->part, source, record, is_written);
}

void parts_free(struct output_parts *p)
{
    sources_free(&p->sources);
    descriptions_free(&p->descriptions);
    text_free(&p->edge);
}
