/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that Linux puts into every process, called [vdso], which is in no file: this
 * process has the same, as long as the same kernel runs.
 */
#ifndef BASE_ELF_VDSO_H
#define BASE_ELF_VDSO_H

#include "common/base/io/file.h"

/* This process's, or NULL. */
struct file *vdso_open(void);

#endif
