/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines and functions at addresses of a file, from its DWARF: first all addresses are
 * said that will be looked up, and then what is at each of them is read, at once.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINES_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_LINES_H

#include "debug_answers.h"
#include "libfxtprofile/symbols/elf_file.h"

/* All zero is one without addresses. */
struct debug_lines {
    /* The addresses that are wanted; sorted, each once, when they were read. */
    uint64_t *addresses;
    size_t n_addresses;
    size_t capacity;
    struct debug_answers answers;
};

void debug_lines_want(struct debug_lines *lines, uint64_t address);

/* Where to read. */
struct debug_lines_source {
    /* The file, and the one with what it shares with others, or NULL. */
    const char *name;
    const char *shared_name;
    const struct elf *elf;
    /* Read here and not in another process, which starts none, but is for files that are
     * known to be good: what is damaged may crash or stop this process. */
    bool is_trusted;
};

/* Reads what is at the addresses that were wanted so far. Returns false, with the reason
 * added to `why`, if that is not known of all of them. */
bool debug_lines_read(struct debug_lines *lines, const struct debug_lines_source *source,
                      struct text *why);

/* Adds the functions at an address that was read, innermost first; none if nothing is
 * known. If a line is known but no function, that is one without a name. The strings stay
 * until something is read again. */
void debug_lines_find(const struct debug_lines *lines, uint64_t address,
                      struct source_lines *found);

void debug_lines_free(struct debug_lines *lines);

#endif
