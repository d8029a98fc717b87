/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of interpreters and JIT compilers that have no names, as these were not asked
 * for any. */
#ifndef FXTREPORT_PRINT_INTERPRETERS_H
#define FXTREPORT_PRINT_INTERPRETERS_H

#include "tools/fxtreport/measure.h"
#include "tools/fxtreport/view.h"

/* How many stacks it concerns, and how the program has to be started to have names; of
 * each language that matters. `functions` is by functions. */
void print_interpreters(const struct view *view, const struct measure *functions,
                        struct text *text);

#endif
