/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds functions to the profile of a builder, each once. A function with lines in several
 * files is several functions, since a function of a profile is in one file.
 */
#ifndef FXTPROFILE_PROFILE_FUNCTION_LIST_H
#define FXTPROFILE_PROFILE_FUNCTION_LIST_H

#include "profile_builder.h"
#include "libfxtprofile/symbols/source_line.h"

/* All zero but for the builder is an empty one. */
struct function_list {
    struct profile_builder *builder;
    size_t capacity;
    struct table table;
    /* For names with scopes, and for demangling. */
    struct text scoped;
    struct text mangled;
    struct text demangled;
};

/* Returns the number of the function at a line, which is added unless it is there. */
uint32_t function_list_add(struct function_list *list, const struct source_line *line);

/* The same for a name that is not a symbol's: it is not demangled. The source file is
 * empty where there is none. */
uint32_t function_list_add_name(struct function_list *list, struct string name,
                                struct string file);

void function_list_free(struct function_list *list);

#endif
