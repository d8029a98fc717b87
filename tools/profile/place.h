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
    struct symbolizer *symbolizer;
    /* When it is; see modules_find_in. */
    uint32_t epoch;
};

/* A mapping of the input, a file, and a segment of that file; any of them may be NULL,
 * but the segment is there if the file is. */
struct place {
    const struct mapping *mapping;
    struct binary *binary;
    /* What to add to an address of the file to have that of the program. */
    uint64_t bias;
    const struct elf_code *code;
    /* The number of the image if the user named the file; else as many as there are. */
    uint32_t image;
};

struct place place_find(const struct map *map, uint64_t process, uint64_t address);

bool place_is_known(struct place place);

/* Says that place_lines will be asked about an address of the place. */
void place_want(struct place place, uint64_t address);

/* The functions at an address of the place, innermost first: none where no symbol is
 * known. */
void place_lines(const struct map *map, struct place place, uint64_t address,
                 struct source_lines *lines);

/* Where to look up what returns to `pc`; see locate.h. */
uint64_t place_of_call(const struct map *map, uint64_t process, uint64_t pc);

#endif
