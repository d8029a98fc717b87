/* SPDX-License-Identifier: BSD-2-Clause */
/* The files without which samples lack names, those of most samples first, and commands
 * that may bring them: lines that can be pasted, however long they are. */
#ifndef FXTREPORT_PRINT_FILES_H
#define FXTREPORT_PRINT_FILES_H

#include "tools/fxtreport/view.h"

void print_missing_files(const struct view *view, struct text *text);

#endif
