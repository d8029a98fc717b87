/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is read from the DWARF of a file, as messages. debug_info.c writes them, in a
 * process that the file may have compromised; debug_answers_take reads them, and
 * therefore trusts nothing in them.
 *
 * A message is a header and a body of the size in it, in this machine's byte order.
 * Strings and functions are numbered 1, 2, 3 in their order, before anything refers to
 * them; 0 is none.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_ANSWERS_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/symbols/source_line.h"
#include "common/base/text.h"

/* ---- Messages ---- */

enum debug_kind {
    /* The bytes of a string, without a terminating NUL. */
    DEBUG_STRING = 1,
    /* A struct debug_answered_function. */
    DEBUG_FUNCTION,
    /* A struct debug_answer: for the first address, the second, and so on. */
    DEBUG_ANSWER,
    /* An enum debug_end; nothing follows. */
    DEBUG_END,
    /* The number of a string: the file in which the functions of a unit are. */
    DEBUG_SPLIT,
};

struct debug_header {
    uint32_t kind;
    uint32_t size;
};

/* Longer messages are refused. */
enum { DEBUG_MESSAGE_MAX = 1 << 20 };

/* The maximum size of a scope: many functions could share a long one, and the names of
 * all would contain it. */
enum { DEBUG_SCOPE_MAX = 2048 };

/* The maximum nesting of functions, blocks and types. */
enum { DEBUG_DEPTH_MAX = 256 };

/* A function, or one that was inlined into its parent. */
struct debug_answered_function {
    uint64_t entry;
    uint32_t parent;
    /* Strings; the scope is a prefix for names from the source. */
    uint32_t name;
    uint32_t scope;
    uint32_t file;
    uint32_t call_file;
    /* The line at which it begins, and that in its parent at which it was called. */
    uint32_t start_line;
    uint32_t call_line;
    /* The name is the one in the source, not a linkage name. */
    uint16_t is_plain;
    /* Set by the reader: how many functions it is nested in, including itself. */
    uint16_t depth;
};

/* A string, a line, and the innermost function. */
struct debug_answer {
    uint32_t file;
    uint32_t line;
    uint32_t function;
};

enum debug_end {
    DEBUG_END_GOOD = 1,
    /* libdw cannot read it. */
    DEBUG_END_UNUSABLE,
    /* The last string of a section does not end. */
    DEBUG_END_UNTERMINATED,
};

/* Takes a part of the messages. Returns false to stop. */
typedef bool debug_take_fn(void *context, const void *bytes, size_t size);

/* ---- Reading them ---- */

/* All zero, but for the limits, is before the first message. */
struct debug_answers {
    /* How many answers and how many bytes there may be. */
    size_t max_answers;
    uint64_t max_bytes;

    struct text strings;
    /* Where in `strings` each string starts; all are terminated. */
    size_t *starts;
    size_t n_strings;
    size_t string_capacity;
    struct debug_answered_function *functions;
    size_t n_functions;
    size_t function_capacity;
    struct debug_answer *answers;
    size_t n_answers;
    size_t answer_capacity;

    /* How many units have their functions in other files, and the first one's. */
    uint32_t n_split;
    uint32_t split_file;
    uint64_t n_bytes;
    /* A message of which only a part has come. */
    struct text rest;
    /* An enum debug_end; 0 before the end. */
    uint32_t end;
    /* A message was invalid: it and all after it are lost. */
    bool is_faulty;
};

/* A debug_take_fn. */
bool debug_answers_take(void *answers, const void *bytes, size_t size);

/* Adds the functions of an answer, innermost first. If a line is known but no function,
 * that is one without a name. */
void debug_answers_get(const struct debug_answers *answers, size_t number,
                       struct source_lines *lines);

/* The file in which the functions of the first such unit are; NULL if there is none. */
const char *debug_answers_split(const struct debug_answers *answers);

void debug_answers_free(struct debug_answers *answers);

#endif
