/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files for debuggers from the servers that the environment names in DEBUGINFOD_URLS. The
 * library that asks them is loaded only if there are any: it brings much with it.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_SERVER_H
#define FXTPROFILE_SYMBOLS_DEBUG_SERVER_H

#include <stdbool.h>

#include "base/text.h"

/* Adds the path to which the file of a build id (in hex) was stored; false if no server
 * has it or there is none. */
bool debug_server_fetch(const char *build_id, struct text *path);

#endif
