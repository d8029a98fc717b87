/* SPDX-License-Identifier: BSD-2-Clause */
/* The line tables of the units of a file, and of the file with its shared DWARF. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLES_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLES_H

#include "common/base/table.h"
#include "debug_dwarf.h"
#include "debug_line_table.h"

/* All zero, but for the files, is before the first. */
struct debug_line_tables {
    const struct debug_dwarf *files;
    /* Those that were asked for. Several units may have one. */
    struct debug_line_table **items;
    size_t n;
    size_t capacity;
    struct table table;
};

/* The table of a unit, which is read if it was not; NULL if it has none. A unit of types
 * may not say where it was compiled: that is where the unit was that refers to it. */
struct debug_line_table *debug_line_tables_of(struct debug_line_tables *tables,
                                              Dwarf_CU *unit, Dwarf_Die *user);

#endif
