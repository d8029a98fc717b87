/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ids of stacks and frames: hashes of what is in their rows, so that they are equal
 * on every machine and in every run. docs/schema.md says of which bytes, and a test
 * computes them again.
 */
#ifndef TOOLS_TABLES_STACK_IDS_H
#define TOOLS_TABLES_STACK_IDS_H

#include <fxt/profile.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "sink.h"

struct hash {
    union {
        unsigned char bytes[HASH_BYTES];
        uint64_t words[2];
    };
};

/* A row: of frames, `of` is the line, and of stacks the stack, in the profile. */
struct hashed_row {
    struct hash hash;
    uint32_t of;
    /* Of a frame, its location. */
    uint32_t location;
};

/* Different rows in the order in which they were found. */
struct hashed_rows {
    struct hashed_row *rows;
    size_t n;
    size_t capacity;
    struct table table;
};

struct stack_ids {
    const struct fxt_profile *profile;
    struct hashed_rows frames;
    struct hashed_rows stacks;
    /* By the lines and stacks of the profile, the numbers of their rows; UINT32_MAX for
     * those that no sample has. */
    uint32_t *of_lines;
    uint32_t *of_stacks;
    /* The stack whose frames are listed. */
    struct hash *list;
    size_t list_capacity;
};

/* What a frame's row says; strings are as in the profile. */
struct frame_fields {
    struct fxt_string name;
    struct fxt_string module;
    struct fxt_string build_id;
    struct fxt_string source_file;
    uint32_t line_number;
    bool is_inlined;
};

void stack_ids_make(struct stack_ids *ids, const struct fxt_profile *profile);

void stack_ids_get_frame(const struct stack_ids *ids, const struct hashed_row *row,
                         struct frame_fields *fields);

/* The frames of a stack of the profile, innermost first; valid until the next call. */
const struct hash *stack_ids_list(struct stack_ids *ids, uint32_t stack,
                                  size_t *n_frames);

/* The word for how a stack ended; NULL if that is not known. */
const char *stack_ids_ending(uint32_t end);

/* The end of that word: one that no version knows where it is another. */
uint32_t stack_ids_end(struct string ending);

#endif
