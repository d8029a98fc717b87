/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of source files. The files' names come from debugging information, which may be
 * anybody's: only regular files with absolute names are opened, and only so much of them
 * is read.
 */
#ifndef BASE_IO_SOURCE_TEXT_H
#define BASE_IO_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/types.h>

#include "common/base/text.h"

struct source_text {
    struct fxt_string name;
    /* Empty where it cannot be read. */
    struct text content;
    /* Where each line begins. */
    uint32_t *lines;
    size_t n_lines;
    size_t line_capacity;
};

/* The files that were read so far. All zero is none. They are of the pool that is in use,
 * which frees them. */
struct source_texts {
    struct source_text *files;
    size_t n;
    size_t capacity;
    size_t n_bytes;
};

/* Adds a line, from 1, without the spaces around it. Returns false, and adds nothing, if
 * it is not known. The name must stay in place. */
bool source_texts_add(struct source_texts *sources, struct fxt_string name, uint32_t line,
                      struct text *text);

/* The same with the spaces before it; adds nothing for an empty line. */
bool source_texts_add_whole(struct source_texts *sources, struct fxt_string name,
                            uint32_t line, struct text *text);

#endif
