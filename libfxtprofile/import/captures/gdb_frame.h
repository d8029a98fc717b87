/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line of a backtrace as gdb prints it, and the name in it:
 *
 *     #1 0xffffffff8826b3e0 in ostd::task::scheduler::yield_now::{closure#0} (...)
 *
 * The name ends where the arguments begin: at the first " (" that is not within brackets
 * of the name's own. A frame without a function, such as "<signal handler called>", is
 * named by that. A line that is neither was cut, or is none of gdb's.
 */
#ifndef FXTPROFILE_IMPORT_CAPTURES_GDB_FRAME_H
#define FXTPROFILE_IMPORT_CAPTURES_GDB_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/text.h"

struct gdb_frame {
    uint64_t number;
    /* As gdb has it, a part of the line; never empty. */
    struct string name;
};

/* Which bracket belongs to which. All zero before the first name. */
struct gdb_brackets {
    /* For each byte of the name: the distance to its partner, or 0. */
    uint32_t *distances;
    size_t capacity;
    /* Brackets that are open. */
    uint32_t *open;
    size_t n_open;
    size_t open_capacity;
};

/* Reads a line that begins with '#' and a digit. Returns false for one that cannot be
 * read. A line is shorter than 4 GiB. */
bool gdb_frame_parse(struct gdb_brackets *brackets, const char *line, size_t size,
                     struct gdb_frame *frame);

/*
 * Adds the name without what makes different functions of one: type arguments <...>,
 * whether or not a :: stands before them; ::{...}, which Rust has for closures and the
 * like; and empty arguments, () and (...). What only looks like that stays: `operator<`,
 * `operator->`, `operator()`, and the brackets around a type that a path begins with, as
 * in `<T as Trait>::f`, and in `<impl Trait for T>::f`. Of a name of which nothing would
 * be left, all stays.
 */
void gdb_frame_clean(struct gdb_brackets *brackets, struct text *to, struct string name);

void gdb_brackets_free(struct gdb_brackets *brackets);

#endif
