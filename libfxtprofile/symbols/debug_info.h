/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source files, lines and inlined functions, from the DWARF of an ELF file.
 *
 * The units of a file are listed when it is opened; a unit's functions and lines are read
 * when the first address in it is asked for, once, and put in order, so that looking
 * something up is a search in sorted arrays. Without libdw no file has any of this.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_INFO_H
#define FXTPROFILE_SYMBOLS_DEBUG_INFO_H

#include "elf_file.h"
#include "source_line.h"

struct debug_info;

/* Returns NULL for a file without DWARF, or whose DWARF is unusable. */
struct debug_info *debug_info_open(const char *name, const struct elf *elf);

/* Adds the functions at an address, innermost first; none if nothing is known. If a line
 * is known but no function, that is one without a name. */
void debug_info_find(struct debug_info *info, uint64_t address,
                     struct source_lines *lines);

/* NULL is nothing to close. */
void debug_info_close(struct debug_info *info);

#endif
