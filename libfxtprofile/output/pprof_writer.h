/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of writing a profile for pprof; see pprof.c. */
#ifndef FXTPROFILE_OUTPUT_PPROF_WRITER_H
#define FXTPROFILE_OUTPUT_PPROF_WRITER_H

#include <stdint.h>

#include "outputs.h"
#include "protobuf.h"
#include "common/base/string_table.h"

/* A location with only one of its lines. */
struct pprof_frame {
    uint32_t location;
    uint32_t line;
};

struct pprof_writer {
    const struct profile *profile;
    const struct output_settings *settings;
    struct output *output;
    /* The string table so far. */
    struct string_table strings;
    /* A field of the profile, the message in it, what is inside that, and a string being
     * made. */
    struct text field;
    struct text message;
    struct text inner;
    struct text name;
    /* The locations' numbers in the order in which they are written. */
    uint32_t *order;
    /* Ids by the numbers of locations, or of lines where inlined functions are frames. */
    uint64_t *ids;
    /* The locations that are written where inlined functions are frames. */
    struct pprof_frame *frames;
    size_t n_frames;
};

/* The number of a string, in which bytes that are not UTF-8 are quoted. */
uint32_t pprof_string(struct pprof_writer *w, struct string string);

uint32_t pprof_literal(struct pprof_writer *w, const char *string);

/* Writes one field of the profile, and empties its content. */
void pprof_field(struct pprof_writer *w, unsigned field, struct text *content);

void pprof_number(struct pprof_writer *w, unsigned field, uint64_t value);

/* Writes all samples, unless the output fails. Their locations have their ids. */
void pprof_write_samples(struct pprof_writer *w);

#endif
