/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines and functions at addresses of a file, from its DWARF: first all addresses to look
 * up are announced, and then what is at each of them is read, in one pass.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINES_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINES_H

#include "debug_answers.h"
#include "libfxtprofile/symbols/elf_file.h"

/* All zero is one without addresses. */
struct debug_lines {
    /* The announced addresses; sorted and distinct once they were read. */
    uint64_t *addresses;
    size_t n_addresses;
    size_t capacity;
    struct debug_answers answers;
};

void debug_lines_want(struct debug_lines *lines, uint64_t address);

/* Reads what is at the addresses announced so far in a file, and in the one with its
 * shared DWARF (.gnu_debugaltlink), or NULL. Returns false, with the reason added to
 * `why`, if some could not be read. */
bool debug_lines_read(struct debug_lines *lines, const struct elf *elf, const char *name,
                      const char *shared_name, struct text *why);

/* Adds the functions at an address that was read, innermost first; none if nothing is
 * known. If a line is known but no function, that is one without a name. The strings are
 * valid until something is read again. */
void debug_lines_find(const struct debug_lines *lines, uint64_t address,
                      struct source_lines *found);

void debug_lines_free(struct debug_lines *lines);

#endif
