/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of an input that is text, each of which is held in memory. */
#ifndef FXTPROFILE_IMPORT_CAPTURES_IMPORT_LINES_H
#define FXTPROFILE_IMPORT_CAPTURES_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/io/input.h"
#include "common/base/text.h"

struct import_lines {
    struct input *input;
    /* Bytes of a line after this many are not in its text. */
    size_t max_bytes;

    /* The current line, without its end, and without a terminator. */
    struct text text;
    /* It was longer. */
    bool is_cut;
    /* The input did not end before it did. */
    bool has_end;
};

/* Reads the next line, if there is one. */
bool import_lines_next(struct import_lines *lines);

void import_lines_free(struct import_lines *lines);

#endif
