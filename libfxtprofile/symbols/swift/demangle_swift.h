/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Swift's part of demangle.h: the mangling since Swift 4.2, by the rules of its ABI.
 *
 * Functions have their path and the labels of their parameters, without types:
 * main.Sorter.run(by:), main.Sorter.count.getter, closure #1 in main.work(). Names with
 * anything else in them than these rules know stay, as do those of thunks that have types
 * for names.
 */
#ifndef FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_H
#define FXTPROFILE_SYMBOLS_DEMANGLE_SWIFT_H

#include <stdbool.h>

#include "common/base/text.h"

/* Adds the demangled name. Returns false, and adds nothing, if the name is not that of a
 * function in Swift's mangling, or not completely understood. */
bool demangle_swift(struct text *text, const char *name);

#endif
