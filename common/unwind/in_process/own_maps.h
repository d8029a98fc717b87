/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads /proc/self/maps with system calls only: without memory, locks or a C library's
 * files, so that it can be used in signal handlers and inside malloc.
 */
#ifndef FXTUNWIND_OWN_MAPS_H
#define FXTUNWIND_OWN_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct own_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t offset;
    /* Both 0 if it is of no file. */
    uint64_t device;
    uint64_t inode;
    bool is_readable;
    bool is_writable;
    bool is_executable;
};

struct own_maps {
    int file;
    size_t n;
    size_t at;
    char bytes[512];
};

bool own_maps_open(struct own_maps *maps);

/* Stores the next mapping; false after the last one. */
bool own_maps_next(struct own_maps *maps, struct own_mapping *mapping);

void own_maps_close(struct own_maps *maps);

/* What is mapped at an address; false if nothing is. */
bool own_maps_find(uint64_t address, struct own_mapping *mapping);

#endif
