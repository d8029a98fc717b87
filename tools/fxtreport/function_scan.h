/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a function's name from left to right, once, and finds its brackets and
 * separators: a part of function_parts.h. */
#ifndef FXTREPORT_FUNCTION_SCAN_H
#define FXTREPORT_FUNCTION_SCAN_H

#include <stdbool.h>
#include <string.h>

#include "common/base/string_table.h"

/* Whether a byte is one of a word, as all of characters above ASCII are. */
static inline bool function_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

enum function_cut_kind {
    /* What only tells apart what is inside: "(int)" in "run(int)::{lambda(int)#1}", and
     * the second one there; "::operator()(int) const" after a lambda; "[abi:cxx11]". */
    CUT_INNER,
    /* "(int, char) const" */
    CUT_ARGUMENTS,
    /* "<int>", "[int]" of Go, "!(int)" of D. */
    CUT_TEMPLATE,
    /* Where a type or a file is: "core::ops::" in "<T as core::ops::Drop>". */
    CUT_PATH
};

/* From `start` up to, but not including, `end`. */
struct function_cut {
    size_t start;
    size_t end;
    enum function_cut_kind kind;
    /* How much of it is left out: nothing, 0; for the reader's use. */
    unsigned level;
};

struct function_parts {
    /* Ascending, without overlap. */
    struct function_cut *cuts;
    size_t n_cuts;
    size_t cut_capacity;
    /* Where the name begins after each separator ("::", ".", "/") between namespaces and
     * types; ascending. */
    size_t *scopes;
    size_t n_scopes;
    size_t scope_capacity;
    /* Where the name begins, after what the function returns: "void ". */
    size_t name;
    /* Where the function's own name begins, with the function that a lambda or a closure
     * is in, and the class whose "operator()" it is: "run" in
     * "Sorter::run(int)::{lambda(int)#1}". */
    size_t own;
    /* It is the name of code, not of a function: nothing in it is left out. */
    bool is_code;
    /* Where remarks begin, such as " (inl)", or the place of a script's function; the
     * size of the name if there are none. */
    size_t remarks;
};

struct function_scan {
    struct string name;
    /* Namespaces are separated by dots, and by slashes before the last dot, which is at
     * `last_dot`. */
    bool is_dotted;
    size_t last_dot;

    /* What was found: parts and scopes; where the last word begins that is not in
     * brackets; and whether arguments follow it. */
    struct function_parts *parts;
    size_t word;
    bool has_arguments;
};

void function_scan(struct function_scan *scan);

/* Adds a part; those inside it are dropped. */
void function_scan_add(struct function_parts *parts, size_t start, size_t end,
                       enum function_cut_kind kind);

/* Whether a word is at a place of a name, or ends there. */
static inline bool name_has(struct string name, size_t at, const char *word)
{
    size_t size = strlen(word);

    return size <= name.size - at && memcmp(name.data + at, word, size) == 0;
}

static inline bool name_had(struct string name, size_t at, const char *word)
{
    size_t size = strlen(word);

    return size <= at && memcmp(name.data + at - size, word, size) == 0;
}

#endif
