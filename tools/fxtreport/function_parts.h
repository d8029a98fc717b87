/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What in a function's name can be left out, for names of C++, Rust, D, Go, OCaml, Java,
 * Python and JavaScript as demanglers and interpreters write them. Any bytes are a name:
 * what is not understood is part of the function's own name. Takes time in proportion to
 * the size of the name.
 */
#ifndef FXTREPORT_FUNCTION_PARTS_H
#define FXTREPORT_FUNCTION_PARTS_H

#include <stddef.h>

#include "function_scan.h"

/* Finds the parts of a name; `data` stays the caller's and is not kept. */
void function_parts_find(struct function_parts *parts, const char *data, size_t size);
void function_parts_free(struct function_parts *parts);

#endif
