/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle.h: where there is no libiberty. */
#include "demangle.h"

bool demangle_mangled(struct text *text, const char *name)
{
    (void)text;
    (void)name;
    return false;
}
