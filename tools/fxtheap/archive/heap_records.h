/* SPDX-License-Identifier: BSD-2-Clause */
/* The records that archives of heaps consist of, as docs/heap-records.md describes them:
 * arguments, and blobs of entries. */
#ifndef FXTHEAP_ARCHIVE_HEAP_RECORDS_H
#define FXTHEAP_ARCHIVE_HEAP_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "common/base/text.h"
#include "tools/fxtheap/snapshot.h"

struct fxt_arg heap_arg_number(const char *name, uint64_t value);
struct fxt_arg heap_arg_small(const char *name, uint32_t value);
/* In as few bits as it needs, 32 or 64. */
struct fxt_arg heap_arg_count(const char *name, uint64_t value);
struct fxt_arg heap_arg_string(const char *name, const char *value);
struct fxt_arg heap_arg_bool(const char *name, bool value);

/* Writes an event of a process, of its first thread, at the time of the snapshot. */
struct heap_event {
    uint32_t kind;
    const char *name;
    const struct fxt_arg *args;
    uint32_t n_args;
};

void heap_records_event(struct fxt_writer *writer, const struct snapshot *snapshot,
                        const struct heap_event *event);

/* Writes what has happened while a process was recorded, at a point of a series or, with
 * 0, until a snapshot. */
void heap_records_recording(struct fxt_writer *writer, const struct snapshot *snapshot,
                            uint64_t point);

/* Adds the names that a table has of its process and its threads. */
void heap_records_add_names(struct process_table *table, const struct snapshot *snapshot);

/* Adds the code that it says was mapped: the lines from the byte `from` on. */
void heap_records_add_maps(struct process_table *table, const struct snapshot *snapshot,
                           size_t from);

/* Writes a process's modules and mappings, as far as they are not written yet; their time
 * is the snapshot's. */
void heap_records_mappings(struct fxt_writer *writer, struct process_table *table,
                           const struct snapshot *snapshot);

/* Writes entries of words as blobs, each as large as readers may have to hold in memory.
 * All zero, but for the first four, before the first. */
struct blob_writer {
    struct fxt_writer *writer;
    /* Of what comes next: the version of the entries; and what else is to be known of
     * them. */
    uint32_t version;
    struct fxt_arg about;
    const struct snapshot *snapshot;

    const char *name;
    uint32_t entry_words;
    struct text payload;
    uint64_t n_entries;
    /* Of the stacks that have none; 0 if the process had only one view. */
    uint64_t first_view_ns;
};

/* Entries of a kind, with so many words, or in their fixed part. */
void blob_begin(struct blob_writer *blobs, const char *name, uint32_t entry_words);
void blob_add_word(struct blob_writer *blobs, uint64_t word);
void blob_end_entry(struct blob_writer *blobs);
void blob_end(struct blob_writer *blobs);

/* Entries of stack_states; a stack of which nothing is to be said has none. */
void blob_begin_states(struct blob_writer *blobs);
void blob_add_state(struct blob_writer *blobs, uint64_t number,
                    const struct table_stack *stack);

#endif
