/* SPDX-License-Identifier: BSD-2-Clause */
/* The stream of a program that was killed, and what it had not written of that. */
#ifndef FXTTRACE_RECOVER_H
#define FXTTRACE_RECOVER_H

#include "settings.h"

/* Writes the events of a stream and of its rings, each once, to `output`, or standard
 * output for NULL. */
enum fxttrace_status recover(const char *stream, const char *output);

#endif
