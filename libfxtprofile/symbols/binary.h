/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program, library or kernel, and what is known of the functions in it: from the file
 * itself, or from another one that was made of it for debuggers. All addresses are those
 * that the file was linked at.
 */
#ifndef FXTPROFILE_SYMBOLS_BINARY_H
#define FXTPROFILE_SYMBOLS_BINARY_H

#include "debug_info.h"
#include "elf_file.h"
#include "source_line.h"
#include "base/text.h"

struct binary {
    char *name;
    /* In lower-case hex; empty if the file has none. */
    char *build_id;
    struct elf elf;
    /* The file for debuggers, or NULL. It has no such file of its own. */
    struct binary *debug;
    /* Its DWARF, once it was asked for; or NULL. */
    bool asked;
    struct debug_info *info;
};

/* Reads a file. On failure returns NULL and adds the reason to `why`. */
struct binary *binary_open(const char *name, struct text *why);

/* The same of a file that is open, which it closes in any case. */
struct binary *binary_read(const char *name, struct file *file, struct text *why);

/* One without a file and with nothing in it yet. Takes over the name. */
struct binary *binary_make(char *name);

/* Takes over the file for debuggers. */
void binary_take_debug(struct binary *binary, struct binary *debug);

/* Whether symbols or lines might be had from another file. */
bool binary_lacks_debug(const struct binary *binary);

bool binary_has_build_id(const struct binary *binary, const char *build_id, size_t size);

/* The first segment between two addresses, or NULL. */
const struct elf_code *binary_code_in(const struct binary *binary, uint64_t start,
                                      uint64_t limit);

/* The name of the function with the code at an address, or NULL. */
const char *binary_symbol(const struct binary *binary, uint64_t address);

/* The functions at an address, the innermost first: none where no symbol is known. Their
 * strings stay as long as the binary. */
void binary_lines(struct binary *binary, uint64_t address, struct source_lines *lines);

void binary_close(struct binary *binary);

#endif
