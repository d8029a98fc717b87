/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is at an address of a process: the mappings of the process in the input, and then
 * the files that the user named, which are for all processes.
 */
#ifndef FXTPROFILE_PROFILE_ADDRESS_LOOKUP_H
#define FXTPROFILE_PROFILE_ADDRESS_LOOKUP_H

#include "mappings/modules.h"
#include "libfxtprofile/symbols/symbolize.h"

struct map {
    const struct modules *modules;
    struct symbolizer *symbolizer;
    /* The epoch of look-ups; see modules_find. */
    uint32_t epoch;
};

/* A mapping of the input, a file, and a segment of that file; the function that a record
 * of symbols has there, which counts where the file has none; and the lines that such a
 * record has, which count unless only the file has a source file there. Any of them may
 * be NULL, but the segment is there if the file is. */
struct address_info {
    const struct mapping *mapping;
    const struct mapping *function;
    const struct file_address *lines;
    struct binary *binary;
    /* What to add to an address of the file to have that of the program. */
    uint64_t bias;
    const struct elf_code *code;
    /* The number of the image if the user named the file; else as many as there are. */
    uint32_t image;
};

struct address_info address_find(const struct map *map, uint64_t process,
                                 uint64_t address);

bool address_is_known(struct address_info info);

/* Requests from servers what is missing to name an address, unless that was tried for its
 * file before. Returns whether more is known than before. */
bool address_fetch(const struct map *map, struct address_info info);

/* Announces that address_lines will be called for that address. */
void address_announce(struct address_info info, uint64_t address);

/* The functions at an address, innermost first: none where no symbol is known. Returns
 * whether they were found in the mapping's file: they are the same wherever it is mapped,
 * and no record of symbols has them. */
bool address_lines(const struct map *map, struct address_info info, uint64_t address,
                   struct source_lines *lines);

/* Where the function begins that has an address without a symbol, an address of the
 * program; false if that is not known. */
bool address_function(struct address_info info, uint64_t address, uint64_t *start);

/* Where to look up what returns to `pc`; see locate.h. */
uint64_t address_of_call(const struct map *map, uint64_t process, uint64_t pc);

#endif
