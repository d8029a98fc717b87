/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies what a program has traced out of its memory, as an archive. */
#ifndef FXTTRACE_FETCH_H
#define FXTTRACE_FETCH_H

#include "settings.h"
#include "target.h"

/* Writes the file of the last session, or standard output if `output` is NULL, with the
 * chunks in the order in which they were begun. `name` is the program's, for messages.
 * Returns the exit status. */
enum fxttrace_status fetch(const struct target *target, const char *name,
                           const char *output);

#endif
