/* SPDX-License-Identifier: BSD-2-Clause */
/* See demangle_mangled.h: where there is no libiberty. */
#include "demangle_mangled.h"

bool demangle_mangled(struct text *text, const char *name)
{
    (void)text;
    (void)name;
    return false;
}
