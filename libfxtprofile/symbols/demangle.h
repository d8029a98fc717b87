/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of functions as programmers write them. C++, Rust (both manglings, without
 * the hashes) and D are demangled by libiberty, without which they stay; those of OCaml
 * and Swift by the rules of their compilers. The names of other languages stay.
 *
 * Parts and copies of a function that compilers make have its name: f.isra.0,
 * f.constprop.0, f.part.0, f.cold, f.llvm.123 and f.lto_priv.0 are called f.
 */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

#include "common/base/text.h"

/* Adds the programmer's name. Returns false, and adds nothing, if it is `name`, or would
 * be too long. */
bool demangle(struct text *text, const char *name);

/* Whether it is the name of a part or a copy of a function. */
bool demangle_is_copy(const char *name);

/* Whether it is a mangled name of Rust, which only one function of a program has. */
bool demangle_is_rust(const char *name);

/* Its parts, which demangle() calls: Swift's. Returns false, and adds nothing, if the
 * name is not that of a function in Swift's mangling, or not completely understood. */
bool demangle_swift(struct text *text, const char *name);

/* That of libiberty: the manglings of C++, Rust and D. Returns false, and adds nothing,
 * if the name is not mangled so, if the demangled name is too long, or without libiberty.
 */
bool demangle_mangled(struct text *text, const char *name);

#endif
