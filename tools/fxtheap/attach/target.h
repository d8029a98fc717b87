/* SPDX-License-Identifier: BSD-2-Clause */
/* The process to be attached to: what is mapped in it, and where its functions are. */
#ifndef FXTHEAP_ATTACH_TARGET_H
#define FXTHEAP_ATTACH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "image.h"
#include "common/unwind/unwind_space.h"

/* A line of /proc/PID/maps. */
struct target_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t offset;
    bool is_readable;
    bool is_writable;
    bool is_executable;
    /* The index of its file in `files`; SIZE_MAX for none. */
    size_t file;
};

struct target_file {
    char *path;
    struct image image;
};

struct target {
    pid_t process;
    /* /proc/PID/mem */
    int memory;
    struct target_mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
    /* Files that have code, with the vdso. */
    struct target_file *files;
    size_t n_files;
    size_t file_capacity;
    struct unwind_module *modules;
    struct unwind_space space;
    /* NULL for none: the C library, the dynamic loader, libfxtheap, and the module that
     * has malloc if it is not the C library. */
    const struct target_file *libc;
    const struct target_file *loader;
    const struct target_file *heap;
    const struct target_file *allocator;
};

/* Returns false, with the reason in errno, if there is no such process or it may not be
 * read. `target` is zeros. */
bool target_open(struct target *target, pid_t process);

/* After something was loaded: the same again, without tables for walks, which take the
 * longest. */
bool target_reopen(struct target *target);

void target_close(struct target *target);

/* What is mapped at an address; NULL if nothing is. */
const struct target_mapping *target_mapping_at(const struct target *target,
                                               uint64_t address);

/* The file whose code is at an address; NULL if there is none. */
const struct target_file *target_code_at(const struct target *target, uint64_t address);

/* The address of the first code of a file that has these bytes; 0 if there is none. */
uint64_t target_find_bytes(const struct target *target, const struct target_file *file,
                           const void *bytes, size_t size);

/* The last part of a path. */
const char *target_name(const struct target_file *file);

#endif
