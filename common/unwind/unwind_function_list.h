/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the functions of an ELF file begin and end, by its unwind tables, which stripping
 * leaves. Addresses are those that the file was linked at. Memory comes from
 * common/base/memory.h, so that a memory_run must surround the calls.
 */
#ifndef FXTUNWIND_UNWIND_FUNCTION_LIST_H
#define FXTUNWIND_UNWIND_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/file.h"

#define UNWIND_LIST_NO_NAME UINT32_MAX

struct unwind_listed {
    uint64_t start;
    /* Above `start`, and not above the start of the next function. */
    uint64_t limit;
    /* Where its name begins in `names`: those of Go are in .gopclntab. */
    uint32_t name;
    /* It does not begin as a call leaves the registers: it is a part of a function, which
     * a compiler has put elsewhere because it is rarely executed. */
    bool is_part;
};

/* All zero is an empty one. */
struct unwind_function_list {
    /* Sorted by address, and without overlap. */
    struct unwind_listed *items;
    size_t n;
    size_t capacity;
    /* Terminated, one after the other. */
    struct text names;
};

/* Reads the functions of a file into an empty list. A file without tables, one that is
 * damaged, and one for a machine that is not known have none. */
void unwind_function_list_read(struct unwind_function_list *list, struct file *file);

/* The same of the functions at some addresses, and of those that follow them, where the
 * file has an index to search for them; else the list stays empty. */
void unwind_function_list_read_at(struct unwind_function_list *list, struct file *file,
                                  const uint64_t *addresses, size_t n);

void unwind_function_list_free(struct unwind_function_list *list);

#endif
