/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a Linux kernel whose machine a debug stub has stopped. */
#ifndef FXTRECORD_DEBUGGER_GDB_KERNEL_H
#define FXTRECORD_DEBUGGER_GDB_KERNEL_H

#include "common/base/kernel_symbols.h"
#include "gdb_client.h"
#include "gdb_image.h"
#include "tools/fxtrecord/debugger/guest/guest_end.h"
#include "tools/fxtrecord/debugger/guest/guest_kernel.h"

/* All zero knows nothing of the kernel. */
struct gdb_kernel {
    struct guest_kernel guest;
    /* How often it was looked for where it might have been, and why it was not found;
     * NULL until then. */
    int n_attempts;
    const char *why;
    /* How long its tables took to be read. */
    uint64_t read_ns;
    /* A PC was in no known code: the modules are to be read again, some captures later.
     */
    bool is_outdated;
    /* Files that the user gave. */
    struct gdb_images images;
    /* How stacks ended. */
    uint64_t n_ends[GUEST_ENDS];
    /* Of those that were walked by frame pointers, how many there were, and how many of
     * them have but one frame. */
    uint64_t n_walked;
    uint64_t n_single;
};

/* Whether it is worth looking for the kernel. */
bool gdb_kernel_is_wanted(const struct gdb_kernel *kernel,
                          const struct gdb_client *client);

/* Reads the kernel's tables, by means of the selected thread; its functions go to
 * `symbols`. */
enum rsp_code gdb_kernel_read(struct gdb_kernel *kernel, struct gdb_client *client,
                              uint64_t pc, struct kernel_symbols *symbols);

/* Reads the modules again, and adds their functions to `symbols`, unless that is NULL. */
enum rsp_code gdb_kernel_update(struct gdb_kernel *kernel, struct gdb_client *client,
                                struct kernel_symbols *symbols);

/* As gdb_walk, which does it on aarch64, and where neither the kernel is known nor a file
 * has the code.
 * The user's part of a stack that is in both the kernel and a user's program, or in that
 * only, is the PC, and the rest if a file has it. Counts how the stack ended, unless the
 * view wants memory. */
uint64_t gdb_kernel_walk(struct gdb_kernel *kernel, const struct gdb_client *client,
                         struct gdb_view *view, uint64_t *pcs, uint64_t max_pcs);

/* Reports what is known of the kernel; and at the end, which stacks are not whole, and
 * why. */
void gdb_kernel_describe(const struct gdb_kernel *kernel, const char *target);
void gdb_kernel_report(const struct gdb_kernel *kernel, const char *target);

#endif
