/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The abbreviations of a unit (.debug_abbrev): what kinds of DIEs it has, and how many
 * bytes their attributes take.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_ABBREVIATIONS_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_ABBREVIATIONS_H

#include <stddef.h>

#include "debug_sections.h"

struct debug_abbreviation {
    uint64_t code;
    int tag;
    bool has_children;
    /* It has an attribute that says where there is code. */
    bool has_code;
    /* Its steps, by their numbers. */
    uint32_t first_step;
    uint32_t n_steps;
};

/* What a unit's header says of the sizes of forms. */
struct debug_format {
    uint64_t version;
    unsigned offset_size;
    unsigned address_size;
};

struct debug_abbreviations {
    const struct debug_sections *sections;
    struct debug_format format;
    /* Sorted by their codes. */
    struct debug_abbreviation *items;
    size_t n;
    size_t capacity;
    /* How to go past attributes: a number of bytes, or a form whose size is in the DIE.
     */
    uint16_t *steps;
    size_t n_steps;
    size_t step_capacity;
};

/* Reads those at an offset, up to damage. */
void debug_abbreviations_read(struct debug_abbreviations *abbreviations,
                              const struct debug_sections *sections,
                              struct debug_format format, uint64_t offset);

/* The one of a code, or NULL. */
const struct debug_abbreviation *debug_abbreviations_find(
    const struct debug_abbreviations *abbreviations, uint64_t code);

/* Goes past the attributes of a DIE. */
void debug_abbreviations_skip(const struct debug_abbreviations *abbreviations,
                              const struct debug_abbreviation *of,
                              struct unwind_cursor *in);

void debug_abbreviations_free(struct debug_abbreviations *abbreviations);

#endif
