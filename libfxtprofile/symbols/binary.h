/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program, library or kernel, and its functions: from the file itself, or from a
 * separate debug file. All addresses are link-time addresses.
 */
#ifndef FXTPROFILE_SYMBOLS_BINARY_H
#define FXTPROFILE_SYMBOLS_BINARY_H

#include "libfxtprofile/symbols/dwarf/debug_lines.h"
#include "elf_file.h"
#include "libfxtprofile/symbols/functions/elf_functions.h"
#include "source_line.h"
#include "common/base/text.h"

struct binary {
    char *name;
    /* In lower-case hex; empty if the file has none. */
    char *build_id;
    struct elf elf;
    /* The separate debug file, or NULL. That file has none itself. */
    struct binary *debug;
    /* What was read of its DWARF. */
    struct debug_lines lines;
    /* The functions that have no symbol, if there was an address of one; and the
     * addresses that were announced. */
    struct elf_functions functions;
    uint64_t *unnamed;
    size_t n_unnamed;
    size_t unnamed_capacity;
    bool wants_functions;
};

/* Reads a file. On failure returns NULL and adds the reason to `why`. */
struct binary *binary_open(const char *name, struct text *why);

/* The same for an open file, which it closes in any case. */
struct binary *binary_read(const char *name, struct file *file, struct text *why);

/* A binary without a file, which is empty at first. Takes ownership of the name. */
struct binary *binary_make(char *name);

/* Sets the separate debug file, and takes ownership of it. */
void binary_take_debug(struct binary *binary, struct binary *debug);

/* Whether all its functions have names: it is not stripped, or has a debug file. */
bool binary_has_full_table(const struct binary *binary);

/* Whether a separate debug file could add symbols or lines. */
bool binary_lacks_debug(const struct binary *binary);

/* The first segment between two addresses, or NULL. */
const struct elf_code *binary_code_in(const struct binary *binary, uint64_t start,
                                      uint64_t limit);

/* The name of the function that contains an address, or NULL. */
const char *binary_symbol(struct binary *binary, uint64_t address);

/* Announces an address for which binary_lines or binary_function will be called. */
void binary_want(struct binary *binary, uint64_t address);

/* Reads the functions that have no symbols, if an address was announced that has none:
 * from the file, if it is still the one that was opened. */
void binary_read_functions(struct binary *binary);

/* Where the function without a symbol begins that has an address; false if that is not
 * known. */
bool binary_function(const struct binary *binary, uint64_t address, uint64_t *start);

/* Reads the DWARF at all addresses announced so far; see debug_lines.h. On failure, with
 * the reason in `why`, some addresses have symbols only. */
bool binary_read_lines(struct binary *binary, const char *shared_name, struct text *why);

/* The functions at an address, the innermost first: none where no symbol is known. An
 * address that was not announced has its symbol only. The strings are valid until lines
 * are read again or the binary is freed. */
void binary_lines(struct binary *binary, uint64_t address, struct source_lines *lines);

bool binary_wants_lines(const struct binary *binary);

/* The file that the lines are read from: the binary's own or the separate debug file. */
const struct binary *binary_of_lines(const struct binary *binary);

void binary_close(struct binary *binary);

#endif
