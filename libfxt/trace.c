/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt/trace.h for programs that link the library; here are the only variables that libfxt
 * has, since a program has one session. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define FXT_TRACE_IMPLEMENTATION
#include <fxt/trace.h>
