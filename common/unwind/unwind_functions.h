/* SPDX-License-Identifier: BSD-2-Clause */
/* All functions of a module that have an FDE or are in .gopclntab, in order. */
#ifndef FXTUNWIND_UNWIND_FUNCTIONS_H
#define FXTUNWIND_UNWIND_FUNCTIONS_H

#include "unwind_go.h"
#include "unwind_rows.h"

struct unwind_function {
    uint64_t start;
    /* Of its FDE in its section; the top bit is set for .debug_frame. Or its index in
     * .gopclntab, and the bit below. */
    uint64_t position;
};

#define FUNCTION_IN_DEBUG_FRAME (UINT64_C(1) << 63)
#define FUNCTION_IN_GO (UINT64_C(1) << 62)

/* Whether its position is an index in .gopclntab. */
static inline bool unwind_function_is_go(const struct unwind_function *function)
{
    return (function->position & (FUNCTION_IN_GO | FUNCTION_IN_DEBUG_FRAME)) ==
           FUNCTION_IN_GO;
}

/* What is being read. */
struct unwind_input {
    const struct unwind_source *source;
    /* NULL if all bytes of the header are there. */
    struct unwind_loader *header_loader;
    struct cfi_section eh_frame;
    struct cfi_section debug_frame;
    struct go_table go;
    /* Of each section. */
    struct cfi_cies eh_cies;
    struct cfi_cies debug_cies;
    /* struct unwind_function. */
    struct unwind_buffer functions;
    uint32_t n_refused;
};

void input_init(struct unwind_input *in, const struct unwind_source *source,
                const struct unwind_allocator *allocator);

/* Finds all functions, and puts them in order. Fails if there is no memory, or if the
 * header is damaged. */
enum unwind_code input_find_functions(struct unwind_input *in);

/* The same of the functions of .eh_frame at some addresses, and of those that follow
 * them, by the index of .eh_frame_hdr, which is trusted to be sorted. None are found if
 * there is no index, or if functions are in other sections, too. */
enum unwind_code input_find_functions_at(struct unwind_input *in,
                                         const uint64_t *addresses, size_t n);

/* What was found: no two have the same start. */
static inline const struct unwind_function *input_functions(const struct unwind_input *in)
{
    return (const struct unwind_function *)(const void *)in->functions.bytes;
}

static inline size_t input_n_functions(const struct unwind_input *in)
{
    return in->functions.size / sizeof(struct unwind_function);
}

/* Reads the FDE of a function that was found. */
bool input_read_function(struct unwind_input *in, const struct unwind_function *function,
                         struct cfi_fde *fde);

struct cfi_section *input_section(struct unwind_input *in,
                                  const struct unwind_function *function);

#endif
