/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/rows.h. */
#include <fxt/rows.h>

static struct fxt_event_row make_row(const struct fxt_record *record)
{
    const struct fxt_event *event = &record->event;
    struct fxt_event_row row = {
        .process = event->thread.process,
        .thread = event->thread.thread,
        .category = event->category.data,
        .name = event->name.data,
        .category_size = event->category.size,
        .name_size = event->name.size,
        .kind = record->kind,
        .provider_id = record->provider->id,
    };
    uint64_t rate = record->provider->ticks_per_second;

    fxt_ticks_to_ns(event->timestamp, rate, &row.time_ns);
    row.end_ns = row.time_ns;
    if (record->kind == FXT_EVENT_DURATION_COMPLETE)
        fxt_ticks_to_ns(event->end_timestamp, rate, &row.end_ns);
    if (record->kind == FXT_EVENT_COUNTER ||
        (record->kind >= FXT_EVENT_ASYNC_BEGIN && record->kind <= FXT_EVENT_FLOW_END))
        row.id = event->id;
    return row;
}

int fxt_event_rows_add(void *context, const struct fxt_record *record)
{
    struct fxt_event_rows *table = (struct fxt_event_rows *)context;

    if (record->type == FXT_RECORD_EVENT && table->n_rows < table->capacity)
        table->rows[table->n_rows++] = make_row(record);
    return table->n_rows == table->capacity;
}
