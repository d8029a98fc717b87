/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of demangle.h that libiberty does: the manglings of C++, Rust and D. */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_MANGLED_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_MANGLED_H

#include <stdbool.h>

#include "common/base/text.h"

/* Adds the demangled name. Returns false, and adds nothing, if the name is not mangled
 * so, if the demangled name is too long, or without libiberty. */
bool demangle_mangled(struct text *text, const char *name);

#endif
