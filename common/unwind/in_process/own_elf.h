/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files that are loaded into this process, and their unwind tables.
 *
 * All of it is copied by process_vm_readv before it is looked at: what another thread
 * unmaps at the same time is then an error and no fault. Memory comes from mmap.
 */
#ifndef FXTUNWIND_OWN_ELF_H
#define FXTUNWIND_OWN_ELF_H

#include "common/unwind/unwind_table.h"

/* Memory from the kernel. */
extern const struct unwind_allocator own_allocator;

/* Copies memory of this process; false if any of it cannot be read. */
bool own_copy(void *to, uint64_t from, size_t size);

struct own_elf {
    /* Addresses in memory minus those in the file. */
    uint64_t bias;
    /* Where eight bytes of the build id are in memory; 0 if there is none. */
    uint64_t id_at;
    uint64_t id;
};

/* Makes the table of a file whose ELF header is at an address in memory. Returns false if
 * there is none. */
bool own_elf_build(uint64_t header, struct own_elf *elf, struct unwind_table *table);

#endif
