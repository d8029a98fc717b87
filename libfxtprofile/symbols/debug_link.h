/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug files that a stripped file names, in .gnu_debuglink. */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_LINK_H
#define FXTPROFILE_SYMBOLS_DEBUG_LINK_H

#include "debug_path.h"

/* NULL if there is no link, or no such file. */
struct binary *debug_link_find(struct debug_files *files, const struct binary *of);

#endif
