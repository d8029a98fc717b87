/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace again, so that all readers read what they can: little-endian, with a
 * magic number, times in nanoseconds, one meaning for each index, texts in UTF-8, and
 * without what cannot be decoded. What is right stays, in its order, and indices where
 * they can. Of what it writes it writes the same again.
 */
#ifndef FXTLINT_FIX_H
#define FXTLINT_FIX_H

#include <fxt/record.h>

#include "common/base/io/output.h"
#include "fix_tables.h"
#include "tools/common/part_mark.h"
#include "tools/common/record_run.h"

/* Names and values of arguments; two names, and that of the provider. */
enum { FIX_TEXTS_MAX = 2 * FXT_ARGS_MAX + 3 };

struct koid_pair {
    uint64_t thread;
    uint64_t process;
};

struct fix {
    struct output *output;
    /* Records of the input that need no change. The writer buffers nothing, so that they
     * can alternate with what it writes. */
    struct record_run run;
    struct fxt_writer *writer;
    struct fix_tables tables;
    /* The processes of threads that have had records. */
    struct koid_pair *processes;
    size_t n_processes;
    size_t process_capacity;
    struct table process_table;
    /* Texts that replace those of the record. */
    struct text texts[FIX_TEXTS_MAX];
    size_t n_texts;
    /* The trace says that it is a part, and which. */
    bool is_part;
    struct part_mark mark;
    /* The number of records that could not be written, and why not and where the first
     * one was. */
    uint64_t n_refused;
    enum fxt_code first_code;
    uint64_t first_offset;
};

void fix_start(struct fix *fix, struct output *output);
/* `is_as_written` is what lint_record has returned. */
void fix_record(struct fix *fix, const struct fxt_record *record, bool is_as_written);
/* To be called before the memory of records changes, unless that is the end. */
void fix_release(struct fix *fix);
/* What is written is whole then, unless the output failed. */
void fix_end(struct fix *fix);
void fix_free(struct fix *fix);

#endif
