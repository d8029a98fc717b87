/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that are written as they are in memory: those that follow each other there are
 * written together. */
#ifndef TOOLS_RECORD_RUN_H
#define TOOLS_RECORD_RUN_H

#include <stddef.h>

#include <fxt/record.h>

#include "common/base/io/output.h"

/* Bytes that are still to be written; all zero is none. */
struct record_run {
    const unsigned char *data;
    size_t size;
};

/* To be called before anything else is written, and before the memory of records
 * changes. */
static inline void record_run_flush(struct record_run *run, struct output *output)
{
    if (run->size > 0)
        output_write(output, run->data, run->size);
    run->size = 0;
}

static inline void record_run_add(struct record_run *run, struct output *output,
                                  const struct fxt_record *record)
{
    const unsigned char *data = (const unsigned char *)record->data;

    if (run->size == 0 || data != run->data + run->size) {
        record_run_flush(run, output);
        run->data = data;
    }
    run->size += (size_t)record->size;
}

#endif
