/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how each string and each thread of a record is referred to (see enum
 * fxt_references), and writes records that come by the million in few steps. */
#ifndef LIBFXT_WRITER_ASSIGN_REFS_H
#define LIBFXT_WRITER_ASSIGN_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/writer.h>

#include "encode_header.h"
#include "intern.h"
#include "word_writer.h"

/* The most words that assign_refs() writes. */
enum {
    ASSIGN_REFS_WORDS =
        INTERN_RECORD_STRINGS * (1 + FXT_TABLE_STRING_SIZE_MAX / FXT_WORD_BYTES) +
        INTERN_RECORD_THREADS * 3
};

/* The state of the writer's references. */
struct ref_assigner {
    enum fxt_references strings;
    enum fxt_references threads;
    /* As in struct fxt_writer_options. */
    bool name_unresolved;
    struct intern intern;
};

/*
 * Assigns the references of a record whose arguments were checked. The registrations that
 * the record needs are written to `words`, which must have room for ASSIGN_REFS_WORDS.
 * Returns FXT_OK, or why something cannot be referred to.
 *
 * If the record is not written in the end, undo the assignment by intern_undo.
 */
enum fxt_code assign_refs(struct ref_assigner *r, const struct fxt_record *record,
                          struct encode_refs *refs, struct word_writer *words);

/* Follows what a metadata record that was written says of the current provider. */
void assign_refs_select(struct ref_assigner *r, const struct fxt_record *record);

/* To be called with each record that was written. */
static inline void assign_refs_written(struct ref_assigner *r,
                                       const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_METADATA)
        assign_refs_select(r, record);
}

/* Whether a record registers what the tables register anyway. */
static inline bool assign_refs_skips(const struct ref_assigner *r,
                                     const struct fxt_record *record)
{
    return (record->type == FXT_RECORD_STRING && r->strings != FXT_REFERENCES_AS_GIVEN) ||
           (record->type == FXT_RECORD_THREAD && r->threads != FXT_REFERENCES_AS_GIVEN);
}

/* The room for a record before its size is known: more than its strings, and twice as
 * many words as it has arguments. */
enum { PLAIN_WORDS = ASSIGN_REFS_WORDS + 64 };

/*
 * Writes an event or a context switch whose strings and thread are registered or to be
 * inline. Its arguments were checked; `words` has room for PLAIN_WORDS. Returns how many
 * words in this machine's byte order it is: the same ones as those of assign_refs() and
 * encode_record(), or 0 if these are needed, to register something, to write what is
 * rare, or to refuse the record.
 */
uint64_t plain_write(struct ref_assigner *r, const struct fxt_record *record,
                     uint64_t *words);

#endif
