/* SPDX-License-Identifier: BSD-2-Clause */
/* What --help prints. */
#ifndef FXTDUMP_HELP_H
#define FXTDUMP_HELP_H

extern const char help_text[];

#endif
