/* SPDX-License-Identifier: BSD-2-Clause */
/* The page tables of riscv64 (Sv39, Sv48 and Sv57): where in physical memory what a
 * kernel sees is. */
#ifndef FXTRECORD_DEBUGGER_GUEST_RISCV_PAGES_H
#define FXTRECORD_DEBUGGER_GUEST_RISCV_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct riscv_pages {
    /* The register of that name: the mode and the first table. */
    uint64_t satp;
    /* A word of physical memory; false if it cannot be read. */
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
};

/* Reads a word at a virtual address that is a multiple of 8. Returns false if it is not
 * mapped, or cannot be read. */
bool riscv_pages_word(const struct riscv_pages *pages, uint64_t address, uint64_t *word);

#endif
