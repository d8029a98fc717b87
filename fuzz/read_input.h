/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target's input as records: its last byte says how it is read. */
#ifndef FUZZ_READ_INPUT_H
#define FUZZ_READ_INPUT_H

#include <fxt/reader.h>

#include "target.h"

/* Reads all bytes: the two lowest bits of `how` are the kind of stream, the next one is
 * whether reading goes on after damage. */
static inline void read_input(const void *data, size_t size, uint8_t how,
                              fxt_record_fn *on_record, fxt_error_fn *on_error,
                              void *context)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = on_record,
                                         .on_error = on_error,
                                         .context = context,
                                         .stream = (enum fxt_stream)((how & 3u) % 3),
                                         .resync = how >> 2 & 1};
    struct fxt_chunk chunk = {.data = data, .size = size};
    struct fxt_reader *reader;

    require(fxt_reader_create(&options, &reader) == FXT_OK, "a reader is created");
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
}

#endif
