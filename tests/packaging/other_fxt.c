/* SPDX-License-Identifier: BSD-2-Clause */
/* See other_fxt.h. */
#include "other_fxt.h"

int other_fxt_version(void)
{
    return 2;
}
