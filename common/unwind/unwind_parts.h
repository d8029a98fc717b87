/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an ELF file has of unwind tables: .eh_frame, by its section or by its program
 * header; .debug_frame, which may be compressed, or in .gnu_debugdata; and .gopclntab.
 */
#ifndef FXTUNWIND_UNWIND_PARTS_H
#define FXTUNWIND_UNWIND_PARTS_H

#include "common/elf/elf_headers.h"
#include "unwind_table.h"

struct unwind_parts {
    struct elf_headers headers;
    struct unwind_source source;
    /* What `source` points to. */
    unsigned char *eh_frame;
    unsigned char *debug_frame;
    unsigned char *go;
    bool is_compression_bad;
    /* Set before they are read: a section .eh_frame is left out. */
    bool leaves_eh_frame;
};

/* Reads the parts, which are all zero before but for that. On failure adds a message to
 * `why`; the parts are to be freed in any case. */
enum unwind_code unwind_parts_read(struct unwind_parts *parts, struct file *file,
                                   struct text *why);

void unwind_parts_free(struct unwind_parts *parts);

/* Reads the content of a section: as it is, or inflated, if it is compressed by zlib,
 * marked by SHF_COMPRESSED or by the magic of older .zdebug sections. The memory is the
 * caller's. NULL if it is damaged, or compressed by another method. */
unsigned char *unwind_section_read(const struct elf_headers *headers,
                                   const struct elf_section *section, uint64_t *size);

#endif
