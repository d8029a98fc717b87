/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A version of what is known of this process's code: made, and then only read until it is
 * released.
 */
#ifndef FXTUNWIND_OWN_VERSION_H
#define FXTUNWIND_OWN_VERSION_H

#include "own_elf.h"
#include "own_maps.h"
#include "common/unwind/unwind_space.h"

/* A table, with the number of versions that have it. */
struct own_table {
    struct unwind_table table;
    uint32_t n_users;
};

/* What is known of a module beside what a walk needs; module->id is its index. */
struct own_module {
    struct own_mapping mapping;
    /* Where its ELF header is; 0 if it has none: code that was made at run time. */
    uint64_t header;
    /* What the dynamic linker says of it; NULL if it does not know it. */
    const void *link_map;
    uint64_t id_at;
    uint64_t id;
    struct own_table *table;
    /* It is never unmapped. */
    bool stays;
};

struct own_version {
    struct unwind_space space;
    struct unwind_module *modules;
    struct own_module *infos;
    uint32_t capacity;
    size_t size;
    /* Where modules are that may be unmapped. */
    uint64_t low;
    uint64_t high;
    /* When mappings were read. */
    uint32_t scan;
    /* Once it is retired: the next one, and a bit for each counter of walks that has not
     * been 0 since. */
    struct own_version *next;
    uint32_t pending;
};

/* Reads all mappings. What is in `old`, which may be NULL, and is still there, keeps its
 * table. NULL if there is no memory. */
struct own_version *own_version_scan(const struct own_version *old, bool all_stay);

/* A copy in which a module has a table, which may be NULL for none, and is not pending.
 */
struct own_version *own_version_with(const struct own_version *old, uint32_t module,
                                     struct own_table *table, const struct own_elf *elf);

void own_version_free(struct own_version *version);

/* Whether a PC is still in the module that it is in. */
bool own_version_is_valid(const struct own_version *version, uint64_t pc);

/* Whether the dynamic linker knows a module there. */
bool own_version_is_loaded(uint64_t pc);

struct own_table *own_table_build(uint64_t header, struct own_elf *elf);
void own_table_release(struct own_table *table);

#endif
