/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file as it is loaded into another process: its functions, and its unwind table.
 * All of it is read from the memory of that process, whose file may have been replaced
 * since, and may be anything.
 */
#ifndef FXTHEAP_ATTACH_IMAGE_H
#define FXTHEAP_ATTACH_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/unwind/unwind_table.h"

struct image {
    /* Where its ELF header is, and the addresses in memory minus those in the file. */
    uint64_t header;
    uint64_t bias;
    bool is_64;
    uint16_t machine;
    /* The dynamic symbols, and their names, which end with a zero byte. */
    Elf64_Sym *symbols;
    size_t n_symbols;
    char *names;
    size_t names_size;
    struct unwind_table table;
};

/* Reads what is at `header` in the memory that a file like /proc/PID/mem has; `image` is
 * zeros. Returns false if that is no ELF file. One without symbols or table has none. */
bool image_read(struct image *image, int memory, uint64_t header, bool with_table);

void image_free(struct image *image);

/* Where a function is that the file has for others; an empty range if it has none. */
struct unwind_range image_find(const struct image *image, const char *name);

/* Whether the file has it, or calls that of another one. */
bool image_mentions(const struct image *image, const char *name);

/* All of memory; false if any of it cannot be read. */
bool image_copy(int memory, uint64_t address, void *to, size_t size);

#endif
