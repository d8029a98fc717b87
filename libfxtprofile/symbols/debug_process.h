/* SPDX-License-Identifier: BSD-2-Clause */
/* Files as a running process has them: below its root directory, and mapped. */
#ifndef FXTPROFILE_SYMBOLS_DEBUG_PROCESS_H
#define FXTPROFILE_SYMBOLS_DEBUG_PROCESS_H

#include "debug_path.h"

/* NULL if there is none with this build id, or if the build id is not known. */
struct binary *debug_process_find(struct debug_files *files, uint64_t process,
                                  struct string name, struct string build_id);

#endif
