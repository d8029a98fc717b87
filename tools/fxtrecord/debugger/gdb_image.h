/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files whose code the target of a debug stub runs, at the addresses that they were
 * linked for: a kernel, or users' programs. Stacks are walked by their .debug_frame and
 * .eh_frame.
 */
#ifndef FXTRECORD_DEBUGGER_GDB_IMAGE_H
#define FXTRECORD_DEBUGGER_GDB_IMAGE_H

#include "common/elf/elf_headers.h"
#include "gdb_client.h"
#include "common/unwind/unwind_walk.h"

enum { GDB_IMAGE_CODE_MAX = 16 };

struct gdb_image {
    struct elf_headers headers;
    /* Its segments of code, each with a table. */
    struct unwind_table tables[GDB_IMAGE_CODE_MAX];
    uint32_t n_tables;
    struct unwind_module code[2 * GDB_IMAGE_CODE_MAX];
    struct unwind_space space;
};

/* All zero has none. */
struct gdb_images {
    struct gdb_image *all;
    size_t n;
    /* How stacks ended (enum unwind_end). */
    uint64_t n_ends[UNWIND_END_STACK_SWITCH + 1];
};

/* Opens files for a machine. On failure returns false and adds the reason to `why`, with
 * the number of the file in `*which`. */
bool gdb_images_open(struct gdb_images *images, const char *const *names, size_t n,
                     enum rsp_machine machine, size_t *which, struct text *why);

/* The image that has an address in its code; or NULL. */
const struct gdb_image *gdb_images_find(const struct gdb_images *images, uint64_t pc);

/* The same for code of the view's thread that may be any program's: what is in memory
 * there is what is in the file. */
const struct gdb_image *gdb_images_find_equal(const struct gdb_images *images,
                                              struct gdb_view *view, uint64_t pc);

/* Walks from these registers on, and stores PCs, the registers' first. Returns how many.
 * Counts how the stack ended, unless the view wants memory. */
uint64_t gdb_image_walk(struct gdb_images *images, const struct gdb_image *image,
                        struct gdb_view *view, const struct unwind_registers *registers,
                        uint64_t *pcs, uint64_t max_pcs);

/* A view's registers, by the numbers that DWARF has for them. */
void gdb_image_registers(enum rsp_machine machine, const struct gdb_registers *from,
                         struct unwind_registers *to);

#endif
