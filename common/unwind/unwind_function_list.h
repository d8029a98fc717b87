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
#include "unwind_functions.h"
#include "unwind_parts.h"

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

/* A section of which only those pieces are read that are looked at. */
struct unwind_pieces {
    struct unwind_loader loader;
    struct file *file;
    uint64_t offset;
    uint64_t size;
    unsigned char *bytes;
    /* By their numbers: which have been read. */
    bool *have;
    bool have_all;
};

/* For functions at some addresses only, of a file that has an index to search for them.
 */
struct unwind_function_index {
    struct unwind_parts parts;
    struct unwind_input in;
    struct unwind_pieces eh_frame;
    struct unwind_pieces header;
};

/* The index stays in place until it is closed, also where it could not be read: then no
 * function is found. */
void unwind_function_index_open(struct unwind_function_index *index, struct file *file);

/* Reads the functions at addresses, and those that follow them, into an empty list. */
void unwind_function_index_read(struct unwind_function_index *index,
                                const uint64_t *addresses, size_t n,
                                struct unwind_function_list *list);
void unwind_function_index_close(struct unwind_function_index *index);

/* The number of the function that has an address; how many there are if none has it. */
size_t unwind_function_list_find(const struct unwind_function_list *list,
                                 uint64_t address);

void unwind_function_list_free(struct unwind_function_list *list);

#endif
