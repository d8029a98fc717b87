/* SPDX-License-Identifier: BSD-2-Clause */
/* The arrays of a table while it is being made, and the rules in them. */
#ifndef FXTUNWIND_UNWIND_ROWS_H
#define FXTUNWIND_UNWIND_ROWS_H

#include "unwind_cfi.h"
#include "unwind_rule.h"

/* An array that grows. */
struct unwind_buffer {
    const struct unwind_allocator *allocator;
    unsigned char *bytes;
    size_t size;
    size_t capacity;
    /* There was no memory. */
    bool failed;
};

/* Room for `size` more bytes, which are then used; NULL if there is no memory. */
void *unwind_buffer_add(struct unwind_buffer *buffer, size_t size);
void unwind_buffer_free(struct unwind_buffer *buffer);

void unwind_copy_bytes(unsigned char *to, const unsigned char *from, size_t size);

struct unwind_builder {
    uint32_t machine;
    /* What offsets are from. */
    uint64_t base;
    struct unwind_buffer rows;
    struct unwind_buffer odd;
    struct unwind_buffer expressions;
    struct unwind_buffer saved;
    /* There are rules that need the register of table->saved. */
    bool needs_saved;
    /* Of the section that is being read, and of the function. */
    const struct unwind_bytes *section;
    const struct cfi_cie *cie;
    /* Where the next function begins, up to which the rows of this one count. */
    uint64_t limit;
};

/* Both append a row, unless it says the same as the last one. */
void builder_add_rule(struct unwind_builder *b, uint64_t address, uint32_t rule);
void builder_add_saved(struct unwind_builder *b, uint64_t address, uint32_t rule);

/* The rule for a state. */
uint32_t builder_encode(struct unwind_builder *b, const struct cfi_state *state);

/* The rule for a row of table->saved. */
uint32_t builder_encode_saved(const struct cfi_state *state);

#endif
