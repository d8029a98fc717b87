/* SPDX-License-Identifier: BSD-2-Clause */
/* The sources of packed records, with what each has registered. */
#ifndef LIBFXT_WRITER_PACKED_SOURCES_H
#define LIBFXT_WRITER_PACKED_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "libfxt/memory.h"

struct packed_source {
    uint32_t id;
    struct fxt_reader *reader;
};

struct packed_sources {
    struct packed_source *items;
    size_t n;
    size_t capacity;
    /* What became of the records of one call: the first fault. */
    enum fxt_code fault;
};

void packed_sources_free(struct packed_sources *sources, struct memory *memory);

#endif
