/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Linux kernel of a stopped machine, which may be an x86-64, an aarch64 or a riscv64:
 * its symbols and, on x86-64, its unwind tables, from its memory. No file of the kernel
 * is needed, and it does not matter where the kernel was placed (KASLR).
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_GUEST_KERNEL_H
#define FXTRECORD_DEBUGGER_GUEST_GUEST_KERNEL_H

#include "common/base/kernel_symbols.h"
#include "guest_modules.h"
#include "tools/fxtrecord/debugger/rsp_target.h"

/* All zero is not known. */
struct guest_kernel {
    bool is_known;
    /* Such as "6.1.0-18-amd64"; may be empty. */
    char release[64];
    /* _stext and _etext. */
    uint64_t text_start;
    uint64_t text_end;
    uint32_t n_symbols;
    /* x86-64: its ORC table. */
    struct orc_table table;
    /* The end of the code by which the kernel begins; text_end if that is not known. */
    uint64_t init_end;
    /* aarch64, riscv64: the code that enters the kernel and leaves it, or on aarch64 the
     * first part of it. */
    uint64_t entry_start;
    uint64_t entry_return;
    uint64_t entry_end;
    /* Where functions begin, sorted. */
    uint64_t *functions;
    size_t n_functions;
    size_t function_capacity;
    /* The head of their list; 0 if it is not known. */
    uint64_t module_list;
    struct guest_modules modules;
};

/* Whether some CPU's PC shows where to look: it is in the kernel's image, or may be. */
bool guest_kernel_may_be_at(enum rsp_machine machine, uint64_t pc);

/* Whether kernels of this machine can be read. */
bool guest_kernel_is_for(enum rsp_machine machine);

/* Reads what is needed of the kernel that runs at `pc` on a machine that such kernels are
 * for, and adds its functions, and its modules', to `symbols`, sorted. Returns false,
 * with the reason, if something is not there. */
bool guest_kernel_read(struct guest_kernel *kernel, const struct guest_reader *reader,
                       enum rsp_machine machine, uint64_t pc,
                       struct kernel_symbols *symbols, const char **why);

/* Whether two addresses are in one function of the kernel's. */
bool guest_kernel_is_one_function(const struct guest_kernel *kernel, uint64_t a,
                                  uint64_t b);

/* Reads the modules again, and adds their functions to `symbols`, unless that is NULL. */
void guest_kernel_read_modules(struct guest_kernel *kernel,
                               const struct guest_reader *reader,
                               struct kernel_symbols *symbols);

/* x86-64: the rule for a PC in the kernel or in a module; elsewhere, as in code that the
 * kernel has generated, that for frame pointers. Returns false if there is none. */
bool guest_kernel_rule(const struct guest_kernel *kernel, uint64_t pc,
                       struct orc_rule *rule);

#endif
