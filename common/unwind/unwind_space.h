/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the code in an address space: its executable mappings, sorted, with
 * their tables. Immutable once made: where mappings change while others walk, make
 * another one, with another generation, publish it by one pointer store with release
 * order, and keep the old one until no walk uses it.
 */
#ifndef FXTUNWIND_UNWIND_SPACE_H
#define FXTUNWIND_UNWIND_SPACE_H

#include "unwind_table.h"

enum unwind_module_flag {
    /* Its code has frame records wherever it has no row: code that was made at run time
     * (JIT), Go, and so on. A frame pointer of 0 is then the end of the stack; without a
     * table, only where a frame record led to it. Elsewhere a frame record is used, too,
     * where there is no row, but 0 ends nothing. */
    UNWIND_KEEPS_FRAMES = 1,
    /* Its table has not been built: a walk that needs it ends with UNWIND_END_NO_RULE. */
    UNWIND_IS_PENDING = 2
};

/* An executable mapping, from `start` up to, but not including, `limit`. */
struct unwind_module {
    uint64_t start;
    uint64_t limit;
    /* The address in memory minus the address in the table. */
    uint64_t bias;
    /* NULL for none; shared by all mappings of a file. */
    const struct unwind_table *table;
    /* unwind_module_flag. */
    uint32_t flags;
    /* For the user: returned where a stack ends in this module. */
    uint32_t id;
};

struct unwind_space {
    enum unwind_machine machine;
    /* The key of cached rules: no two spaces that are used with a cache may have the
     * same. Not 0. */
    uint32_t generation;
    const struct unwind_module *modules;
    uint32_t n_modules;
    /* The bits of a return address that hold its signature (arm64 pointer
     * authentication): they are set to the value of bit 55. 0 is the default: on aarch64
     * bits 48 to 63, else none. */
    uint64_t signature_bits;
};

/*
 * Puts modules in order, in place, as a space must have them: sorted, without empty ones
 * and without overlaps; of two modules that overlap, the one later in the array keeps
 * the addresses, as with mmap. A module may be split in two by a later one: `capacity`,
 * the room in the array, of 2 * n is always enough; where there is none, the part above
 * is dropped. Returns how many there are. Allocates nothing.
 */
uint32_t unwind_space_arrange(struct unwind_module *modules, uint32_t n,
                              uint32_t capacity);

/* Adds a module to `n` that are arranged, as mmap does. At most two more are there
 * afterwards. Returns how many there are. */
uint32_t unwind_space_replace(struct unwind_module *modules, uint32_t n,
                              uint32_t capacity, const struct unwind_module *module);

/* The module that an address is in, or NULL. */
const struct unwind_module *unwind_space_find(const struct unwind_space *space,
                                              uint64_t address);

#endif
