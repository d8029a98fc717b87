/* SPDX-License-Identifier: BSD-2-Clause */
/* For functions that must be found in stacks, whatever a compiler thinks of it. */
#ifndef KERNEL_FRAME_H
#define KERNEL_FRAME_H

#include "arch.h"

/* On a function: it is not put into another one, copied, or made one with its equal. */
#ifdef __clang__
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone, no_icf))
#endif

/* For leaf functions: forces a frame record, which GCC omits, whatever its options, if it
 * needs no stack for anything else. */
#define KEEP_FRAME() ARCH_KEEP_FRAME()

#endif
