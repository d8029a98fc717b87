/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug files from the servers in the environment variable DEBUGINFOD_URLS. The client
 * library is loaded only if there are any, since it has many dependencies.
 */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_SERVER_H
#define FXTPROFILE_SYMBOLS_DEBUG_SERVER_H

#include <stdbool.h>

#include "common/base/text.h"

/* Adds the path to which the file of a build id (in hex) was stored; false if no server
 * has it or there is none. */
bool debug_server_fetch(const char *build_id, struct text *path);

#endif
