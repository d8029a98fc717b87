/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a page that samples refer to: strings, functions, frames and the tree of
 * all stacks. Two profiles that are compared share them.
 *
 * Functions have one name in one file of code. A frame is a line of a function.
 */
#ifndef FXTPROFILE_OUTPUT_HTML_TABLES_H
#define FXTPROFILE_OUTPUT_HTML_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "libfxtprofile/output/timeline/stack_tree.h"
#include "libfxtprofile/profile/profile.h"

/* What the page has to know of a function, as bits. */
enum html_function_kind {
    HTML_KERNEL = 1,
    /* The name is made from the address. */
    HTML_UNNAMED = 2,
    /* No function, but why a stack is not whole. */
    HTML_CUT = 4,
    HTML_JIT = 8
};

struct html_function {
    /* Numbers in `strings`. */
    uint32_t name;
    uint32_t module;
    uint32_t kind;
    uint32_t file;
    uint32_t line;
};

struct html_frame {
    uint32_t function;
    /* The source file, a number in `strings`, and the line there; "" and 0 where they are
     * not known. */
    uint32_t file;
    uint32_t line;
    bool is_inlined;
};

/* All zero is empty. */
struct html_tables {
    struct string_table strings;
    struct html_function *functions;
    size_t n_functions;
    size_t function_capacity;
    struct table function_table;
    struct html_frame *frames;
    size_t n_frames;
    size_t frame_capacity;
    struct table frame_table;
    struct stack_tree tree;
};

/* Adds all stacks of a profile that samples have. Returns the nodes of their innermost
 * frames by the stacks' numbers, as stack_tree_add does. */
uint32_t *html_tables_add(struct html_tables *tables, const struct profile *profile);

/* The number of a string, whose form is that of text. */
uint32_t html_tables_string(struct html_tables *tables, struct string string);

#endif
