/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of records: what text calls a record, what --stats counts separately and what
 * --type chooses among. They are finer than the format's types (an event is an instant, a
 * counter, ...) and know what a kernel's sampler means by its large blobs and events.
 */
#ifndef TOOLS_KINDS_H
#define TOOLS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sample.h>

/* The first 256 kinds are 16 times the type plus the kind of that type. */
enum {
    KIND_LARGE_BLOB = FXT_RECORD_LARGE * 16,
    /* A large blob that is a kernel sampler's stack. */
    KIND_SAMPLE = 256,
    /* An event in which a kernel's sampler reports what it dropped. */
    KIND_DROP_STATS,
    /* A large record whose type or format is not known. */
    KIND_UNKNOWN_LARGE,
    KINDS
};

unsigned kind_of_event(const struct fxt_record *record);

static inline unsigned kind_of(const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_LARGE) {
        if (record->unknown)
            return KIND_UNKNOWN_LARGE;
        return fxt_sample_is_blob(&record->large_blob, 1) ? KIND_SAMPLE : KIND_LARGE_BLOB;
    }
    if (record->type == FXT_RECORD_EVENT)
        return kind_of_event(record);
    return record->type * 16 + record->kind;
}

/* The value of "type" in the JSON of records of this kind, including "unknown". */
const char *kind_type(unsigned kind);

/* The kind's word, such as "counter", which is the type's word where a type has no kinds;
 * NULL for what this version does not know, which has only a number. */
const char *kind_name(unsigned kind);

/* The number of the kind within its type; of kinds of "unknown" the type's own. */
unsigned kind_number(unsigned kind);

#endif
