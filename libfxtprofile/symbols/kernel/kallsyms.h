/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of a running Linux kernel, from /proc/kallsyms or a copy of it: a line for
 * each symbol, with its address in hex, a letter for its type as nm has it, its name, and
 * in brackets the module that it is in.
 */
#ifndef FXTPROFILE_SYMBOLS_KALLSYMS_H
#define FXTPROFILE_SYMBOLS_KALLSYMS_H

#include "libfxtprofile/symbols/symbolize.h"

/* Adds an image for the kernel, and one for each module. On failure returns false, adds
 * the reason to `why`, and what was added so far stays. */
bool kallsyms_add(struct symbolizer *symbolizer, const char *name, struct text *why);

#endif
