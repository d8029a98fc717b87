/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts, stops and switches the traces of programs that run, in their memory. */
#ifndef FXTTRACE_CONTROL_H
#define FXTTRACE_CONTROL_H

#include "settings.h"
#include "target.h"

/* Each prints what is wrong and returns the exit status. `name` is the program's, for
 * messages. */

/* Asks for a session, which begins with the program's next event, and waits for that for
 * two seconds. */
enum fxttrace_status control_start(const struct target *target, const char *name,
                                   const struct fxttrace_options *options);

/* The file has what was traced, and stays open until the program ends, or starts another
 * session. What was asked for and has not begun never does. */
enum fxttrace_status control_stop(const struct target *target, const char *name);

/* Replaces the patterns of categories, at once. */
enum fxttrace_status control_switch(const struct target *target, const char *name,
                                    const char *patterns);

#endif
