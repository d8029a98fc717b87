/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses and build ids of the running kernel and its modules. */
#ifndef PROCESSES_KERNEL_MODULES_H
#define PROCESSES_KERNEL_MODULES_H

#include "mapped_files.h"

struct kernel_module {
    /* Name and build id. */
    struct mapped_file file;
    uint64_t start;
    uint64_t length;
};

/* All zero is none, which is what users without permission to see addresses get. */
struct kernel_modules {
    struct kernel_module *all;
    size_t n;
    size_t capacity;
};

/* Reads /proc and /sys below the directory `root`: "" for those of the system. */
void kernel_modules_read(struct kernel_modules *kernel, const char *root);

/* Adds a part of another machine's kernel, whose build id is not known. */
struct kernel_module *kernel_modules_add(struct kernel_modules *kernel, const char *name,
                                         uint64_t start, uint64_t length);

#endif
