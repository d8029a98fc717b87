/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The x86-64 Linux kernel of a stopped machine: its symbols and unwind tables, from its
 * memory. No file of the kernel is needed, and it does not matter where the kernel was
 * placed (KASLR).
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_KERNEL_H
#define FXTRECORD_DEBUGGER_GUEST_KERNEL_H

#include "base/kernel_symbols.h"
#include "guest_modules.h"

/* All zero is not known. */
struct guest_kernel {
    bool is_known;
    /* Such as "6.1.0-18-amd64"; may be empty. */
    char release[64];
    /* _stext and _etext. */
    uint64_t text_start;
    uint64_t text_end;
    uint32_t n_symbols;
    struct orc_table table;
    /* The head of their list; 0 if it is not known. */
    uint64_t module_list;
    struct guest_modules modules;
};

/* Whether some CPU's PC shows where to look: it is in the kernel's image, or may be. */
bool guest_kernel_may_be_at(uint64_t pc);

/* Reads the tables of the kernel that runs at `pc`, and adds its functions to `symbols`,
 * sorted. Returns false, with the reason, if something is not there. */
bool guest_kernel_read(struct guest_kernel *kernel, const struct guest_reader *reader,
                       uint64_t pc, struct kernel_symbols *symbols, const char **why);

/* Reads the modules again. */
void guest_kernel_read_modules(struct guest_kernel *kernel,
                               const struct guest_reader *reader);

/* The rule for a PC in the kernel or in a module; elsewhere, as in code that the kernel
 * has generated, that for frame pointers. Returns false if there is none. */
bool guest_kernel_rule(const struct guest_kernel *kernel, uint64_t pc,
                       struct orc_rule *rule);

void guest_kernel_free(struct guest_kernel *kernel);

#endif
