/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One file of the output: records of the input, each after what it refers to. Where the
 * input has entered another provider, a section is begun, too.
 */
#ifndef FXTCUT_PART_H
#define FXTCUT_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/io/output.h"
#include "held.h"
#include "source.h"
#include "tools/common/part_mark.h"
#include "tools/common/record_run.h"

struct output_part {
    /* Another one for each part. */
    struct output *output;
    /* Different for each part, and above 0. */
    uint64_t number;
    /* It begins with the magic number. */
    bool is_archive;
    bool swapped;
    uint32_t provider;
    struct record_run run;
    uint64_t n_bytes;
    /* It has events that go with others. */
    bool has_tracks;
};

/* Whether events of a kind belong to tracks. */
static inline bool tracks_have(uint32_t kind)
{
    return kind == FXT_EVENT_DURATION_BEGIN || kind == FXT_EVENT_DURATION_END ||
           (kind >= FXT_EVENT_ASYNC_BEGIN && kind <= FXT_EVENT_FLOW_END);
}

/* Begins a part, which has nothing of what is registered. */
void part_begin(struct output_part *part, struct output *output);

/* Writes what is still to be: before the memory of records changes, and at the end. */
void part_flush(struct output_part *part);

/* Writes a record, or bytes that were made from one that is held. */
void part_write(struct output_part *part, struct trace_source *source,
                const struct fxt_record *record);
void part_write_held(struct output_part *part, const struct held *held);
void part_write_edge(struct output_part *part, const struct held *held, bool has_args,
                     const struct text *bytes);

/* Writes a registration, which is the latest of its slot. */
void part_write_registration(struct output_part *part, struct trace_source *source,
                             struct slot *slot, const struct fxt_record *record);

/* Writes that it is a part, at its end. */
void part_write_mark(struct output_part *part, const struct part_mark *mark);

/* Writes the record that begins a section of a provider, or what the part lacks of it. */
void part_write_section(struct output_part *part, struct trace_source *source,
                        const struct fxt_record *record);

#endif
