/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as the rows of a table, for languages in which a call for each record is slow,
 * and for programs that want columns:
 *
 *     struct fxt_event_row rows[4096];
 *     struct fxt_event_rows table = {rows, 0, 4096};
 *
 *     options.on_record = fxt_event_rows_add;
 *     options.context = &table;
 *     options.stable_input = true;
 *     ...
 *     while (fxt_reader_read(reader, &chunk) == FXT_STOPPED)
 *         use_and_empty(&table);
 */
#ifndef FXT_ROWS_H
#define FXT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

/* An event without its arguments. The struct does not change in later versions. */
struct fxt_event_row {
    /* In nanoseconds; UINT64_MAX if they are more. The end is that of a complete
     * duration, and for all others the time. */
    uint64_t time_ns;
    uint64_t end_ns;
    /* Both 0 if the thread is not known. */
    uint64_t process;
    uint64_t thread;
    /* Of counters, async and flow events, else 0. */
    uint64_t id;
    /* Valid as fxt_record says of strings; NULL if the string was never registered. */
    const char *category;
    const char *name;
    uint32_t category_size;
    uint32_t name_size;
    /* enum fxt_event_type, or a number that this version does not know. */
    uint32_t kind;
    uint32_t provider_id;
};

/* A table that the caller owns, with room for `capacity` rows, at least one. */
struct fxt_event_rows {
    struct fxt_event_row *rows;
    size_t n_rows;
    size_t capacity;
};

/* An fxt_record_fn: adds a record to the struct fxt_event_rows that `context` points to
 * if it is an event. It asks the reader to stop, with FXT_STOPPED, when the table is
 * full; the caller sets `n_rows` to 0 before the reader goes on, or further events are
 * not added. */
FXT_API int fxt_event_rows_add(void *context, const struct fxt_record *record);

FXT_END_DECLS

#endif
