/* SPDX-License-Identifier: BSD-2-Clause */
/* A file with DWARF as libdw has it, and its sections for what is read without libdw. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_DWARF_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_DWARF_H

#include <elfutils/libdw.h>

#include "debug_tree.h"

struct debug_dwarf {
    Dwarf *dwarf;
    struct debug_sections sections;
};

/* Takes the sections of a file whose DWARF libdw has begun to read, which decompresses
 * them. Returns false if libdw cannot read them safely: it reads strings up to their
 * terminators, even past the end of the section. */
bool debug_dwarf_take(struct debug_dwarf *file, Elf *handle);

/* The one of two files, the second with shared DWARF or empty, that a unit is in. */
const struct debug_dwarf *debug_dwarf_of(const struct debug_dwarf files[2],
                                         Dwarf_CU *unit);

/* Where a unit of a file is, for a walk; and what libdw makes of a DIE in it. */
struct debug_place debug_dwarf_place(const struct debug_dwarf *file, Dwarf_Die *unit);
Dwarf_Die debug_dwarf_die(const struct debug_dwarf *file, bool is_in_types, uint64_t at);

#endif
