/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of fxtheap share. */
#ifndef FXTHEAP_FXTHEAP_H
#define FXTHEAP_FXTHEAP_H

#define FXTHEAP_PROGRAM "fxtheap"

enum { FXTHEAP_GOOD = 0, FXTHEAP_FAILED = 1, FXTHEAP_USAGE = 2, FXTHEAP_LEAKS = 3 };

#endif
