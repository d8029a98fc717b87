/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the messages of debug_answers.h: each string and each function once. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_WRITER_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_WRITER_H

#include "debug_answers.h"
#include "debug_unit.h"
#include "common/base/table.h"

/* All zero, but for what takes the messages, is before the first. */
struct debug_writer {
    debug_take_fn *take;
    void *context;
    /* The receiver has stopped. */
    bool is_stopped;
    struct text pending;
    /* The strings that were written, by address: libdw does not move them. */
    const char **strings;
    size_t n_strings;
    size_t capacity;
    struct table table;
    uint32_t n_functions;
};

/* Writes the answer for the next address. */
void debug_writer_answer(struct debug_writer *writer, struct debug_unit *unit,
                         struct debug_spot spot);

/* Writes that the functions of a unit are in another file, unless that is NULL. */
void debug_writer_split(struct debug_writer *writer, const char *file);

/* Hands over all that was written so far. */
void debug_writer_flush(struct debug_writer *writer);

void debug_writer_end(struct debug_writer *writer, enum debug_end end);

#endif
