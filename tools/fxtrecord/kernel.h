/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the running kernel and its modules are, and their build ids. */
#ifndef FXTRECORD_KERNEL_H
#define FXTRECORD_KERNEL_H

#include "tools/common/images.h"

struct kernel_part {
    /* Name and build id. */
    struct image image;
    uint64_t start;
    uint64_t length;
};

/* All zero is none, as for those who may not look. */
struct kernel {
    struct kernel_part *parts;
    size_t n;
    size_t capacity;
};

/* From /proc and /sys, which stand in the directory `root`: "" for those of the system.
 */
void kernel_read(struct kernel *kernel, const char *root);
void kernel_free(struct kernel *kernel);

#endif
