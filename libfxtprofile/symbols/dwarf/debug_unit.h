/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of one unit of DWARF that have an address to look up, and the functions
 * inside these.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_UNIT_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_UNIT_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "debug_line_tables.h"
#include "debug_scopes.h"
#include "debug_wanted.h"
#include "libfxtprofile/symbols/ranges.h"

/* A function that has code, or one of those inside it. */
struct debug_function {
    Dwarf_Die die;
    /* The function that contains it, or DEBUG_NO_FUNCTION. */
    uint32_t parent;
    uint64_t entry;
    /* The following members are computed on demand. */
    bool is_known;
    const char *name;
    bool is_plain;
    /* The prefix of a plain name; or NULL. */
    const char *scope;
    const char *file;
    uint32_t start_line;
    /* Where in its parent it was called. */
    const char *call_file;
    uint32_t call_line;
    /* For the caller's use, to number those that are written; 0 at first. */
    uint32_t number;
};

#define DEBUG_NO_FUNCTION RANGES_NONE

struct debug_unit {
    Dwarf_Die die;
    bool is_read;
    /* Of all units of the file. */
    struct debug_scopes *scopes;
    struct debug_line_tables *line_tables;
    /* NULL if it has none, and before the unit is read. */
    struct debug_line_table *lines;
    /* The path of the file that has its functions, or NULL. */
    char *split;
    struct debug_function *functions;
    size_t n_functions;
    size_t capacity;
    struct ranges ranges;
};

/* Whether a DIE has code, and whether addresses to look up are in it. */
enum debug_code {
    DEBUG_NO_CODE,
    DEBUG_OTHER_CODE,
    DEBUG_WANTED_CODE,
};

/* Adds those ranges of a DIE that have addresses to look up. The entry is the start of
 * its first range that has code. */
enum debug_code debug_add_ranges(struct ranges *ranges, struct debug_wanted *wanted,
                                 Dwarf_Die *die, uint32_t item, uint64_t *entry);

/* The file that has the unit's functions (split DWARF, a .dwo file), or NULL if they are
 * in this one. */
const char *debug_unit_split(struct debug_unit *unit);

/* The source file and the line at an address, NULL and 0 where they are not known; and
 * the innermost function there, by its number, or DEBUG_NO_FUNCTION. */
struct debug_spot {
    const char *file;
    uint32_t line;
    uint32_t function;
};

struct debug_spot debug_unit_find(struct debug_unit *unit, struct debug_wanted *wanted,
                                  uint64_t address);

/* A function, with all members computed. */
struct debug_function *debug_unit_function(struct debug_unit *unit, uint32_t function);

#endif
