/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an ELF file is loaded: its segments with code; and its build id. All addresses are
 * those that the file was linked at.
 */
#ifndef BASE_ELF_ELF_IMAGE_H
#define BASE_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_headers.h"

/* A segment with code: the addresses from `vaddr` up to `limit`, from `offset` in the
 * file on. */
struct elf_code {
    uint64_t vaddr;
    uint64_t limit;
    uint64_t offset;
};

/* Far more than any file has. */
enum { ELF_BUILD_ID_MAX = 64, ELF_CODE_MAX = 64 };

struct elf_image {
    /* The start of the page that the file's lowest segment is loaded to. */
    uint64_t lowest;
    /* In the order of the file, at least one. */
    struct elf_code code[ELF_CODE_MAX];
    size_t n_code;
    unsigned char build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
};

/* Reads the segments and the build id of a program, a library or a kernel. On failure
 * returns false and adds the reason to `why`. */
bool elf_image_read(struct elf_image *image, const struct elf_headers *headers,
                    struct text *why);

/* Whether a file, an ELF file of any type, has this build id. */
bool elf_has_build_id(struct file *file, const unsigned char *build_id, size_t size);

/* The segment that has an address, or NULL. */
const struct elf_code *elf_image_find_code(const struct elf_image *image,
                                           uint64_t address);

#endif
