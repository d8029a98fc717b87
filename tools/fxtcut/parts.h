/* SPDX-License-Identifier: BSD-2-Clause */
/* The output: one part, or several, each of which can be read without the others. */
#ifndef FXTCUT_PARTS_H
#define FXTCUT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/io/output.h"
#include "common/base/text.h"
#include "description.h"
#include "edge.h"
#include "part.h"
#include "source.h"

/* What a part has at most. */
enum split_by { SPLIT_NOT, SPLIT_BY_BYTES, SPLIT_BY_RECORDS, SPLIT_BY_NS };

struct split {
    enum split_by by;
    uint64_t limit;
};

/* Ends the part before, if there is one, and opens what the next is written to; NULL if
 * that is impossible. */
typedef struct output *parts_next_fn(void *context);

struct output_parts {
    struct split split;
    parts_next_fn *next;
    void *context;

    struct output_part part;
    struct trace_sources sources;
    struct descriptions descriptions;
    /* They are marked; what they have is not all of a trace, whatever others have. */
    bool has_marks;
    bool is_part;
    /* There is nothing to write to, or not all could be written. */
    bool failed;
    /* Of this part: how many records it has that are no registrations, and from when on
     * records are in the next. */
    uint64_t n_records;
    bool has_end;
    uint64_t end_ns;
    /* Records of all parts. */
    uint64_t n_all;
    struct text edge;
};

/* Opens the first part. Whether it is an archive, and its byte order, are the input's. */
void parts_begin(struct output_parts *parts, bool is_archive, bool swapped);

/* Writes a record; `slot` is its own if it is a registration, else NULL. */
void parts_write(struct output_parts *parts, struct trace_source *source,
                 struct slot *slot, const struct fxt_record *record);

/* Writes an event that is made from another. */
void parts_write_edge(struct output_parts *parts, const struct held *event,
                      const struct edge *edge);

/* Takes a description that has not been written, or `is_written`. */
void parts_take_description(struct output_parts *parts, struct trace_source *source,
                            const struct fxt_record *record, bool is_written);

/* Ends the last part, but for its output. */
void parts_end(struct output_parts *parts);

void parts_free(struct output_parts *parts);

#endif
