/* SPDX-License-Identifier: BSD-2-Clause */
/* Why code has no names: functions of interpreters and JIT compilers, as these were not
 * asked for any, and files that were not found. */
#ifndef FXTREPORT_PRINT_INTERPRETERS_H
#define FXTREPORT_PRINT_INTERPRETERS_H

#include "tools/fxtreport/measure.h"
#include "tools/fxtreport/view.h"

/* How many stacks it concerns, and how the program has to be started to have names; of
 * each language that matters. `functions` is by functions. */
void print_interpreters(const struct view *view, const struct measure *functions,
                        struct text *text);

/* The files without which samples lack names, those of most samples first, and commands
 * that may bring them: lines that can be pasted, however long they are. */
void print_missing_files(const struct view *view, struct text *text);

#endif
