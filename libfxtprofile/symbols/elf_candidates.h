/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of an ELF file's tables that may name code, and which of several at one
 * address does.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_CANDIDATES_H
#define FXTPROFILE_SYMBOLS_ELF_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"

/* What part of `name` to use. */
enum candidate_kind {
    CANDIDATE_WHOLE,
    /* Up to the @ of the version that a static linker appends: read@@GLIBC_2.2.5. */
    CANDIDATE_VERSIONED,
    /* A PLT stub, which has the name of its target with @plt. */
    CANDIDATE_STUB,
    /* A PLT stub for what the function at `resolver` returns. */
    CANDIDATE_RESOLVED_STUB,
};

/* An entry of a symbol table. */
struct candidate {
    uint64_t start;
    /* Its end; if it has no size, the limit of it. */
    uint64_t limit;
    bool is_sized;
    enum candidate_kind kind;
    /* Of several at one address, the lowest is chosen. */
    uint32_t rank;
    uint32_t place;
    const char *name;
    /* The source file of a local symbol, or NULL. */
    const char *source;
    uint64_t resolver;
};

struct candidates {
    struct candidate *items;
    size_t n;
    size_t capacity;
};

/* The rank of a PLT stub: after functions that have a size. */
enum { CANDIDATE_RANK_STUB = 1 << 10 };

/* Adds the symbols of the file's first table of a type, SHT_SYMTAB or SHT_DYNSYM: a
 * linker makes no second one, and a forger could make thousands over the same bytes.
 * Returns false if there is none. Sets `names` to the memory of the names, which is the
 * caller's, and `names_size` to its size; or to NULL if the table cannot be read. */
bool candidates_read(struct candidates *candidates, const struct elf_headers *headers,
                     const struct elf_image *image, uint32_t type, unsigned char **names,
                     uint64_t *names_size);

void candidates_add(struct candidates *candidates, struct candidate candidate);

/* Sorts by address and keeps the best of those at one address. */
void candidates_choose(struct candidates *candidates);

/* The candidate that starts at an address, once they are sorted; or NULL. */
const struct candidate *candidates_at(const struct candidates *candidates,
                                      uint64_t address);

/* Whether other files may use the symbol in its default version; and whether not even
 * other parts of the file could. */
bool candidate_is_public(const struct candidate *candidate);
bool candidate_is_local(const struct candidate *candidate);

/* The size of a candidate's name, without a version; of a very long name, that of a part
 * of it. */
size_t candidate_name_size(const struct candidate *candidate);

#endif
