/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a file where its symbols leave them open: where they begin, by the
 * unwind tables, which a stripped file still has; and for code without tables, such as
 * assembly, by symbols, calls and pointers, and a kernel's by ORC.
 *
 * Some have names all the same: those of Go; where the program starts, _start, and main,
 * which that passes to the C library; and the code of .init and .fini.
 *
 * A function without a table that calls or pointers lead to ends where the next begins.
 * Others end where they go on elsewhere for the first time: what follows could be of
 * another one, and counts as such, without a name.
 *
 * Parts of functions that are elsewhere (GCC's .cold) belong to the function that jumps
 * to them, if it is one.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_FUNCTIONS_H
#define FXTPROFILE_SYMBOLS_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_image.h"
#include "common/unwind/unwind_function_list.h"
#include "libfxtprofile/symbols/elf_symbols.h"

/* All zero is one without functions. */
struct elf_functions {
    struct unwind_function_list list;
    /* By their numbers, where the function begins that a part belongs to, which is its
     * own start for what is no part. */
    uint64_t *owners;
};

/* Addresses of which the functions are looked for, ascending, and the symbols that do not
 * have them. */
struct elf_wanted {
    const uint64_t *addresses;
    size_t n;
    const struct elf_symbols *symbols;
    /* All functions have symbols: of code without tables these know more than calls. */
    bool have_symbols;
};

/*
 * Reads a file's functions into an empty list: all, or only those wanted, if there is an
 * index to search for them. Where an address is wanted that is in none of them, and not
 * in padding, the code near it is read for calls and all data for pointers, and what
 * these lead to and what is left between them and symbols are functions, too, on machines
 * whose calls are known. To which function a part belongs is found if an address in a
 * part is wanted.
 */
void elf_functions_read(struct elf_functions *functions, struct file *file,
                        const struct elf_image *image, const struct elf_wanted *wanted);

/* The function that has an address. */
struct elf_function {
    uint64_t start;
    /* NULL where it is not known. */
    const char *name;
};

/* Returns false if none is known. */
bool elf_functions_find(const struct elf_functions *functions, uint64_t address,
                        struct elf_function *found);

void elf_functions_free(struct elf_functions *functions);

#endif
