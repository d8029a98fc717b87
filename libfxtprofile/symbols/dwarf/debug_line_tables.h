/* SPDX-License-Identifier: BSD-2-Clause */
/* The line tables of the units of a file, and of the file with its shared DWARF. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLES_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINE_TABLES_H

#include <elfutils/libdw.h>

#include "common/base/table.h"
#include "debug_line_table.h"

/* All zero is without sections. */
struct debug_line_tables {
    /* Of the file, and of the shared one. */
    struct debug_line_sections sections[2];
    Dwarf *shared;
    /* Those that were asked for. Several units may have one. */
    struct debug_line_table **items;
    size_t n;
    size_t capacity;
    struct table table;
};

/* Takes the sections of a file whose DWARF libdw has begun to read. Returns false if
 * libdw cannot read them safely: it reads strings up to their terminators, even past the
 * end of the section. */
bool debug_line_sections_take(struct debug_line_sections *sections, Elf *handle);

/* The table of a unit, which is read if it was not; NULL if it has none. */
struct debug_line_table *debug_line_tables_of(struct debug_line_tables *tables,
                                              Dwarf_CU *unit);

void debug_line_tables_free(struct debug_line_tables *tables);

#endif
