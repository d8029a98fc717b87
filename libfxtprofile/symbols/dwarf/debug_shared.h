/* SPDX-License-Identifier: BSD-2-Clause */
/* The DWARF that a file shares with others, which is in a separate file. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_SHARED_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_SHARED_H

#include "libfxtprofile/symbols/debug_files.h"

/* The path of the file with the DWARF that `binary` shares with others, for the caller to
 * free; NULL if it shares none, or the file is not found, which is reported. */
char *debug_shared_find(struct debug_files *files, const struct binary *binary);

#endif
