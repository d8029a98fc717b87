/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where functions begin that an ELF file names by other means than symbols: its entry
 * point, main, what runs before and after that (.init and .fini, .init_array and
 * .fini_array), and what chooses between implementations (IFUNC); or that a kernel's ORC
 * has. And where such functions end, and where a file's data points to.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_STARTS_H
#define FXTPROFILE_SYMBOLS_ELF_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"

/* Where main is, by the code at a program's entry point, which passes it to the C
 * library. */
struct elf_main {
    /* Its address; or that of the word which has its address once the program is loaded.
     * 0 if it is not known. */
    uint64_t address;
    bool is_in_word;
};

/* Of glibc's code for x86-64, AArch64 and RISC-V of 64 bits in this machine's byte
 * order. */
struct elf_main elf_main_find(const struct elf_headers *headers);

struct elf_start {
    uint64_t start;
    /* Where it ends at the latest; 0 if that is not known. */
    uint64_t limit;
    /* "_start", "main", "_init" or "_fini"; NULL for others. */
    const char *name;
};

/* All zero is none. */
struct elf_starts {
    struct elf_start *items;
    size_t n;
    size_t capacity;
};

/* A word of data that is the address of code. */
struct elf_pointer {
    uint64_t address;
    uint64_t target;
};

/* All zero is none. */
struct elf_pointers {
    struct elf_pointer *items;
    size_t n;
    size_t capacity;
};

/* Finds them, or only those with a name, for which relocations are seldom read; in the
 * order of their addresses, no two at one. Some may be of no code: nothing is checked. */
void elf_starts_read(struct elf_starts *starts, const struct elf_headers *headers,
                     bool named_only);

/* Finds the pointers to `gaps` in writable data, as tables of functions are: in the file,
 * or set by the loader. In the order of their addresses, no two at one. */
void elf_pointers_read(struct elf_pointers *pointers, const struct elf_headers *headers,
                       const struct elf_starts *gaps);

void elf_starts_add(struct elf_starts *starts, struct elf_start start);

/* Of starts that are sorted and have limits, the one that has an address; or NULL. */
const struct elf_start *elf_starts_find(const struct elf_starts *starts,
                                        uint64_t address);

/* Sorts them by their addresses, and keeps one for each: with a name, if one has it. */
void elf_starts_sort(struct elf_starts *starts);

void elf_starts_free(struct elf_starts *starts);

/* The end of what is surely of the function at a start, at most that of its segment: its
 * limit, if it has one. That of no code ends where it begins. */
uint64_t elf_end_find(const struct elf_start *start, const struct elf_headers *headers,
                      const struct elf_image *image);

/* Adds the starts that ORC has in gaps, which end where these do, in the order of the
 * table. */
void elf_orc_find_starts(const struct elf_headers *headers, const struct elf_starts *gaps,
                         struct elf_starts *starts);

#endif
