/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of an ELF file of either class and byte order, in one form.
 *
 * Nothing in the file is trusted: a number from it is checked against the file's size
 * before it decides what is read or allocated.
 */
#ifndef BASE_ELF_ELF_HEADERS_H
#define BASE_ELF_ELF_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/io/file.h"

struct elf_headers {
    struct file *file;
    bool is_64;
    /* Its byte order is not this machine's. */
    bool swapped;
    /* ET_EXEC and so on, EM_X86_64 and so on. */
    uint16_t type;
    uint16_t machine;
    uint64_t segments_offset;
    uint64_t n_segments;
    uint64_t segment_header_size;
    uint64_t sections_offset;
    uint64_t n_sections;
    uint64_t section_header_size;
    /* The section with the sections' names. */
    uint64_t names_section;
    /* The file says that there are section headers, but does not have them all. */
    bool lacks_sections;
};

/* A program header. */
struct elf_segment {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t vaddr;
    uint64_t file_size;
    uint64_t memory_size;
    uint64_t align;
};

struct elf_section {
    /* Where its name begins in the section of names. */
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint32_t info;
    uint64_t align;
};

/* An entry of a symbol table. */
struct elf_entry {
    uint32_t name;
    uint8_t type;
    uint8_t binding;
    uint16_t section;
    uint64_t value;
    uint64_t size;
};

/* Reads the file header. On failure returns false and adds the reason to `why`. */
bool elf_headers_read(struct elf_headers *headers, struct file *file, struct text *why);

/* Where the program starts, of a file of 64 bits in this machine's byte order; else 0. */
uint64_t elf_entry_point(const struct elf_headers *headers);

/* These return false if there is no such thing within the file. */
bool elf_segment_read(const struct elf_headers *headers, uint64_t index,
                      struct elf_segment *segment);
bool elf_section_read(const struct elf_headers *headers, uint64_t index,
                      struct elf_section *section);

/* Finds the loaded segment that has an address in the file; returns false if there is
 * none. */
bool elf_segment_at(const struct elf_headers *headers, uint64_t address,
                    struct elf_segment *segment);

/* Finds a section by its name; returns false if there is none. */
bool elf_section_find(const struct elf_headers *headers, const char *name,
                      struct elf_section *section);

/* Whether the file has `size` bytes at `offset`, and not more than memory can have: a
 * file of over 4 GB can also be read where addresses have 32 bits. */
bool elf_has_bytes(const struct elf_headers *headers, uint64_t offset, uint64_t size);

/* Reads `size` bytes at `offset` into memory that is the caller's to free, with a zero
 * byte after them; NULL if it does not have them. */
unsigned char *elf_bytes_read(const struct elf_headers *headers, uint64_t offset,
                              uint64_t size);

/* The size of an entry of a symbol table, and the entry at `bytes`. */
uint64_t elf_entry_size(const struct elf_headers *headers);
struct elf_entry elf_entry_get(const struct elf_headers *headers,
                               const unsigned char *bytes);

/* A relocation. */
struct elf_relocation {
    uint64_t offset;
    uint32_t symbol;
    uint32_t type;
    uint64_t addend;
};

/* The size of an entry of a section of relocations, with addends or without; and the
 * entry at `bytes`, whose addend is 0 if it has none. */
uint64_t elf_relocation_size(const struct elf_headers *headers, bool has_addend);
struct elf_relocation elf_relocation_get(const struct elf_headers *headers,
                                         bool has_addend, const unsigned char *bytes);

/* The address that is stored at another one when the file is loaded, where the file has 0
 * instead, by a section .rela or .rela.dyn; 0 if none is. */
uint64_t elf_relocated_word(const struct elf_headers *headers, uint64_t address);

/* Numbers of four and of two bytes in the file's byte order. */
uint32_t elf_word_get(const struct elf_headers *headers, const unsigned char *bytes);
uint16_t elf_half_get(const struct elf_headers *headers, const unsigned char *bytes);

#endif
