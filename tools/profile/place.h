/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is at an address of a process: what the input says of that process and what the
 * user says of all, put together. The input comes first.
 */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

#include "modules.h"
#include "symbolize.h"

struct map {
    const struct modules *modules;
    const struct symbolizer *symbolizer;
};

/* A mapping of the input, a file of the user's, and a segment of that file; any of them
 * may be NULL, but the segment is there if the file is. */
struct place {
    const struct mapping *mapping;
    const struct image *image;
    const struct elf_code *code;
};

struct place place_find(const struct map *map, uint64_t process, uint64_t address);

bool place_is_known(struct place place);

/* The symbol at an address of the place, or NULL. */
const char *place_symbol(struct place place, uint64_t address);

/* The functions at an address of the place, innermost first: none where no symbol is
 * known. */
void place_lines(struct place place, uint64_t address, struct source_lines *lines);

/* Where to look up what returns to `pc`; see locate.h. */
uint64_t place_of_call(const struct map *map, uint64_t process, uint64_t pc);

#endif
