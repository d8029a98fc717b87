/* SPDX-License-Identifier: BSD-2-Clause */
/* What another program prints. */
#ifndef FXT_ASK_PROGRAM_H
#define FXT_ASK_PROGRAM_H

#include <stdbool.h>

#include "common/base/text.h"

/* Runs a program with one argument and adds what it prints on standard output. Returns
 * false if it does not exit with 0, or prints more than a megabyte. */
bool ask_program(struct text *text, const char *path, const char *argument);

#endif
