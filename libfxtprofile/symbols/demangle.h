/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Demangles the names of C++ and Rust functions. Without libiberty no name is recognised
 * as mangled.
 */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

#include "common/base/text.h"

/* Adds the demangled name. Returns false, and adds nothing, if the name is not mangled,
 * or the demangled name is too long. */
bool demangle(struct text *text, const char *name);

#endif
