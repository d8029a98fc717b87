/* SPDX-License-Identifier: BSD-2-Clause */
/* Which programs use fxt/trace.h, and what they trace. */
#ifndef FXTTRACE_LIST_H
#define FXTTRACE_LIST_H

#include "settings.h"
#include "target.h"

/* Prints a line for each process that this user may look at. */
enum fxttrace_status list_all(const struct fxttrace_options *options);

/* Prints the line of one process, and its categories. */
enum fxttrace_status list_one(const struct target *target, const char *name);

#endif
