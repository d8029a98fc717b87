/* SPDX-License-Identifier: BSD-2-Clause */
/* The allocator's functions, in front of the allocator. */
#ifndef LIBFXTHEAP_INTERCEPT_INTERCEPT_H
#define LIBFXTHEAP_INTERCEPT_INTERCEPT_H

#include <stdbool.h>

/* Whether the program's calls of malloc reach this library. */
bool intercept_is_first(void);

#endif
