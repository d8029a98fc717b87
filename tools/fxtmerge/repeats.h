/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What inputs say again: each part of an archive that was cut begins with the names and
 * the code that its records need, which other parts have, too.
 */
#ifndef FXTMERGE_REPEATS_H
#define FXTMERGE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "common/base/string_table.h"
#include "common/base/table.h"

/* What was last said of something. */
struct said {
    /* Of what: an object of the output, or code that is as it is. */
    uint64_t provider;
    uint64_t type;
    uint64_t id;
    uint64_t process;
    /* The number of what was said, and which source said it. */
    uint64_t content;
    uint64_t source;
};

/* All zero has none. */
struct repeats {
    /* Encodes records such that equal ones have equal bytes. */
    struct fxt_writer *writer;
    struct text encoded;
    struct string_table contents;
    struct said *said;
    size_t n_said;
    size_t said_capacity;
    struct table table;
};

/* Takes a description, as it is to be written. Returns true if it has to be left out: the
 * last one of the same, by the same provider, was equal and from another source: though
 * another provider has named it otherwise since, as if no archive had been cut. Of one
 * source all are written. */
bool repeats_take(struct repeats *repeats, const struct fxt_record *record,
                  size_t provider, size_t source);

void repeats_free(struct repeats *repeats);

#endif
